#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pssc::images {

/// A record of a CSV file and the line it begins on.
struct CsvRecord {
  std::size_t line = 0;
  std::vector<std::string> fields;
};

/// Records of RFC 4180: commas, quoted fields that may hold commas, doubled quotes and line ends; LF or CRLF. Blank
/// lines and a byte order mark are passed over. Throws Error(input) naming `where` at a quote that does not end.
std::vector<CsvRecord> parse_csv(std::string_view text, const std::string& where);

}  // namespace pssc::images
