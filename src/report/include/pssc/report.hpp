#pragma once

#include <pssc/pipeline.hpp>

#include <filesystem>
#include <string>

namespace pssc {

/// Writes a run as one page that opens from disk with no network: the clusters as walls of images, a map, the spectra,
/// what was taken out, every figure. `command` is the line that repeats the run. Under 15 MB whatever the number of
/// images: thumbnails shrink first, then the map shows a sample.
void write_report(const Context& context, const Run& run, const ImageSet& images, const std::string& command,
                  const std::filesystem::path& path);

}  // namespace pssc
