// XXH64 against sums that its author's program gives (xxhsum -H1).
#include <pssc/core/checksum.hpp>

#include <gtest/gtest.h>

#include <string>

namespace pssc {
namespace {

std::uint64_t sum_of(const std::string& text, std::size_t piece) {
  Checksum sum;
  for (std::size_t at = 0; at < text.size(); at += piece) sum.add(text.data() + at, std::min(piece, text.size() - at));
  return sum.value();
}

TEST(Checksum, IsXxh64) {
  EXPECT_EQ(sum_of("", 1), 0xef46db3751d8e999U);
  EXPECT_EQ(sum_of("a", 1), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(sum_of("abc", 1), 0x44bc2cf5ad770999U);
  EXPECT_EQ(sum_of("xxhash", 6), 0x32dd38952c4bc720U);
  EXPECT_EQ(sum_of("Call me Ishmael. Some years ago--never mind how long precisely-", 63), 0x02a2e85470d6fd96U);
}

TEST(Checksum, PiecesDoNotMatter) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 7);
  for (const std::size_t length : {31UL, 32UL, 33UL, 100UL, 1000UL})
    for (const std::size_t piece : {1UL, 7UL, 31UL, 32UL, 33UL, 64UL, 500UL})
      EXPECT_EQ(sum_of(text.substr(0, length), piece), sum_of(text.substr(0, length), length))
          << length << " " << piece;
}

TEST(Checksum, EveryBitMatters) {
  std::string text(100, 'x');
  const std::uint64_t sum = sum_of(text, 100);
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = text;
      other[at] = static_cast<char>(other[at] ^ (1 << bit));
      EXPECT_NE(sum_of(other, 100), sum);
    }
}

}  // namespace
}  // namespace pssc
