#pragma once

#include <pssc/pipeline.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace pssc {

/// Writes a run as one page that opens from disk with no network: the clusters as walls of images, the tree, a map, the
/// spectra, what was ignored or taken out, every figure. `command` is the line that repeats the run. Under 15 MB
/// whatever the number of images: thumbnails shrink first, then the map shows a sample.
void write_report(const Context& context, const Run& run, const ImageSet& images, const std::string& command,
                  const std::filesystem::path& path);

/// Writes into a run's folder, behind `write_run`: that page as report.html, and explore.pssc, from which `pssc
/// explore` builds its own.
void write_pages(const Context& context, const Run& run, const ImageSet& images, const std::string& command,
                 const RunFolder& folder);

/// What explore.pssc holds: what the page says of a run, without pictures of its images.
struct PageData {
  std::string labels_sum;            ///< SHA-256 of the labels.csv that it belongs to
  std::string json;                  ///< as web/src/data.ts has it
  std::vector<std::uint8_t> points;  ///< of the map, 10 bytes each: x, y, cluster, truth, confidence, outlier, planar
  std::vector<std::uint32_t> rows;   ///< of labels.csv that the page's images are, rising

  /// Throws Error(input) where the file is damaged, or holds anything that the page does not expect: a folder that
  /// somebody else made is as good as its maker.
  static PageData read(const std::filesystem::path& path);
  static PageData from_bytes(std::string_view bytes, const std::string& name);
  std::string bytes() const;
};

/// The page around that data, with one more element of JSON in it, and the policy for it that lets no other script run
/// than its own.
std::string explorer_page(const PageData& data, const std::string& id, const std::string& json);
std::string explorer_page_policy();

/// Small pictures of images as one WebP, tiles of size x size pixels, `columns` in a row.
std::vector<std::uint8_t> thumbnail_sheet(const ImageSet& images, std::span<const std::size_t> which,
                                          std::size_t columns, std::size_t size);

}  // namespace pssc
