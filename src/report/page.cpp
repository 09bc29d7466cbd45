#include "page.hpp"

#include <pssc/core/embed.hpp>
#include <pssc/core/error.hpp>
#include <pssc/report.hpp>

#include <fmt/format.h>

#include <fstream>
#include <iterator>

PSSC_EMBED(pssc_page, PSSC_PAGE_FILE);

namespace pssc::report {

namespace {

constexpr std::string_view data_mark = "<!--PSSC-DATA-->", element_end = "</script>\n";

std::string element_begin(std::string_view type, std::string_view id) {
  return fmt::format("<script type=\"{}\" id=\"{}\">", type, id);
}

std::string_view in_element(std::string_view page, const std::string& begin) {
  const std::size_t at = page.find(begin);
  if (at == std::string_view::npos) return {};
  const std::size_t end = page.find(element_end, at);
  return end == std::string_view::npos ? std::string_view() : page.substr(at + begin.size(), end - at - begin.size());
}

}  // namespace

PageParts page_parts() {
  const std::string_view page(pssc_page_begin, static_cast<std::size_t>(pssc_page_end - pssc_page_begin));
  const std::size_t mark = page.find(data_mark);
  if (mark == std::string_view::npos) throw Error(ErrorKind::failed, "this build's report page is incomplete");
  return {page.substr(0, mark), page.substr(mark + data_mark.size())};
}

std::string json_element(std::string_view id, std::string_view json) {
  std::string text = element_begin("application/json", id);
  for (const char c : json)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text.append(element_end);
}

std::string text_element(std::string_view id, std::string_view text) {
  return element_begin("text/plain", id).append(text).append(element_end);
}

std::string_view json_in_element(std::string_view page, std::string_view id) {
  return in_element(page, element_begin("application/json", id));
}

std::string_view text_in_element(std::string_view page, std::string_view id) {
  return in_element(page, element_begin("text/plain", id));
}

}  // namespace pssc::report

namespace pssc {

using namespace report;

ReportData read_report(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw input_error(path.string() + " is not there; run pssc cluster -o again");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  ReportData data{std::string(json_in_element(page, "pssc-report")), std::string(text_in_element(page, "pssc-points"))};
  if (data.json.empty() || data.points.empty())
    throw input_error(path.string() + " is no whole report; run pssc cluster -o again");
  return data;
}

std::string report_page(const ReportData& data, const std::string& id, const std::string& json) {
  const PageParts around = page_parts();
  std::string page(around.before);
  page += json_element("pssc-report", data.json) + text_element("pssc-points", data.points) + json_element(id, json);
  return page.append(around.after);
}

}  // namespace pssc
