#include "idx.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>

#include <optional>

namespace pssc::images {

namespace {

std::optional<Element> element_of(std::uint8_t type) {
  switch (type) {
    case 0x08:
      return Element::u8;
    case 0x09:
      return Element::i8;
    case 0x0b:
      return Element::i16;
    case 0x0c:
      return Element::i32;
    case 0x0d:
      return Element::f32;
    case 0x0e:
      return Element::f64;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_idx(std::span<const std::uint8_t> head) {
  return head.size() >= 4 && head[0] == 0 && head[1] == 0 && element_of(head[2]) && head[3] > 0;
}

NumberArray open_idx(SharedBytes bytes, const std::string& where) {
  const auto magic = head(*bytes, 4);
  if (!is_idx(magic))
    throw input_error(
        fmt::format("{} is not an IDX file: it does not begin with 0, 0, a type and a rank; get a whole "
                    "copy of it",
                    where));
  const std::size_t rank = magic[3];
  if (bytes->size() < 4 + 4 * rank)
    throw input_error(fmt::format("{} is truncated: it ends within its header; get a whole copy of it", where));
  std::vector<std::uint8_t> sizes(4 * rank);
  bytes->read(4, sizes);

  NumberArray array;
  array.element = *element_of(magic[2]);
  array.big_endian = true;
  array.offset = 4 + 4 * rank;
  array.where = where;
  for (std::size_t i = 0; i < sizes.size(); i += 4)
    array.shape.push_back(std::size_t{sizes[i]} << 24 | std::size_t{sizes[i + 1]} << 16 |
                          std::size_t{sizes[i + 2]} << 8 | sizes[i + 3]);
  require_exact_size(array, bytes->size() - array.offset);
  array.bytes = std::move(bytes);
  return array;
}

}  // namespace pssc::images
