#include <pssc/core/error.hpp>
#include <pssc/core/sha256.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace pssc {

namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
constexpr std::array<std::uint32_t, 64> K{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#if defined(__x86_64__)

bool has_sha_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & 1U << 29) != 0 && __builtin_cpu_supports("sse4.1") != 0;
}

/// A block by the processor's own instructions, four rounds at a time, at six times the speed. They hold the state as
/// (a b e f) and (c d g h), and want the message with its bytes reversed.
__attribute__((target("sha,sse4.1,ssse3"))) void block_by_instructions(std::array<std::uint32_t, 8>& state,
                                                                       const std::uint8_t* at) {
  const __m128i reversed = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const auto* words = reinterpret_cast<const __m128i*>(state.data());
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  const __m128i abef_before = abef, cdgh_before = cdgh;
  __m128i w[4];
  for (std::size_t i = 0; i < 4; ++i)
    w[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at) + i), reversed);
  for (std::size_t t = 0; t < 16; ++t) {
    const __m128i sum = _mm_add_epi32(w[t % 4], _mm_loadu_si128(reinterpret_cast<const __m128i*>(K.data() + 4 * t)));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    // w[t] is w[t-16] + s0(w[t-15]) + w[t-7] + s1(w[t-2]); four of them take the place of the four just used.
    const __m128i seventh = _mm_alignr_epi8(w[(t + 3) % 4], w[(t + 2) % 4], 4);
    w[t % 4] =
        _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w[t % 4], w[(t + 1) % 4]), seventh), w[(t + 3) % 4]);
  }
  abef = _mm_add_epi32(abef, abef_before);
  cdgh = _mm_add_epi32(cdgh, cdgh_before);
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  auto* out = reinterpret_cast<__m128i*>(state.data());
  _mm_storeu_si128(out, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(out + 1, _mm_alignr_epi8(dchg, feba, 8));
}

#endif

}  // namespace

void Sha256::block(const std::uint8_t* at) {
#if defined(__x86_64__)
  static const bool by_instructions = has_sha_instructions();
  if (by_instructions) return block_by_instructions(state_, at);
#endif
  std::array<std::uint32_t, 64> w;
  for (std::size_t t = 0; t < 16; ++t, at += 4)
    w[t] = std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t S1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t T1 = h + S1 + ((e & f) ^ (~e & g)) + K[t] + w[t];
    const std::uint32_t S0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t T2 = S0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + T1;
    d = c, c = b, b = a, a = T1 + T2;
  }
  const std::array<std::uint32_t, 8> sum{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += sum[i];
}

void Sha256::add(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::size_t filled = length_ % pending_.size();
    if (filled == 0 && bytes.size() >= pending_.size()) {
      block(bytes.data());
      bytes = bytes.subspan(pending_.size());
      length_ += pending_.size();
      continue;
    }
    const std::size_t count = std::min(bytes.size(), pending_.size() - filled);
    std::copy_n(bytes.begin(), count, pending_.begin() + static_cast<std::ptrdiff_t>(filled));
    bytes = bytes.subspan(count);
    length_ += count;
    if (filled + count == pending_.size()) block(pending_.data());
  }
}

std::array<std::uint8_t, 32> Sha256::digest() {
  // Padding: a one, zeros, and the length in bits, so that the whole is a multiple of 64 bytes.
  const std::uint64_t bits = length_ * 8;
  std::array<std::uint8_t, 72> padding{0x80};
  const std::size_t zeros = (119 - length_ % 64) % 64;
  for (std::size_t i = 0; i < 8; ++i) padding[1 + zeros + i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  add(std::span(padding).first(1 + zeros + 8));
  std::array<std::uint8_t, 32> sum{};
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return sum;
}

std::string Sha256::hex() {
  std::string text;
  for (const std::uint8_t byte : digest()) text += fmt::format("{:02x}", byte);
  return text;
}

std::string sha256_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Sha256 sum;
  std::vector<char> chunk(std::size_t{1} << 18);
  while (file) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    sum.add(std::string_view(chunk.data(), static_cast<std::size_t>(file.gcount())));
  }
  if (!file.eof()) throw input_error(fmt::format("cannot read {}", path.string()));
  return sum.hex();
}

}  // namespace pssc
