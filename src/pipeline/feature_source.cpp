#include "feature_source.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/parallel.hpp>

#include <algorithm>
#include <mutex>

namespace pssc {

namespace {
constexpr std::size_t images_per_chunk = 2048;  // rows a visitor sees at once
constexpr std::size_t images_per_block = 64;    // images a thread reads and scatters at once
}  // namespace

FeatureSource::FeatureSource(const Context& context, const Parameters& parameters, const ImageSet& images)
    : context_(context), images_(images) {
  const std::size_t plane = images.size() * images.size();
  pixels_ = images.channels() * plane;
  dimension_ = pixels_;
  if (parameters.features == Features::scattering) {
    scattering_ = std::make_unique<Scattering>(ScatteringParams{.height = images.size(),
                                                                .width = images.size(),
                                                                .scales = parameters.scales,
                                                                .angles = parameters.angles,
                                                                .order = parameters.order});
    dimension_ = images.channels() * scattering_->dimension();
    path_length_ = scattering_->output_height() * scattering_->output_width();
  }
  if (images.count() * dimension_ * sizeof(float) <= context.memory / 2) all_ = FloatMatrix(images.count(), dimension_);
}

std::vector<std::size_t> FeatureSource::row_shape() const {
  if (!scattering_) return {images_.channels(), images_.size(), images_.size()};
  return {dimension_ / path_length_, scattering_->output_height(), scattering_->output_width()};
}

void FeatureSource::features_of(std::span<const float> pixels, MatrixView<float> rows) const {
  const std::size_t n = rows.rows(), channels = images_.channels();
  if (!scattering_) {
    std::ranges::copy(pixels, rows.data());
    return;
  }
  // Each channel is an image of its own; the paths of the second follow those of the first.
  const std::size_t plane = pixels_ / channels, features = dimension_ / channels;
  scattering_->transform({pixels.data(), n * channels, plane}, {rows.data(), n * channels, features});
}

/// Features of images [begin, end) that could be read, packed from the first row on; returns their number.
std::size_t FeatureSource::compute(std::size_t begin, std::size_t end, MatrixView<float> rows) {
  std::vector<BrokenImage> broken;
  std::mutex mutex;
  parallel_blocks(context_, end - begin, images_per_block, [&](std::size_t first, std::size_t last) {
    std::vector<float> pixels((last - first) * pixels_);
    std::vector<BrokenImage> broken_here;
    images_.read(begin + first, begin + last, pixels, broken_here);
    features_of(pixels, rows.row_range(first, last));
    const std::lock_guard lock(mutex);
    broken.insert(broken.end(), broken_here.begin(), broken_here.end());
  });
  std::ranges::sort(broken, {}, &BrokenImage::index);
  if (first_pass_) skipped_.insert(skipped_.end(), broken.begin(), broken.end());
  return drop_broken(begin, end, broken, rows);
}

std::size_t FeatureSource::drop_broken(std::size_t begin, std::size_t end, const std::vector<BrokenImage>& broken,
                                       MatrixView<float> rows) const {
  // What the first pass found stays out on later ones; what breaks later is a fault of the input.
  auto skip = std::ranges::lower_bound(skipped_, begin, {}, &BrokenImage::index);
  for (const BrokenImage& b : broken)
    if (!std::ranges::binary_search(skipped_, b.index, {}, &BrokenImage::index))
      throw input_error("cannot read " + b.id + " again: " + b.reason + "; did the input change during the run?");
  std::size_t to = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (skip != skipped_.end() && skip->index == i) {
      ++skip;
      continue;
    }
    if (to != i - begin) std::ranges::copy(rows.row(i - begin), rows.row(to).begin());
    ++to;
  }
  return to;
}

void FeatureSource::for_each_chunk(std::string_view stage, const std::function<void(MatrixView<float>)>& visit) {
  const std::size_t n = images_.count();
  const bool keep = !all_.empty();
  FloatMatrix scratch(keep ? 0 : std::min(n, images_per_chunk), dimension_);
  std::size_t row = 0;
  for (std::size_t begin = 0; begin < n; begin += images_per_chunk) {
    context_.report(stage, begin, n);
    const std::size_t end = std::min(n, begin + images_per_chunk);
    if (keep && !first_pass_) {  // rows are packed: no image is missing among them
      if (begin >= count()) break;
      visit(all_.view().row_range(begin, std::min(count(), end)));
      continue;
    }
    const MatrixView<float> rows =
        keep ? all_.view().row_range(row, row + end - begin) : scratch.view().row_range(0, end - begin);
    const std::size_t filled = compute(begin, end, rows);
    if (filled == 0) continue;
    if (!keep) pssc::equalise(context_, equaliser_, rows.row_range(0, filled));
    visit(rows.row_range(0, filled));
    row += filled;
  }
  first_pass_ = false;
  if (keep) all_.truncate_rows(count());
  context_.report(stage, n, n);
}

void FeatureSource::equalise(Equaliser equaliser) {
  equaliser_ = std::move(equaliser);
  if (!all_.empty()) pssc::equalise(context_, equaliser_, all_);
}

std::vector<std::size_t> FeatureSource::kept() const {
  std::vector<std::size_t> indices;
  indices.reserve(count());
  auto skip = skipped_.begin();
  for (std::size_t i = 0; i < images_.count(); ++i)
    if (skip != skipped_.end() && skip->index == i)
      ++skip;
    else
      indices.push_back(i);
  return indices;
}

}  // namespace pssc
