// Who is answered: only pages that this machine's user opened.
#include "explorer/guard.hpp"

#include <gtest/gtest.h>

namespace pssc::explorer {
namespace {

TEST(Guard, TokensAreLongAndNeverTheSame) {
  const std::string token = make_token();
  EXPECT_EQ(token.size(), 32);
  EXPECT_NE(token, make_token());
  EXPECT_TRUE(same_secret(token, token));
  EXPECT_FALSE(same_secret(token, token.substr(1)));
  EXPECT_FALSE(same_secret(token, std::string(32, 'x')));
  EXPECT_FALSE(same_secret(token, ""));
}

TEST(Guard, OnlyNamesOfThisMachineAreOurHost) {
  const std::string local = "127.0.0.1";
  for (const char* host : {"127.0.0.1:80", "localhost:80", "[::1]:80"})
    EXPECT_TRUE(is_our_host(host, local, 80)) << host;
  for (const char* host : {"", ":80", "80", "127.0.0.1", "127.0.0.1:8", "127.0.0.1:180", "evil.example:80",
                           "127.0.0.1.evil.example:80", "localhost.evil.example:80", "10.0.0.7:80", "evil:80:80"})
    EXPECT_FALSE(is_our_host(host, local, 80)) << host;
}

TEST(Guard, ListeningEverywhereNumbersAreOurHostAndForeignNamesAreNot) {
  EXPECT_TRUE(is_our_host("10.0.0.7:80", "0.0.0.0", 80));
  EXPECT_TRUE(is_our_host("[fe80::1]:80", "::", 80));
  EXPECT_FALSE(is_our_host("evil.example:80", "0.0.0.0", 80));
  EXPECT_TRUE(is_our_host("10.0.0.7:80", "10.0.0.7", 80));
  EXPECT_FALSE(is_our_host("10.0.0.8:80", "10.0.0.7", 80));
}

TEST(Guard, OriginsOtherThanTheHostAreForeign) {
  EXPECT_TRUE(is_our_origin("", "localhost:80"));
  EXPECT_TRUE(is_our_origin("http://localhost:80", "localhost:80"));
  for (const char* origin : {"null", "http://localhost:81", "https://localhost:80", "http://evil.example"})
    EXPECT_FALSE(is_our_origin(origin, "localhost:80")) << origin;
}

}  // namespace
}  // namespace pssc::explorer
