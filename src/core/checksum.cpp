#include <pssc/core/checksum.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace pssc {

namespace {

constexpr std::uint64_t prime1 = 0x9e3779b185ebca87U, prime2 = 0xc2b2ae3d27d4eb4fU, prime3 = 0x165667b19e3779f9U,
                        prime4 = 0x85ebca77c2b2ae63U, prime5 = 0x27d4eb2f165667c5U;

template <class Word>
std::uint64_t word_at(const unsigned char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

std::uint64_t mixed(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * prime2, 31) * prime1;
}

void mix_block(std::array<std::uint64_t, 4>& lanes, const unsigned char* at) {
  for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = mixed(lanes[i], word_at<std::uint64_t>(at + 8 * i));
}

}  // namespace

void Checksum::add(const void* bytes, std::size_t size) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  const std::size_t held = length_ % pending_.size();
  length_ += size;
  if (held > 0) {
    const std::size_t more = std::min(size, pending_.size() - held);
    std::memcpy(pending_.data() + held, at, more);
    at += more;
    size -= more;
    if (held + more < pending_.size()) return;
    mix_block(lanes_, pending_.data());
  }
  for (; size >= pending_.size(); at += pending_.size(), size -= pending_.size()) mix_block(lanes_, at);
  if (size > 0) std::memcpy(pending_.data(), at, size);
}

std::uint64_t Checksum::value() const {
  std::uint64_t sum = prime5;
  if (length_ >= pending_.size()) {
    sum = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) + std::rotl(lanes_[3], 18);
    for (const std::uint64_t lane : lanes_) sum = (sum ^ mixed(0, lane)) * prime1 + prime4;
  }
  sum += length_;
  const unsigned char *at = pending_.data(), *end = at + length_ % pending_.size();
  for (; end - at >= 8; at += 8) sum = std::rotl(sum ^ mixed(0, word_at<std::uint64_t>(at)), 27) * prime1 + prime4;
  if (end - at >= 4) {
    sum = std::rotl(sum ^ (word_at<std::uint32_t>(at) * prime1), 23) * prime2 + prime3;
    at += 4;
  }
  for (; at < end; ++at) sum = std::rotl(sum ^ (*at * prime5), 11) * prime1;
  sum = (sum ^ (sum >> 33)) * prime2;
  sum = (sum ^ (sum >> 29)) * prime3;
  return sum ^ (sum >> 32);
}

}  // namespace pssc
