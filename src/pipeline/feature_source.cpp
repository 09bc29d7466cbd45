#include "feature_source.hpp"

#include <pssc/core/device.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/spread.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>

namespace pssc {

namespace {

/// How many images are gone through at once.
struct Portions {
  std::size_t chunk = FeatureSource::unit;  ///< rows a visitor sees
  std::size_t block = 64;                   ///< images a thread reads and scatters
};

/// A device wants many at a time, as far as its memory goes.
Portions portions_for(const Context& context, std::size_t dimension) {
  if (context.place() == Place::host) return {};
  constexpr std::size_t least = 512;
  const std::size_t room = free_device_memory() / 8 / (dimension * sizeof(float));
  return {std::clamp(std::bit_floor(room), least, FeatureSource::device_unit), least};
}

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

void require_same_input(const Context& context, const ImageSet& images) {
  const auto count = static_cast<double>(images.count());
  const double most = largest_of_all(context, count), fewest = -largest_of_all(context, -count);
  if (most != fewest)
    throw input_error(fmt::format("one rank sees {} images in {}, another {}; is it on a file system that all share?",
                                  fewest, images.name(), most));
}

void settle_zoom(Parameters& parameters, const ImageSet& images) {
  if (parameters.zoom != Parameters::automatic) return;
  parameters.zoom = 1;
  constexpr std::size_t looked_at = 256;
  const std::size_t size = images.size(), numbers = images.channels() * size * size, count = images.count();
  const std::size_t step = std::max<std::size_t>(1, count / looked_at);
  std::vector<float> pixels(numbers);
  std::vector<BrokenImage> broken;
  std::size_t reach = 0;  // from the middle, in half pixels
  for (std::size_t i = 0; i < count; i += step) {
    images.read(i, i + 1, pixels, broken);
    for (std::size_t k = 0; k < numbers; ++k) {
      if (pixels[k] == 0) continue;
      for (const std::size_t at : {k / size % size, k % size})
        reach = std::max(reach, 2 * at + 1 > size ? 2 * at + 2 - size : size - 2 * at);
    }
    if (3 * reach > size) return;
  }
  if (reach > 0) parameters.zoom = std::max<std::size_t>(1, 3 * size / (4 * reach));
}

FeatureSource::FeatureSource(const Context& context, const Parameters& parameters, const ImageSet& images)
    : context_(context),
      images_(images),
      zoom_(parameters.zoom == Parameters::automatic ? 1 : parameters.zoom),
      contrast_(parameters.contrast),
      ignored_(parameters.ignored) {
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
}

std::vector<std::size_t> FeatureSource::row_shape() const {
  if (!scattering_) return {images_.channels(), images_.size(), images_.size()};
  return {dimension_ / path_length_, scattering_->output_height(), scattering_->output_width()};
}

void FeatureSource::features_of(std::span<const float> pixels, MatrixView<float> rows) const {
  const std::size_t n = rows.rows(), channels = images_.channels();
  if (!scattering_) {
    copy_numbers(pixels.data(), Place::host, rows.data(), rows.place(), pixels.size_bytes());
    return;
  }
  // Each channel is an image of its own; the paths of the second follow those of the first.
  const std::size_t plane = pixels_ / channels, features = dimension_ / channels;
  scattering_->transform({pixels.data(), n * channels, plane},
                         {rows.data(), n * channels, features, features, rows.place()});
}

void FeatureSource::prepare(std::span<float> pixels) const {
  for (std::size_t at = 0; at < pixels.size(); at += pixels_) {
    const std::span<float> image = pixels.subspan(at, pixels_);
    if (zoom_ > 1) {
      std::vector<float> enlarged(pixels_);
      enlarge_middle(zoom_, canvas(), image, enlarged);
      std::ranges::copy(enlarged, image.begin());
    }
    if (contrast_ == Contrast::local) even_contrast(canvas(), image);
  }
}

/// Features as visitors see them: equalised and, where poses are ignored, averaged over them.
void FeatureSource::describe(std::span<const float> pixels, MatrixView<float> rows) const {
  if (!equalised_ || !averages()) {
    features_of(pixels, rows);
    equaliser_.apply(rows);
    return;
  }
  const CanvasShape shape = canvas();
  const std::size_t count = poses(ignored_), numbers = shape.numbers();
  FloatMatrix sum(rows.rows(), rows.cols()), one(rows.rows(), rows.cols());
  std::vector<float> turned(pixels.size());
  for (std::size_t pose = 0; pose < count; ++pose) {
    for (std::size_t i = 0; i < rows.rows(); ++i)
      apply_pose(ignored_, pose, shape, pixels.subspan(i * numbers, numbers),
                 std::span(turned).subspan(i * numbers, numbers));
    features_of(turned, one);
    equaliser_.apply(one);
    for (std::size_t i = 0; i < sum.size(); ++i) sum.data()[i] += one.data()[i] / static_cast<float>(count);
  }
  copy_into(sum.view(), rows);
}

std::vector<float> FeatureSource::pixels(std::span<const std::size_t> which) {
  std::vector<float> all(which.size() * pixels_);
  std::vector<BrokenImage> broken;
  for_each_run(which, [&](std::size_t at, std::size_t begin, std::size_t end) {
    images_.read(begin, end, std::span(all).subspan(at * pixels_, (end - begin) * pixels_), broken);
  });
  note_broken(broken);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < which.size(); ++i) {
    if (broken_.contains(which[i])) continue;
    if (kept != i)
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(i * pixels_), pixels_,
                  all.begin() + static_cast<std::ptrdiff_t>(kept * pixels_));
    ++kept;
  }
  all.resize(kept * pixels_);
  prepare(all);
  return all;
}

FloatMatrix FeatureSource::features(std::span<const float> pixels) const {
  const std::size_t n = pixels.size() / pixels_;
  FloatMatrix rows(n, dimension_, context_.place());
  parallel_blocks(context_, n, portions_for(context_, dimension_).block, [&](std::size_t begin, std::size_t end) {
    describe(pixels.subspan(begin * pixels_, (end - begin) * pixels_), rows.view().row_range(begin, end));
  });
  return rows;
}

/// Features of the images that could be read, packed from the first row on; returns which they are.
std::vector<std::size_t> FeatureSource::compute(std::span<const std::size_t> which, std::span<const std::size_t> next,
                                                std::size_t block, MatrixView<float> rows) {
  std::vector<BrokenImage> broken;
  std::mutex mutex;
  parallel_blocks(context_, which.size(), block, [&](std::size_t first, std::size_t last) {
    // Fresh memory for every block would cost more than filling it, unless it is much, which is not to be held.
    static thread_local std::vector<float> small;
    constexpr std::size_t most = std::size_t{1} << 20;
    const std::size_t numbers = (last - first) * pixels_;
    std::vector<float> large(numbers > most ? numbers : 0);
    if (numbers <= most) small.resize(numbers);
    std::vector<float>& pixels = numbers > most ? large : small;
    std::vector<BrokenImage> broken_here;
    for_each_run(next.subspan(std::min(first, next.size()), std::min(last, next.size()) - std::min(first, next.size())),
                 [&](std::size_t, std::size_t begin, std::size_t end) { images_.expect(begin, end); });
    for_each_run(which.subspan(first, last - first), [&](std::size_t at, std::size_t begin, std::size_t end) {
      images_.read(begin, end, std::span(pixels).subspan(at * pixels_, (end - begin) * pixels_), broken_here);
    });
    prepare({pixels.data(), numbers});
    describe({pixels.data(), numbers}, rows.row_range(first, last));
    const std::lock_guard lock(mutex);
    broken.insert(broken.end(), broken_here.begin(), broken_here.end());
  });
  note_broken(broken);
  std::vector<std::size_t> kept, places;
  for (std::size_t i = 0; i < which.size(); ++i) {
    if (broken_.contains(which[i])) continue;
    remember(which[i]);
    kept.push_back(which[i]);
    places.push_back(i);
  }
  if (kept.size() < which.size()) {
    const FloatMatrix packed = gather_rows(FloatView(rows), places);
    copy_into(packed.view(), rows.row_range(0, packed.rows()));
  }
  return kept;
}

void FeatureSource::remember(std::size_t image) {
  // More than these are not learned from: whether one more can be read again does not matter.
  constexpr std::size_t most = 200'000;
  if (read_.size() < most) read_.insert(image);
}

void FeatureSource::note_broken(const std::vector<BrokenImage>& broken) {
  for (const BrokenImage& b : broken) {
    if (read_.contains(b.index))
      throw input_error("cannot read " + b.id + " again: " + b.reason + "; did the input change during the run?");
    if (broken_.insert(b.index).second) skipped_.push_back(b);
  }
}

void FeatureSource::restore(const std::vector<BrokenImage>& broken, std::span<const std::size_t> read) {
  note_broken(broken);
  for (const std::size_t i : read) remember(i);
}

void FeatureSource::find_broken() {
  std::vector<BrokenImage> broken;
  std::mutex mutex;
  parallel_blocks(context_, "reading", images_.count(), Portions().block, [&](std::size_t first, std::size_t last) {
    std::vector<float> pixels((last - first) * pixels_);
    std::vector<BrokenImage> broken_here;
    images_.read(first, last, pixels, broken_here);
    const std::lock_guard lock(mutex);
    broken.insert(broken.end(), broken_here.begin(), broken_here.end());
  });
  note_broken(broken);
}

void FeatureSource::for_each_chunk(std::string_view stage, std::span<const std::size_t> which, const Visit& visit) {
  for_each_chunk(stage, which, 0, which.size(), visit);
}

void FeatureSource::for_each_chunk(std::string_view stage, std::span<const std::size_t> which, std::size_t done,
                                   std::size_t total, const Visit& visit) {
  const Portions at_once = portions_for(context_, dimension_);
  FloatMatrix rows(std::min(which.size(), at_once.chunk), dimension_, context_.place());
  for (std::size_t begin = 0; begin < which.size(); begin += at_once.chunk) {
    context_.report(stage, done + begin, total);
    const auto rest = which.subspan(begin), chunk = rest.first(std::min(at_once.chunk, rest.size()));
    const auto after = rest.subspan(chunk.size()), next = after.first(std::min(at_once.chunk, after.size()));
    const std::vector<std::size_t> kept = compute(chunk, next, at_once.block, rows.view().row_range(0, chunk.size()));
    if (!kept.empty()) visit(rows.view().row_range(0, kept.size()), kept);
  }
  context_.report(stage, done + which.size(), total);
}

std::vector<BrokenImage> FeatureSource::skipped() const {
  std::vector<BrokenImage> sorted = skipped_;
  std::ranges::sort(sorted, {}, &BrokenImage::index);
  return sorted;
}

std::vector<BrokenImage> FeatureSource::all_skipped() const {
  if (context_.ranks().ranks() == 1) return skipped();
  std::vector<std::size_t> numbers;
  std::vector<std::string> texts;
  for (const BrokenImage& b : skipped_) {
    numbers.push_back(b.index);
    texts.insert(texts.end(), {b.id, b.reason});
  }
  numbers = gather_at_first(context_, numbers);
  texts = gather_at_first(context_, texts);
  std::vector<BrokenImage> all;
  for (std::size_t i = 0; i < numbers.size(); ++i) all.push_back({numbers[i], texts[2 * i], texts[2 * i + 1]});
  // Two ranks may have met the same one.
  std::ranges::stable_sort(all, {}, &BrokenImage::index);
  const auto same = [](const BrokenImage& a, const BrokenImage& b) { return a.index == b.index; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

std::vector<std::size_t> FeatureSource::kept(std::size_t begin, std::size_t end) const {
  std::vector<std::size_t> indices;
  for (std::size_t i = begin; i < end; ++i)
    if (!broken_.contains(i)) indices.push_back(i);
  return indices;
}

}  // namespace pssc
