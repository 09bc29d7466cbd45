#include "decode.hpp"
#include "limits.hpp"

#include <string_view>

namespace pssc::images {

namespace {

/// P2 and P3 hold their samples as text, P5 and P6 as bytes or, above 255, as big-endian pairs.
class Reader {
 public:
  Reader(std::span<const std::uint8_t> file, const ImageLimits& limits) : file_(file), limits_(limits) {}

  Picture picture() {
    const char kind = static_cast<char>(file_[1]);
    if (kind == '1' || kind == '4') throw input_error("it is a PBM, which is not read; save it as PGM or PNG");
    at_ = 2;
    const std::size_t width = number(), height = number();
    require_sane_size(height, width, limits_);
    Picture picture;
    picture.shape = {height, width, kind == '3' || kind == '6' ? 3u : 1u};
    picture.maximum = static_cast<unsigned>(number());
    if (picture.maximum == 0 || picture.maximum > 65535)
      throw input_error(fmt::format("the PNM is damaged: its maximum of {} is not in 1..65535", picture.maximum));
    const std::size_t samples = height * width * picture.shape.channels;
    const bool text = kind == '2' || kind == '3', wide = picture.maximum > 255;
    if (!text) ++at_;  // exactly one white space ends the header
    require_left(samples * (wide && !text ? 2 : 1));
    if (wide) {
      picture.words.resize(samples);
      for (auto& sample : picture.words)
        sample = static_cast<std::uint16_t>(checked(text ? number() : pair(), picture));
    } else {
      picture.bytes.resize(samples);
      for (auto& sample : picture.bytes) sample = static_cast<std::uint8_t>(checked(text ? number() : byte(), picture));
    }
    return picture;
  }

 private:
  void require_left(std::size_t count) const {
    if (at_ > file_.size() || count > file_.size() - at_) throw input_error("the PNM is truncated");
  }

  std::size_t byte() { return file_[at_++]; }
  std::size_t pair() {
    const std::size_t high = byte();
    return high << 8 | byte();
  }

  static std::size_t checked(std::size_t sample, const Picture& picture) {
    if (sample > picture.maximum)
      throw input_error(
          fmt::format("the PNM is damaged: a sample of {} is over its maximum of {}", sample, picture.maximum));
    return sample;
  }

  /// The next number of the text, past white space and comments.
  std::size_t number() {
    skip_space();
    const std::size_t begin = at_;
    std::size_t value = 0;
    for (; at_ < file_.size() && file_[at_] >= '0' && file_[at_] <= '9' && at_ - begin < 10; ++at_)
      value = value * 10 + static_cast<std::size_t>(file_[at_] - '0');
    if (at_ == file_.size() && at_ == begin) throw input_error("the PNM is truncated");
    if (at_ == begin) throw input_error("the PNM is damaged: it holds text where a number should be");
    return value;
  }

  void skip_space() {
    for (; at_ < file_.size(); ++at_) {
      if (file_[at_] == '#') {
        while (at_ + 1 < file_.size() && file_[at_ + 1] != '\n') ++at_;
      } else if (std::string_view(" \t\r\n\v\f").find(static_cast<char>(file_[at_])) == std::string_view::npos) {
        return;
      }
    }
  }

  std::span<const std::uint8_t> file_;
  const ImageLimits& limits_;
  std::size_t at_ = 0;
};

}  // namespace

Picture decode_pnm(std::span<const std::uint8_t> file, const ImageLimits& limits) {
  return Reader(file, limits).picture();
}

}  // namespace pssc::images
