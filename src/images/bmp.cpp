#include "decode.hpp"
#include "limits.hpp"

#include <bit>
#include <cstdlib>

namespace pssc::images {

namespace {

constexpr std::size_t file_header = 14, core_header = 12, info_header = 40;

/// Which bits of a pixel hold a channel, for 16 and 32 bits a pixel.
struct Mask {
  std::uint32_t bits = 0;

  std::uint8_t level(std::uint32_t pixel) const {
    if (bits == 0) return 0;
    const std::uint64_t value = (pixel & bits) >> std::countr_zero(bits), most = bits >> std::countr_zero(bits);
    return static_cast<std::uint8_t>((value * 255 + most / 2) / most);
  }
};

class Reader {
 public:
  Reader(std::span<const std::uint8_t> file, const ImageLimits& limits) : file_(file), limits_(limits) {
    read_header();
  }

  Picture picture() const {
    const std::size_t stride = (width_ * depth_ + 31) / 32 * 4;  // rows are padded to four bytes
    if (pixels_ > file_.size() || stride > (file_.size() - pixels_) / height_)
      throw input_error("the BMP is truncated");
    Picture picture;
    picture.shape = {height_, width_, 3};
    picture.bytes.resize(height_ * width_ * 3);
    for (std::size_t y = 0; y < height_; ++y) {
      const std::size_t row = bottom_up_ ? height_ - 1 - y : y;
      read_row(pixels_ + row * stride, picture.bytes.data() + y * width_ * 3);
    }
    return picture;
  }

 private:
  std::uint32_t number(std::size_t at, std::size_t width) const {
    if (at + width > file_.size()) throw input_error("the BMP is truncated");
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < width; ++i) value |= std::uint32_t{file_[at + i]} << (8 * i);
    return value;
  }

  void read_header() {
    pixels_ = number(10, 4);
    const std::size_t header = number(file_header, 4);
    std::uint32_t compression = 0, colours = 0;
    if (header == core_header) {
      set_size(number(18, 2), number(20, 2));
      depth_ = number(24, 2);
    } else if (header >= info_header) {
      set_size(static_cast<std::int32_t>(number(18, 4)), static_cast<std::int32_t>(number(22, 4)));
      depth_ = number(28, 2);
      compression = number(30, 4);
      colours = number(46, 4);
    } else {
      throw input_error(fmt::format("the BMP is damaged: its header would be {} bytes long", header));
    }
    if (depth_ != 1 && depth_ != 4 && depth_ != 8 && depth_ != 16 && depth_ != 24 && depth_ != 32)
      throw input_error(fmt::format("the BMP has {} bits a pixel, which is of no known kind", depth_));
    read_masks(compression);
    palette_ = file_header + header;
    palette_entry_ = header == core_header ? 3 : 4;
    palette_size_ = colours == 0 ? std::size_t{1} << std::min<std::size_t>(depth_, 8) : colours;
  }

  void set_size(std::int64_t width, std::int64_t height) {
    bottom_up_ = height > 0;
    require_sane_size(static_cast<std::uint64_t>(std::abs(height)),
                      static_cast<std::uint64_t>(std::max<std::int64_t>(width, 0)), limits_);
    height_ = static_cast<std::size_t>(std::abs(height));
    width_ = static_cast<std::size_t>(width);
  }

  void read_masks(std::uint32_t compression) {
    constexpr std::uint32_t none = 0, bit_fields = 3;
    if (compression != none && compression != bit_fields)
      throw input_error("it is a compressed BMP, which is not read; save it as PNG or as plain BMP");
    if (compression == bit_fields && depth_ != 16 && depth_ != 32)
      throw input_error("the BMP is damaged: it has masks");
    masks_[0].bits = depth_ == 16 ? 0x7c00 : 0xff0000;
    masks_[1].bits = depth_ == 16 ? 0x03e0 : 0x00ff00;
    masks_[2].bits = depth_ == 16 ? 0x001f : 0x0000ff;
    // Behind the first 40 bytes of the header in either form: inside a longer one, or after a short one.
    if (compression == bit_fields)
      for (std::size_t c = 0; c < 3; ++c) masks_[c].bits = number(file_header + info_header + 4 * c, 4);
  }

  void read_row(std::size_t at, std::uint8_t* out) const {
    for (std::size_t x = 0; x < width_; ++x, out += 3) {
      if (depth_ <= 8) {
        const std::size_t bit = x * depth_;
        const unsigned shift = static_cast<unsigned>(8 - depth_ - bit % 8);
        look_up((file_[at + bit / 8] >> shift) & ((1u << depth_) - 1), out);
      } else if (depth_ == 24) {
        for (std::size_t c = 0; c < 3; ++c) out[c] = file_[at + 3 * x + 2 - c];
      } else {
        const std::uint32_t pixel = number(at + x * depth_ / 8, depth_ / 8);
        for (std::size_t c = 0; c < 3; ++c) out[c] = masks_[c].level(pixel);
      }
    }
  }

  void look_up(std::size_t index, std::uint8_t* out) const {
    const std::size_t at = palette_ + index * palette_entry_;
    if (index >= palette_size_ || at + 3 > file_.size())
      throw input_error("the BMP is damaged: a pixel's colour is not in its palette");
    for (std::size_t c = 0; c < 3; ++c) out[c] = file_[at + 2 - c];
  }

  std::span<const std::uint8_t> file_;
  const ImageLimits& limits_;
  std::size_t pixels_ = 0, width_ = 0, height_ = 0, depth_ = 0;
  std::size_t palette_ = 0, palette_entry_ = 4, palette_size_ = 0;
  Mask masks_[3];
  bool bottom_up_ = true;
};

}  // namespace

Picture decode_bmp(std::span<const std::uint8_t> file, const ImageLimits& limits) {
  return Reader(file, limits).picture();
}

}  // namespace pssc::images
