#pragma once

#include <string>
#include <string_view>

namespace pssc::explorer {

/// 32 hexadecimal digits nobody can guess.
std::string make_token();

/// Whether two texts are the same, in a time that does not tell where they differ.
bool same_secret(std::string_view a, std::string_view b);

/// Whether a request that names this Host was meant for us. A web page elsewhere can make its own name point here, but
/// cannot change the name that the browser sends. `listening` is the address that was asked for.
bool is_our_host(std::string_view host, const std::string& listening, int port);

/// Whether the page that sent a request is one of ours: no Origin, or the Host itself.
bool is_our_origin(std::string_view origin, std::string_view host);

bool is_loopback(const std::string& address);

}  // namespace pssc::explorer
