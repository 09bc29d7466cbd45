#include "guard.hpp"

#include <pssc/core/error.hpp>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>

namespace pssc::explorer {

namespace {

bool is_any(const std::string& address) {
  return address == "0.0.0.0" || address == "::";
}

bool is_number(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> room{};
  return inet_pton(AF_INET, name.c_str(), room.data()) == 1 || inet_pton(AF_INET6, name.c_str(), room.data()) == 1;
}

std::string machine_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw run_error("the system gives no random bytes for the page's token");
  std::string token;
  for (const unsigned char b : bytes) token += fmt::format("{:02x}", b);
  return token;
}

bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

bool is_our_host(std::string_view host, const std::string& listening, int port) {
  const std::string end = fmt::format(":{}", port);
  if (!host.ends_with(end)) return false;
  std::string name(host.substr(0, host.size() - end.size()));
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  if (name == "127.0.0.1" || name == "localhost" || name == "::1" || name == listening) return true;
  return is_any(listening) && (is_number(name) || name == machine_name());
}

bool is_our_origin(std::string_view origin, std::string_view host) {
  return origin.empty() || origin == fmt::format("http://{}", host);
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "localhost" || address == "::1";
}

}  // namespace pssc::explorer
