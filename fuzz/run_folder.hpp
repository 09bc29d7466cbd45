#pragma once

#include "temporary.hpp"

#include <pssc/pipeline.hpp>
#include <pssc/report.hpp>

namespace pssc::fuzz {

/// The page of a run without the program in it, which is most of its bytes.
inline void strip_report(const std::filesystem::path& page) {
  const ReportData data = read_report(page);
  std::ofstream(page) << "<script type=\"application/json\" id=\"pssc-report\">" << data.json << "</script>\n"
                      << "<script type=\"text/plain\" id=\"pssc-points\">" << data.points << "</script>\n";
}

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
  write_run(context, run, folder);
  write_report(context, run, *images, "pssc cluster", folder / "report.html");
  strip_report(folder / "report.html");
}

}  // namespace pssc::fuzz
