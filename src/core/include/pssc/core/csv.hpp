#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pssc {

/// A record of a CSV file and the line it begins on.
struct CsvRecord {
  std::size_t line = 0;
  std::vector<std::string> fields;
};

/// Records of RFC 4180: commas, quoted fields that may hold commas, doubled quotes and line ends; LF or CRLF. Blank
/// lines and a byte order mark are passed over. Throws Error(input) naming `where` at a quote that does not end.
std::vector<CsvRecord> parse_csv(std::string_view text, const std::string& where);

/// A field as RFC 4180 has it: quoted where it holds a comma, a quote or a line's end.
std::string csv_field(const std::string& text);

}  // namespace pssc
