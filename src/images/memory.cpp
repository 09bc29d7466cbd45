#include "memory.hpp"

#include "npy.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace pssc::images {

namespace {

/// Memory with strides as the bytes that the same array would have in C order.
class StridedBytes : public Bytes {
 public:
  StridedBytes(const ArrayView& array, std::size_t element)
      : data_(static_cast<const std::uint8_t*>(array.data)), element_(element) {
    for (std::size_t i = 0; i < array.shape.size(); ++i)
      if (array.shape[i] != 1) add_axis({array.shape[i], array.strides[i]});
    if (axes_.empty()) axes_.push_back({1, 0});
    size_ = element_;
    for (const Axis& axis : axes_) size_ *= axis.length;
  }

  std::uint64_t size() const override { return size_; }

  void read(std::uint64_t offset, std::span<std::uint8_t> out) const override {
    if (offset > size_ || out.size() > size_ - offset) throw input_error("the array is shorter than its shape");
    std::size_t at = static_cast<std::size_t>(offset) / element_;  // elements are read whole
    while (!out.empty()) {
      const Axis last = axes_.back();
      const std::size_t first = at % last.length, count = std::min(last.length - first, out.size() / element_);
      copy(row(at / last.length) + static_cast<std::ptrdiff_t>(first) * last.stride, last.stride, count, out.data());
      out = out.subspan(count * element_);
      at += count;
    }
  }

 private:
  struct Axis {
    std::size_t length;
    std::ptrdiff_t stride;
  };

  /// Axes that lie in each other as in C order become one, so that most arrays are read by single copies.
  void add_axis(Axis axis) {
    if (!axes_.empty() && axes_.back().stride == static_cast<std::ptrdiff_t>(axis.length) * axis.stride)
      axes_.back() = {axes_.back().length * axis.length, axis.stride};
    else
      axes_.push_back(axis);
  }

  /// Where the last axis begins, `number` steps in C order of the axes before it.
  const std::uint8_t* row(std::size_t number) const {
    std::ptrdiff_t offset = 0;
    for (std::size_t i = axes_.size() - 1; i-- > 0;) {
      offset += static_cast<std::ptrdiff_t>(number % axes_[i].length) * axes_[i].stride;
      number /= axes_[i].length;
    }
    return data_ + offset;
  }

  void copy(const std::uint8_t* from, std::ptrdiff_t stride, std::size_t count, std::uint8_t* to) const {
    if (stride == static_cast<std::ptrdiff_t>(element_)) {
      std::memcpy(to, from, count * element_);
      return;
    }
    for (std::size_t i = 0; i < count; ++i, from += stride, to += element_) std::memcpy(to, from, element_);
  }

  const std::uint8_t* data_;
  std::size_t element_;
  std::uint64_t size_ = 0;
  std::vector<Axis> axes_;
};

}  // namespace

NumberArray strided_numbers(const ArrayView& array) {
  if (array.shape.empty() || array.shape.size() != array.strides.size())
    throw input_error(fmt::format("{} is no array: it has {} axes and {} strides", array.name, array.shape.size(),
                                  array.strides.size()));
  NumberArray numbers;
  numbers.element = element_of(array.type, array.name);
  numbers.big_endian = array.type.starts_with('>');
  numbers.shape = array.shape;
  numbers.where = array.name;
  numbers.bytes = std::make_shared<StridedBytes>(array, size_of(numbers.element));
  require_exact_size(numbers, numbers.bytes->size());
  return numbers;
}

}  // namespace pssc::images

namespace pssc {

void read_rows(const ArrayView& array, std::size_t begin, std::size_t end, std::span<float> out) {
  const images::NumberArray numbers = images::strided_numbers(array);
  const std::size_t row = array.shape[0] == 0 ? 0 : numbers.count() / array.shape[0];
  images::read_numbers(numbers, begin * row, out.first((end - begin) * row));
}

}  // namespace pssc
