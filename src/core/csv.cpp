#include <pssc/core/csv.hpp>
#include <pssc/core/error.hpp>

#include <fmt/format.h>

namespace pssc {

namespace {

class Reader {
 public:
  Reader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  bool done() const { return at_ == text_.size(); }

  CsvRecord record() {
    CsvRecord record{line_, {}};
    do {
      record.fields.push_back(field());
    } while (skip(','));
    skip('\r');
    if (skip('\n')) ++line_;
    return record;
  }

 private:
  bool skip(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string field() {
    if (skip('"')) return quoted();
    const std::size_t begin = at_;
    while (!done() && text_[at_] != ',' && text_[at_] != '\n') ++at_;
    std::string_view value = text_.substr(begin, at_ - begin);
    if (value.ends_with('\r')) value.remove_suffix(1);
    return std::string(value);
  }

  std::string quoted() {
    const std::size_t begin = line_;
    std::string value;
    while (!done()) {
      const char c = text_[at_++];
      if (c == '\n') ++line_;
      if (c != '"') {
        value += c;
      } else if (skip('"')) {
        value += '"';
      } else {
        while (!done() && text_[at_] != ',' && text_[at_] != '\n') ++at_;  // what follows a quote is no part of it
        return value;
      }
    }
    throw input_error(fmt::format("{}: the quote that begins on line {} does not end; close it", where_, begin));
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::vector<CsvRecord> parse_csv(std::string_view text, const std::string& where) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<CsvRecord> records;
  Reader reader(text, where);
  while (!reader.done()) {
    CsvRecord record = reader.record();
    if (record.fields.size() > 1 || record.fields[0].find_first_not_of(" \t") != std::string::npos)
      records.push_back(std::move(record));
  }
  return records;
}

}  // namespace pssc
