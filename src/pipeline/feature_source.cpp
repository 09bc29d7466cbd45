#include "feature_source.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/parallel.hpp>

#include <algorithm>
#include <mutex>

namespace pssc {

namespace {

constexpr std::size_t images_per_chunk = 2048;  // rows a visitor sees at once
constexpr std::size_t images_per_block = 64;    // images a thread reads and scatters at once

/// Calls body(place of the first, first number, last number + 1) for numbers that follow each other.
template <class Body>
void for_each_run(std::span<const std::size_t> numbers, Body&& body) {
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first + 1;
    while (last < numbers.size() && numbers[last] == numbers[last - 1] + 1) ++last;
    body(first, numbers[first], numbers[last - 1] + 1);
    first = last;
  }
}

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
  states_.resize(images.count());
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

/// Features of the images that could be read, packed from the first row on; returns which they are.
std::vector<std::size_t> FeatureSource::compute(std::span<const std::size_t> which, std::span<const std::size_t> next,
                                                MatrixView<float> rows) {
  std::vector<BrokenImage> broken;
  std::mutex mutex;
  parallel_blocks(context_, which.size(), images_per_block, [&](std::size_t first, std::size_t last) {
    std::vector<float> pixels((last - first) * pixels_);
    std::vector<BrokenImage> broken_here;
    for_each_run(next.subspan(std::min(first, next.size()), std::min(last, next.size()) - std::min(first, next.size())),
                 [&](std::size_t, std::size_t begin, std::size_t end) { images_.expect(begin, end); });
    for_each_run(which.subspan(first, last - first), [&](std::size_t at, std::size_t begin, std::size_t end) {
      images_.read(begin, end, std::span(pixels).subspan(at * pixels_, (end - begin) * pixels_), broken_here);
    });
    features_of(pixels, rows.row_range(first, last));
    equaliser_.apply(rows.row_range(first, last));
    const std::lock_guard lock(mutex);
    broken.insert(broken.end(), broken_here.begin(), broken_here.end());
  });
  note_broken(broken);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < which.size(); ++i) {
    State& state = states_[which[i]];
    if (state == State::broken) continue;
    state = State::read;
    if (kept.size() != i) std::ranges::copy(rows.row(i), rows.row(kept.size()).begin());
    kept.push_back(which[i]);
  }
  return kept;
}

void FeatureSource::note_broken(const std::vector<BrokenImage>& broken) {
  for (const BrokenImage& b : broken) {
    State& state = states_[b.index];
    if (state == State::read)
      throw input_error("cannot read " + b.id + " again: " + b.reason + "; did the input change during the run?");
    if (state == State::unread) skipped_.push_back(b);
    state = State::broken;
  }
}

void FeatureSource::find_broken() {
  std::vector<BrokenImage> broken;
  std::mutex mutex;
  parallel_blocks(context_, "reading", images_.count(), images_per_block, [&](std::size_t first, std::size_t last) {
    std::vector<float> pixels((last - first) * pixels_);
    std::vector<BrokenImage> broken_here;
    images_.read(first, last, pixels, broken_here);
    const std::lock_guard lock(mutex);
    broken.insert(broken.end(), broken_here.begin(), broken_here.end());
  });
  note_broken(broken);
}

void FeatureSource::for_each_chunk(std::string_view stage, std::span<const std::size_t> which, const Visit& visit) {
  FloatMatrix rows(std::min(which.size(), images_per_chunk), dimension_);
  for (std::size_t begin = 0; begin < which.size(); begin += images_per_chunk) {
    context_.report(stage, begin, which.size());
    const auto rest = which.subspan(begin), chunk = rest.first(std::min(images_per_chunk, rest.size()));
    const auto after = rest.subspan(chunk.size()), next = after.first(std::min(images_per_chunk, after.size()));
    const std::vector<std::size_t> kept = compute(chunk, next, rows.view().row_range(0, chunk.size()));
    if (!kept.empty()) visit(rows.view().row_range(0, kept.size()), kept);
  }
  context_.report(stage, which.size(), which.size());
}

std::vector<BrokenImage> FeatureSource::skipped() const {
  std::vector<BrokenImage> sorted = skipped_;
  std::ranges::sort(sorted, {}, &BrokenImage::index);
  return sorted;
}

std::vector<std::size_t> FeatureSource::kept() const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (states_[i] != State::broken) indices.push_back(i);
  return indices;
}

}  // namespace pssc
