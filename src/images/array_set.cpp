#include "array_set.hpp"

#include "canvas.hpp"
#include "limits.hpp"
#include "look.hpp"

#include <pssc/core/checksum.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pssc::images {

namespace {

/// An array of images, where in the set it begins, and what its numbers are multiplied by.
struct Part {
  NumberArray array;
  ImageShape shape;
  std::size_t first = 0, count = 0;
  float scale = 1;

  std::size_t image_elements() const { return shape.height * shape.width * shape.channels; }
};

void require_images(const NumberArray& array, const ImageLimits& limits) {
  const auto& shape = array.shape;
  const bool rank_fits = shape.size() == 3 || shape.size() == 4;
  const bool channels_fit = shape.size() != 4 || shape[3] == 1 || shape[3] == 3 || shape[3] == 4;
  if (!rank_fits || !channels_fit)
    throw input_error(
        fmt::format("{} holds an array of shape {}; images are arrays of shape [n, height, width] or "
                    "[n, height, width, 3]",
                    array.where, shape_text(shape)));
  if (shape[0] == 0) throw input_error(fmt::format("{} holds no images; give a file with some", array.where));
  require_sane_size(shape[1], shape[2], limits, array.where + ": ");
}

/// One pass over a float array: refuses what is no number and tells whether white is 1 or 255.
float scale_of_floats(const Part& part) {
  std::vector<float> chunk(std::size_t{1} << 18);
  float lowest = 0, highest = 0;
  for (std::size_t at = 0, total = part.array.count(); at < total; at += chunk.size()) {
    const auto values = std::span(chunk).first(std::min(chunk.size(), total - at));
    read_numbers(part.array, at, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]))
        throw input_error(
            fmt::format("{} holds NaN or infinity, first in image {}; replace such values, with "
                        "numpy.nan_to_num for instance",
                        part.array.where, (at + i) / part.image_elements()));
      lowest = std::min(lowest, values[i]);
      highest = std::max(highest, values[i]);
    }
  }
  return lowest >= 0 && highest <= 1 ? 255.0f : 1.0f;
}

Part make_part(NumberArray array, std::size_t first, const ImageLimits& limits) {
  require_images(array, limits);
  Part part;
  part.shape = {array.shape[1], array.shape[2], array.shape.size() == 4 ? array.shape[3] : 1};
  part.first = first;
  part.count = array.shape[0];
  part.array = std::move(array);
  if (part.array.element == Element::boolean) part.scale = 255;
  if (is_float(part.array.element)) part.scale = scale_of_floats(part);
  return part;
}

class ArraySet : public ImageSet {
 public:
  ArraySet(std::vector<NumberArray> arrays, std::optional<Labels> labels, const ImageParams& params)
      : colour_(params.colour) {
    size_ = params.size;
    labels_ = std::move(labels);
    for (auto& array : arrays) {
      parts_.push_back(make_part(std::move(array), count_, params.limits));
      count_ += parts_.back().count;
    }
    look(params.frame);
  }

  std::size_t count() const override { return count_; }
  std::size_t channels() const override { return channels_of(colour_); }
  std::string id(std::size_t index) const override { return std::to_string(index); }

  /// Of a large file on a disk, its date and some of its bytes.
  std::string identity() const override {
    constexpr std::uint64_t piece = 1 << 20, pieces = 64;
    Checksum sum;
    std::vector<std::uint8_t> bytes(piece);
    for (const Part& part : parts_) {
      const std::uint64_t size = part.array.count() * size_of(part.array.element);
      const std::string stamp = part.array.bytes->stamp();
      const bool whole = stamp.empty() || size <= piece * pieces;
      if (!whole) sum.add(stamp.data(), stamp.size());
      for (std::uint64_t at = 0; at < size; at += whole ? piece : size / pieces) {
        const auto some = std::span(bytes).first(std::min(piece, size - at));
        part.array.bytes->read(part.array.offset + at, some);
        sum.add(some.data(), some.size());
      }
    }
    std::string shapes;
    for (const Part& part : parts_)
      shapes += fmt::format(" {} of kind {}", shape_text(part.array.shape), static_cast<int>(part.array.element));
    return fmt::format("{:016x}{}", sum.value(), shapes);
  }

  void read(std::size_t begin, std::size_t end, std::span<float> pixels, std::vector<BrokenImage>&) const override {
    const std::size_t canvas = channels() * size_ * size_;
    for (const Part& part : parts_) {
      const std::size_t from = std::max(begin, part.first), to = std::min(end, part.first + part.count);
      if (from < to) read_part(part, from - part.first, to - part.first, pixels.subspan((from - begin) * canvas));
    }
  }

 private:
  void look(Frame wanted) {
    Look look(size_);
    for (const std::size_t i : Look::at_some_of(count_)) {
      const Part& part = *std::prev(std::ranges::upper_bound(parts_, i, {}, &Part::first));
      std::vector<float> values(look.wants(part.shape) ? part.image_elements() : 0);
      read_numbers(part.array, (i - part.first) * part.image_elements(), std::span(values));
      look.at(part.shape, row_reader(part, values.data()));
    }
    frame_ = wanted == Frame::automatic ? look.frame() : wanted;
    coloured_ = look.coloured();
    larger_ = look.larger();
  }

  void read_part(const Part& part, std::size_t begin, std::size_t end, std::span<float> pixels) const {
    // As many images at once as make one read of the disk worth its while.
    constexpr std::size_t chunk_elements = std::size_t{1} << 16;
    const std::size_t elements = part.image_elements(), canvas = channels() * size_ * size_;
    const std::size_t at_once = std::clamp<std::size_t>(chunk_elements / elements, 1, end - begin);
    std::vector<float> values(at_once * elements);
    for (std::size_t i = begin; i < end; i += at_once) {
      const std::size_t count = std::min(at_once, end - i);
      read_numbers(part.array, i * elements, std::span(values).first(count * elements));
      for (std::size_t k = 0; k < count; ++k)
        draw(part.shape, row_reader(part, values.data() + k * elements), colour_, frame_, size_,
             pixels.subspan((i - begin + k) * canvas, canvas));
    }
  }

  static RowReader row_reader(const Part& part, const float* image) {
    return [&part, image](std::size_t y, std::span<float> row) {
      const float* from = image + y * row.size();
      std::transform(from, from + row.size(), row.begin(), [&](float value) { return value * part.scale; });
    };
  }

  Colour colour_;
  std::size_t count_ = 0;
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<ImageSet> open_arrays(std::vector<NumberArray> arrays, std::optional<Labels> labels,
                                      const ImageParams& params) {
  return std::make_unique<ArraySet>(std::move(arrays), std::move(labels), params);
}

}  // namespace pssc::images
