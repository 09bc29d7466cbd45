#include "labels.hpp"

#include "idx.hpp"
#include "npy.hpp"

#include <pssc/core/csv.hpp>
#include <pssc/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

namespace pssc::images {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

std::optional<double> as_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  return whole ? std::optional(value) : std::nullopt;
}

void sort_names(std::vector<std::string>& names) {
  std::vector<std::pair<double, std::string>> numbered;
  for (const auto& name : names)
    if (const auto number = as_number(name)) numbered.emplace_back(*number, name);
  if (numbered.size() < names.size()) {
    std::ranges::sort(names);
    return;
  }
  std::ranges::sort(numbered);
  std::ranges::transform(numbered, names.begin(), [](const auto& pair) { return pair.second; });
}

/// The column that holds the labels, where the first record is a header that names it.
std::optional<std::size_t> label_column(const CsvRecord& header) {
  for (const std::string_view wanted : {"label", "cluster", "class"})
    for (std::size_t i = 0; i < header.fields.size(); ++i)
      if (trimmed(header.fields[i]) == wanted) return i;
  return std::nullopt;
}

Labels labels_from_csv(std::string_view text, const std::string& where) {
  const auto records = parse_csv(text, where);
  if (records.empty()) throw input_error(fmt::format("{} holds no labels; give one a line", where));
  const auto header = label_column(records[0]);
  if (!header && records[0].fields.size() > 1)
    throw input_error(
        fmt::format("{} has {} columns but none is headed label, cluster or class; name the column of "
                    "labels so in its first line",
                    where, records[0].fields.size()));
  const std::size_t column = header.value_or(0);
  std::vector<std::string> values;
  values.reserve(records.size());
  for (const auto& record : std::span(records).subspan(header ? 1 : 0)) {
    if (record.fields.size() <= column || trimmed(record.fields[column]).empty())
      throw input_error(fmt::format("{}: line {} has no label; give it one", where, record.line));
    values.emplace_back(trimmed(record.fields[column]));
  }
  if (values.empty()) throw input_error(fmt::format("{} holds no labels below its header; give one a line", where));
  return make_labels(values);
}

std::vector<std::string> whole_floats(const NumberArray& array) {
  std::vector<double> numbers(array.count());
  read_numbers(array, 0, std::span(numbers));
  std::vector<std::string> values;
  values.reserve(numbers.size());
  for (const double number : numbers) {
    if (std::abs(number) > 0x1p53 || number != std::trunc(number))  // NaN differs from itself, so is caught too
      throw input_error(fmt::format("{}: label {} is {}, not a whole number; give whole numbers", array.where,
                                    values.size(), number));
    values.push_back(std::to_string(static_cast<std::int64_t>(number)));
  }
  return values;
}

std::vector<std::string> integers(const NumberArray& array) {
  std::vector<std::int64_t> numbers(array.count());
  read_numbers(array, 0, std::span(numbers));
  std::vector<std::string> values(numbers.size());
  std::ranges::transform(numbers, values.begin(), [](std::int64_t number) { return std::to_string(number); });
  return values;
}

}  // namespace

Labels make_labels(const std::vector<std::string>& values) {
  Labels labels;
  std::unordered_map<std::string_view, std::int32_t> numbers;
  for (const auto& value : values)
    if (numbers.emplace(value, 0).second) labels.names.push_back(value);
  sort_names(labels.names);
  for (std::size_t i = 0; i < labels.names.size(); ++i) numbers[labels.names[i]] = static_cast<std::int32_t>(i);
  labels.values.reserve(values.size());
  for (const auto& value : values) labels.values.push_back(numbers[value]);
  return labels;
}

Labels labels_from_array(const NumberArray& array) {
  const auto& shape = array.shape;
  if (shape.empty() || shape.size() > 2 || (shape.size() == 2 && shape[1] != 1))
    throw input_error(fmt::format("{} holds an array of shape {}; labels are one number an image, shape [n]",
                                  array.where, shape_text(shape)));
  if (shape[0] == 0) throw input_error(fmt::format("{} holds no labels; give one an image", array.where));
  return make_labels(is_float(array.element) ? whole_floats(array) : integers(array));
}

Labels join_labels(const Labels& first, const Labels& second) {
  std::vector<std::string> values;
  for (const Labels* labels : {&first, &second})
    for (const std::int32_t value : labels->values) values.push_back(labels->names[static_cast<std::size_t>(value)]);
  return make_labels(values);
}

void require_label_count(std::size_t labels, const std::string& labels_name, std::size_t images,
                         const std::string& images_name) {
  if (labels != images)
    throw input_error(
        fmt::format("{} holds {} labels, but {} holds {} images; give one label an image, in the order "
                    "of the images",
                    labels_name, labels, images_name, images));
}

}  // namespace pssc::images

namespace pssc {

Labels read_labels(const std::filesystem::path& file, const ImageLimits& limits) {
  using namespace images;
  const std::string where = shown(file);
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw input_error(fmt::format("{} is a folder; give a csv, npy or IDX file of labels", where));
  const SharedBytes bytes = open_unfolded(file, limits);
  const auto magic = head(*bytes, 8);
  const std::string extension = file.extension().string();
  if (is_idx(magic)) return labels_from_array(open_idx(bytes, where));
  if (is_npy(magic) || extension == ".npy") return labels_from_array(open_npy(bytes, where));
  if (is_npz(magic) || extension == ".npz") return labels_from_array(open_npz_labels(bytes, where, limits));

  constexpr std::uint64_t text_limit = std::uint64_t{1} << 30;
  const auto text = read_all(*bytes, where, text_limit);
  if (std::ranges::find(text, 0) != text.end())
    throw input_error(
        fmt::format("{} is neither a text nor an npy or IDX file; give labels as csv, npy or IDX", where));
  return labels_from_csv({reinterpret_cast<const char*>(text.data()), text.size()}, where);
}

}  // namespace pssc
