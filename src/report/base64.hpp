#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace pssc::report {

/// RFC 4648, padded.
std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace pssc::report
