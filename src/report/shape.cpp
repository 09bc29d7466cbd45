#include "shape.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>

#include <string>
#include <utility>

namespace pssc::report {

namespace {

using Json = nlohmann::ordered_json;

bool is_kind(const Json& value, const std::string& kind, std::size_t images) {
  if (kind == "any") return true;
  if (kind == "text") return value.is_string();
  if (kind == "flag") return value.is_boolean();
  if (kind == "signed") return value.is_number();
  if (kind == "number") return value.is_number() && value.get<double>() >= 0;
  return kind == "image" && value.is_number_unsigned() && value.get<std::uint64_t>() < images;
}

void require(const Json& value, const Json& shape, std::size_t images, const std::string& name) {
  const auto refuse = [&] { throw input_error(fmt::format("\"{}\" is not what it must be", name)); };
  if (shape.is_string()) {
    if (!is_kind(value, shape.get<std::string>(), images)) refuse();
  } else if (shape.is_array()) {
    if (!value.is_array()) refuse();
    for (const Json& each : value) require(each, shape[0], images, name);
  } else {
    if (!value.is_object()) refuse();
    for (const auto& [key, inner] : shape.items()) {
      const bool optional = key.ends_with('?');
      const std::string plain = optional ? key.substr(0, key.size() - 1) : key;
      const auto found = value.find(plain);
      if (optional && (found == value.end() || found->is_null())) continue;
      if (found == value.end()) throw input_error(fmt::format("\"{}\" is missing", plain));
      require(*found, inner, images, plain);
    }
  }
}

}  // namespace

void require_shape(const Json& value, const Json& shape, std::size_t images) {
  require(value, shape, images, "the page");
}

}  // namespace pssc::report
