#pragma once

#include "bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pssc::images {

enum class Element { boolean, u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 };

std::size_t size_of(Element element);
bool is_float(Element element);

/// A row-major array inside a file, of any element type and byte order; numbers are read where and when asked for.
struct NumberArray {
  SharedBytes bytes;
  std::uint64_t offset = 0;  ///< of the first element
  Element element = Element::u8;
  bool big_endian = false;
  std::vector<std::size_t> shape;
  std::string where;  ///< the file, for messages

  std::size_t count() const;  ///< of elements
};

/// Checks that the shape's product does not overflow and that exactly its bytes lie in [offset, offset + available) of
/// the file. Throws Error(input).
void require_exact_size(const NumberArray& array, std::uint64_t available);

/// "[60000, 28, 28]"
std::string shape_text(std::span<const std::size_t> shape);

/// Elements [first, first + out.size()), converted. Safe from any thread. For float, double and std::int64_t.
template <class Out>
void read_numbers(const NumberArray& array, std::size_t first, std::span<Out> out);

}  // namespace pssc::images
