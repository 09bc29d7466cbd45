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

/// What a report says, without its pictures: the JSON of the run and the points of the map, as they stand in the page.
struct ReportData {
  std::string json, points;
};

/// Reads it back. Throws Error(input) where the file is no report.
ReportData read_report(const std::filesystem::path& path);

/// The page of this library around the data of a report, without pictures, and with one more element of JSON in it.
std::string report_page(const ReportData& data, const std::string& id, const std::string& json);

/// Small pictures of images as one WebP, tiles of size x size pixels, `columns` in a row.
std::vector<std::uint8_t> thumbnail_sheet(const ImageSet& images, std::span<const std::size_t> which,
                                          std::size_t columns, std::size_t size);

}  // namespace pssc
