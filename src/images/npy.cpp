#include "npy.hpp"

#include "zip.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace pssc::images {

namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr std::size_t max_header = std::size_t{1} << 20;  // NumPy's own are a few hundred bytes
constexpr std::size_t peeked = 4096;  // of each array, to find the images: a file may have a million arrays

constexpr std::array<std::string_view, 4> image_names{"x", "images", "data", "x_train"};
constexpr std::array<std::string_view, 4> label_names{"y", "labels", "targets", "y_train"};

/// What stands in the text of a header, a Python dictionary such as
/// {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 28, 28), }
struct Header {
  std::string type;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

/// The text that follows a key of the dictionary, from the first character of its value on.
std::string_view value_of(std::string_view text, std::string_view key, const std::string& where) {
  const std::size_t at = text.find(fmt::format("'{}':", key));
  const std::size_t begin = at == text.npos ? text.npos : text.find_first_not_of(' ', at + key.size() + 3);
  if (begin == text.npos)
    throw input_error(
        fmt::format("{} is not a sound npy file: its header has no {}; write it again with numpy.save", where, key));
  return text.substr(begin);
}

std::vector<std::size_t> parse_shape(std::string_view text, const std::string& where) {
  const auto damaged = [&] {
    return input_error(
        fmt::format("{} is not a sound npy file: its shape is unreadable; write it again with "
                    "numpy.save",
                    where));
  };
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == text.npos) throw damaged();
  std::vector<std::size_t> shape;
  const char *at = text.data() + 1, *const end = text.data() + close;
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::size_t side = 0;
    const auto [next, error] = std::from_chars(at, end, side);
    if (error != std::errc() || shape.size() == 32) throw damaged();
    shape.push_back(side);
    at = next;
  }
  return shape;
}

Header parse_header(std::string_view text, const std::string& where) {
  Header header;
  const std::string_view type = value_of(text, "descr", where);
  const std::size_t close = type.starts_with('\'') ? type.find('\'', 1) : type.npos;
  header.type = close == type.npos ? "a structure" : std::string(type.substr(1, close - 1));
  header.fortran_order = value_of(text, "fortran_order", where).starts_with("True");
  header.shape = parse_shape(value_of(text, "shape", where), where);
  return header;
}

/// The header of a .npy file and how many bytes it takes, from the file's first bytes.
struct Preamble {
  Header header;
  std::size_t size = 0;
};

Preamble parse_preamble(std::span<const std::uint8_t> bytes, const std::string& where) {
  if (!is_npy(bytes))
    throw input_error(fmt::format("{} is not an npy file: it does not begin as one; write it with numpy.save", where));
  const auto truncated = [&] {
    return input_error(fmt::format("{} is truncated: it ends within its header; get a whole copy of it", where));
  };
  if (bytes.size() < 10) throw truncated();
  // Version 1 counts its header in two bytes, later ones in four.
  const std::size_t width = bytes[6] == 1 ? 2 : 4;
  if (bytes.size() < 8 + width) throw truncated();
  std::size_t length = 0;
  for (std::size_t i = 0; i < width; ++i) length |= std::size_t{bytes[8 + i]} << (8 * i);
  if (length > max_header)
    throw input_error(
        fmt::format("{} is damaged: its header would be {} bytes long; write it again with numpy.save", where, length));
  if (bytes.size() < 8 + width + length) throw truncated();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + 8 + width, length);
  return {parse_header(text, where), 8 + width + length};
}

NumberArray open_npy_at(SharedBytes bytes, std::uint64_t offset, std::uint64_t size, const std::string& where) {
  std::vector<std::uint8_t> first(static_cast<std::size_t>(std::min<std::uint64_t>(size, 12 + max_header)));
  bytes->read(offset, first);
  const auto [header, preamble_size] = parse_preamble(first, where);
  if (header.fortran_order)
    throw input_error(fmt::format("{} is in Fortran order; write it again through numpy.ascontiguousarray", where));
  NumberArray array;
  array.offset = offset + preamble_size;
  array.element = element_of(header.type, where);
  array.big_endian = header.type.starts_with('>');
  array.shape = header.shape;
  array.where = where;
  require_exact_size(array, size - preamble_size);
  array.bytes = std::move(bytes);
  return array;
}

std::string_view stem(std::string_view member) {
  return member.ends_with(".npy") ? member.substr(0, member.size() - 4) : member;
}

const ZipMember* find_named(std::span<const ZipMember> members, std::span<const std::string_view> names) {
  for (const std::string_view name : names)
    for (const auto& member : members)
      if (stem(member.name) == name) return &member;
  return nullptr;
}

std::string member_name(const ZipMember& member, const std::string& where) {
  return fmt::format("{} (array {})", where, shown(std::string(stem(member.name))));
}

NumberArray open_member(const SharedBytes& zip, const ZipMember& member, const std::string& where,
                        const ImageLimits& limits) {
  const std::string name = member_name(member, where);
  const ZipContent content = open_zip_member(zip, member, name, limits.unfolded);
  return open_npy_at(content.bytes, content.offset, content.size, name);
}

/// The shape of a member, from its first bytes only; members that are no arrays have none.
std::vector<std::size_t> peek_shape(const SharedBytes& zip, const ZipMember& member, const std::string& where) {
  const std::string name = member_name(member, where);
  const auto first = head_of_zip_member(*zip, member, peeked, name);
  return is_npy(first) ? parse_preamble(first, name).header.shape : std::vector<std::size_t>();
}

const ZipMember& only_image_array(const SharedBytes& zip, std::span<const ZipMember> members,
                                  const std::string& where) {
  const ZipMember* found = nullptr;
  std::size_t count = 0;
  for (const auto& member : members) {
    const std::size_t rank = peek_shape(zip, member, where).size();
    if (rank != 3 && rank != 4) continue;
    found = &member;
    ++count;
  }
  if (count == 1) return *found;
  throw input_error(
      fmt::format("{} holds {} arrays of shape [n, height, width] or [n, height, width, 3] among its {}; "
                  "name the one with the images x",
                  where, count, members.size()));
}

}  // namespace

Element element_of(const std::string& type, const std::string& where) {
  struct Name {
    std::string_view text;
    Element element;
  };
  static constexpr Name known[] = {{"b1", Element::boolean}, {"u1", Element::u8},  {"i1", Element::i8},
                                   {"u2", Element::u16},     {"i2", Element::i16}, {"u4", Element::u32},
                                   {"i4", Element::i32},     {"u8", Element::u64}, {"i8", Element::i64},
                                   {"f4", Element::f32},     {"f8", Element::f64}};
  for (const auto& [text, element] : known)
    if (type.size() == 3 && std::string_view("<>|=").find(type[0]) != std::string_view::npos && type.ends_with(text))
      return element;
  throw input_error(
      fmt::format("{} holds numbers of type {}; write it as uint8 or float32, with array.astype", where, shown(type)));
}

bool is_npy(std::span<const std::uint8_t> head) {
  return head.size() >= npy_magic.size() &&
         std::equal(npy_magic.begin(), npy_magic.end(), head.begin(),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

bool is_npz(std::span<const std::uint8_t> head) {
  return head.size() >= 4 && head[0] == 'P' && head[1] == 'K' &&
         ((head[2] == 3 && head[3] == 4) || (head[2] == 5 && head[3] == 6));
}

NumberArray open_npy(SharedBytes bytes, const std::string& where) {
  const std::uint64_t size = bytes->size();
  return open_npy_at(std::move(bytes), 0, size, where);
}

NumberArray open_npz_images(SharedBytes bytes, const std::string& where, const ImageLimits& limits) {
  const auto members = list_zip(*bytes, where);
  const ZipMember* images = find_named(members, image_names);
  return open_member(bytes, images ? *images : only_image_array(bytes, members, where), where, limits);
}

NumberArray open_npz_labels(SharedBytes bytes, const std::string& where, const ImageLimits& limits) {
  const auto members = list_zip(*bytes, where);
  if (const ZipMember* labels = find_named(members, label_names)) return open_member(bytes, *labels, where, limits);
  throw input_error(
      fmt::format("{} holds no array named {}; name the one with the labels so", where, fmt::join(label_names, ", ")));
}

}  // namespace pssc::images
