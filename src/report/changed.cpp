#include "changed.hpp"

#include "thumbnails.hpp"

#include <algorithm>

namespace pssc::report {

namespace {

constexpr std::size_t largest_tile = 64;
constexpr float quality = 85;  // the changes are small, and the sheet is one of a few dozen tiles

/// The first and the last variant of each kind that was measured: they differ most.
std::vector<ChangedPictures::Column> columns_of(const Run& run, std::size_t channels) {
  std::vector<ChangedPictures::Column> columns;
  for (const Move& move : run.moves) {
    if (move.change == Change::colour && channels == 1) continue;
    columns.push_back({move.change, 0});
    columns.push_back({move.change, variants(move.change) - 1});
  }
  return columns;
}

}  // namespace

ChangedPictures changed_pictures(const Run& run, const ImageSet& images, std::span<const std::size_t> numbers) {
  const CanvasShape shape{images.size(), images.channels()};
  ChangedPictures result{std::min(largest_tile, shape.size), columns_of(run, shape.channels), {}};
  if (result.columns.empty() || numbers.empty()) return result;
  const std::size_t columns = 1 + result.columns.size();
  Sheet sheet(shape, columns * numbers.size(), columns, result.size);
  std::vector<float> image(shape.numbers()), other(shape.numbers());
  std::vector<BrokenImage> broken;
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    images.read(numbers[row], numbers[row] + 1, image, broken);
    if (run.parameters.zoom > 1 && run.parameters.zoom != Parameters::automatic) {
      enlarge_middle(run.parameters.zoom, shape, image, other);
      image.swap(other);
    }
    if (run.parameters.contrast == Contrast::local) even_contrast(shape, image);
    sheet.draw(row * columns, image);
    for (std::size_t c = 0; c < result.columns.size(); ++c) {
      apply_change(result.columns[c].change, result.columns[c].variant, shape, image, other);
      sheet.draw(row * columns + 1 + c, other);
    }
  }
  result.sheet = sheet.encode(quality);
  return result;
}

}  // namespace pssc::report
