#pragma once

#include <string>
#include <string_view>

namespace pssc::report {

/// The page in three parts: before the place for its policy, from there to the place for its data, and behind that.
struct PageParts {
  std::string_view head, before, after;
};
PageParts page_parts();

/// Content-Security-Policy: the scripts and styles that stand in the page run, by their SHA-256, and no others; and the
/// page asks nothing of any server but `source`, which is empty where there is none.
/// The page is the same for everybody and for ever, so a nonce in it could be read and reused; a hash cannot.
std::string content_security_policy(std::string_view source);
/// The same as an element of the page.
std::string policy_element();

/// Data as elements of the page. Nothing in them can look like the element's end.
std::string json_element(std::string_view id, std::string_view json);
std::string base64_element(std::string_view id, std::string_view base64);

}  // namespace pssc::report
