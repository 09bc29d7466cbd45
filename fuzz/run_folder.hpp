#pragma once

#include "temporary.hpp"

#include <pssc/pipeline.hpp>
#include <pssc/report.hpp>

namespace pssc::fuzz {

/// The finished run of a few small images, as `pssc cluster -o` leaves it.
inline void make_run(const std::filesystem::path& folder) {
  Parameters p = preset("paper");
  p.clusters = 3;
  p.scales = 1;
  p.angles = 2;
  p.order = 1;
  p.pca_dims = 6;
  p.candidates = 12;
  p.representatives = 8;
  const Context context(1);
  const auto images = open_images("synthetic:12", {.size = 8});
  const Run run = cluster(context, p, *images);
  const RunFolder taken(folder);
  write_run(context, run, taken);
  write_pages(context, run, *images, "pssc cluster", taken);
}

}  // namespace pssc::fuzz
