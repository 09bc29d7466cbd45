#include "page.hpp"

#include "base64.hpp"

#include <pssc/core/embed.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/sha256.hpp>
#include <pssc/report.hpp>

#include <fmt/format.h>

PSSC_EMBED(pssc_page, PSSC_PAGE_FILE);

namespace pssc::report {

namespace {

constexpr std::string_view policy_mark = "<!--PSSC-POLICY-->", data_mark = "<!--PSSC-DATA-->";

std::string_view whole_page() {
  return {pssc_page_begin, static_cast<std::size_t>(pssc_page_end - pssc_page_begin)};
}

std::string element(std::string_view type, std::string_view id, std::string_view content) {
  return fmt::format("<script type=\"{}\" id=\"{}\">{}</script>\n", type, id, content);
}

/// Where an element of this name begins at or behind `from`: its tag may have attributes.
std::size_t find_element(std::string_view page, std::string_view name, std::size_t from) {
  for (const std::string tag = fmt::format("<{}", name);;) {
    from = page.find(tag, from);
    if (from == std::string_view::npos) return from;
    const std::size_t end = from + tag.size();
    if (end < page.size() && (page[end] == '>' || page[end] == ' ')) return from;
    from = end;
  }
}

/// 'sha256-...' of each script or style in the page, as a policy names them. Walks as a browser does: what looks like
/// an element inside another one is text.
std::string hashes(std::string_view page, std::string_view wanted) {
  std::string list;
  for (std::size_t at = 0;;) {
    const std::size_t script = find_element(page, "script", at), style = find_element(page, "style", at);
    const std::string_view name = script < style ? "script" : "style";
    at = std::min(script, style);
    if (at == std::string_view::npos) return list;
    const std::size_t begin = page.find('>', at) + 1, end = page.find(fmt::format("</{}", name), begin);
    if (end == std::string_view::npos) throw run_error("this build's report page is incomplete");
    if (name == wanted) {
      Sha256 sum;
      sum.add(page.substr(begin, end - begin));
      list += fmt::format(" 'sha256-{}'", base64(sum.digest()));
    }
    at = end;
  }
}

}  // namespace

PageParts page_parts() {
  const std::string_view page = whole_page();
  const std::size_t policy = page.find(policy_mark), data = page.find(data_mark);
  if (policy == std::string_view::npos || data == std::string_view::npos || data < policy)
    throw run_error("this build's report page is incomplete");
  const std::size_t middle = policy + policy_mark.size();
  return {page.substr(0, policy), page.substr(middle, data - middle), page.substr(data + data_mark.size())};
}

std::string content_security_policy(std::string_view source) {
  static const std::string scripts = hashes(whole_page(), "script"), styles = hashes(whole_page(), "style");
  const std::string server = source.empty() ? "" : fmt::format(" {}", source);
  // Vega and regl make functions out of text of their own, which 'unsafe-eval' permits.
  return fmt::format(
      "default-src 'none'; script-src{} 'unsafe-eval'; style-src{}; img-src{} data: blob:; connect-src{} data: blob:; "
      "worker-src blob:; base-uri 'none'; form-action 'none'",
      scripts, styles, server, server);
}

std::string policy_element() {
  return fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\" />", content_security_policy(""));
}

std::string json_element(std::string_view id, std::string_view json) {
  std::string text;
  for (const char c : json)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return element("application/json", id, text);
}

std::string base64_element(std::string_view id, std::string_view base64) {
  return element("text/plain", id, base64);
}

}  // namespace pssc::report

namespace pssc {

using namespace report;

std::string explorer_page(const PageData& data, const std::string& id, const std::string& json) {
  const PageParts around = page_parts();
  std::string page(around.head);
  page += around.before;
  page += json_element("pssc-report", data.json) + base64_element("pssc-points", base64(data.points)) +
          json_element(id, json);
  return page.append(around.after);
}

std::string explorer_page_policy() {
  return content_security_policy("'self'") + "; frame-ancestors 'none'";
}

}  // namespace pssc
