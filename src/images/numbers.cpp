#include "numbers.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace pssc::images {

namespace {

template <std::size_t size>
void swap_bytes(std::uint8_t* at) {
  std::reverse(at, at + size);
}

template <class In, class Out>
void convert(std::span<std::uint8_t> raw, bool swap, Out* out) {
  if constexpr (sizeof(In) == 1) {
    for (const std::uint8_t byte : raw) *out++ = static_cast<Out>(std::bit_cast<In>(byte));
  } else {
    for (std::size_t i = 0; i < raw.size(); i += sizeof(In)) {
      if (swap) swap_bytes<sizeof(In)>(raw.data() + i);
      In value;
      std::memcpy(&value, raw.data() + i, sizeof(In));
      *out++ = static_cast<Out>(value);
    }
  }
}

template <class Out>
void convert(Element element, std::span<std::uint8_t> raw, bool swap, Out* out) {
  switch (element) {
    case Element::boolean:
    case Element::u8:
      return convert<std::uint8_t>(raw, swap, out);
    case Element::i8:
      return convert<std::int8_t>(raw, swap, out);
    case Element::u16:
      return convert<std::uint16_t>(raw, swap, out);
    case Element::i16:
      return convert<std::int16_t>(raw, swap, out);
    case Element::u32:
      return convert<std::uint32_t>(raw, swap, out);
    case Element::i32:
      return convert<std::int32_t>(raw, swap, out);
    case Element::u64:
      return convert<std::uint64_t>(raw, swap, out);
    case Element::i64:
      return convert<std::int64_t>(raw, swap, out);
    case Element::f32:
      return convert<float>(raw, swap, out);
    case Element::f64:
      return convert<double>(raw, swap, out);
  }
}

}  // namespace

std::size_t size_of(Element element) {
  switch (element) {
    case Element::boolean:
    case Element::u8:
    case Element::i8:
      return 1;
    case Element::u16:
    case Element::i16:
      return 2;
    case Element::u32:
    case Element::i32:
    case Element::f32:
      return 4;
    default:
      return 8;
  }
}

bool is_float(Element element) {
  return element == Element::f32 || element == Element::f64;
}

std::size_t NumberArray::count() const {
  std::size_t product = 1;
  for (const std::size_t n : shape) product *= n;
  return product;
}

void require_exact_size(const NumberArray& array, std::uint64_t available) {
  std::uint64_t promised = size_of(array.element);
  for (const std::size_t n : array.shape)
    if (__builtin_mul_overflow(promised, std::uint64_t{n}, &promised) ||
        promised > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
      throw input_error(
          fmt::format("{} promises an array of shape {}, more than any memory holds; it is damaged, get "
                      "a whole copy of it",
                      array.where, shape_text(array.shape)));
  if (promised > available)
    throw input_error(
        fmt::format("{} is truncated: its header promises {} bytes of shape {}, but it holds {}; get a "
                    "whole copy of it",
                    array.where, promised, shape_text(array.shape), available));
  if (promised < available)
    throw input_error(
        fmt::format("{} holds {} bytes, more than the {} its header promises for shape {}; it is "
                    "damaged, get a whole copy of it",
                    array.where, available, promised, shape_text(array.shape)));
}

std::string shape_text(std::span<const std::size_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

template <class Out>
void read_numbers(const NumberArray& array, std::size_t first, std::span<Out> out) {
  const std::size_t element_size = size_of(array.element);
  const bool swap = array.big_endian != (std::endian::native == std::endian::big);
  constexpr std::size_t chunk_bytes = std::size_t{1} << 18;
  std::vector<std::uint8_t> raw(std::min(chunk_bytes, out.size() * element_size));
  const std::size_t chunk = chunk_bytes / element_size;
  for (std::size_t done = 0; done < out.size(); done += chunk) {
    const std::size_t count = std::min(chunk, out.size() - done);
    const auto part = std::span(raw).first(count * element_size);
    array.bytes->read(array.offset + std::uint64_t{first + done} * element_size, part);
    convert(array.element, part, swap, out.data() + done);
  }
}

template void read_numbers<float>(const NumberArray&, std::size_t, std::span<float>);
template void read_numbers<double>(const NumberArray&, std::size_t, std::span<double>);
template void read_numbers<std::int64_t>(const NumberArray&, std::size_t, std::span<std::int64_t>);

}  // namespace pssc::images
