#include "images/bytes.hpp"

#include <pssc/core/sha256.hpp>

#include <gtest/gtest.h>

namespace pssc::images {
namespace {

std::string sum_of(const std::string& text) {
  return sha256_hex(*from_memory({text.begin(), text.end()}, "text"));
}

// The examples of FIPS 180-4.
TEST(Sha256, KnownSums) {
  EXPECT_EQ(sum_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sum_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sum_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sum_of(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheSameSumAsTheWhole) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (const std::size_t piece : {1, 3, 55, 56, 63, 64, 65, 127, 128}) {
    Sha256 sum;
    for (std::size_t at = 0; at < text.size(); at += piece) sum.add(text.substr(at, piece));
    EXPECT_EQ(sum.hex(), sum_of(text)) << piece;
  }
}

}  // namespace
}  // namespace pssc::images
