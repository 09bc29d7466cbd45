#include "images/decode.hpp"

#include "support/image_files.hpp"

#include <algorithm>
#include <cmath>

namespace pssc::images {
namespace {

using namespace pssc::test;
using Bytes = pssc::test::Bytes;

/// Decodes and compares with the raster, colour repeated where the decoder makes three channels of grey.
void expect_round_trip(const Bytes& file, const Raster& raster, int tolerance = 0) {
  const Picture picture = decode(file);
  ASSERT_EQ(picture.shape.height, raster.height);
  ASSERT_EQ(picture.shape.width, raster.width);
  std::vector<float> row(picture.shape.width * picture.shape.channels);
  for (std::size_t y = 0; y < raster.height; ++y) {
    picture.read_row(y, row);
    for (std::size_t x = 0; x < raster.width; ++x)
      for (std::size_t c = 0; c < picture.shape.channels; ++c) {
        const std::size_t from = raster.channels == 1 || (raster.channels == 2 && c < 3) ? 0 : c;
        const bool alpha = raster.channels == 2 && c == 3;
        const int expected = raster.samples[(y * raster.width + x) * raster.channels + (alpha ? 1 : from)];
        ASSERT_NEAR(row[x * picture.shape.channels + c], expected, tolerance) << y << ' ' << x << ' ' << c;
      }
  }
}

const std::pair<std::size_t, std::size_t> odd_sizes[] = {{1, 1}, {1, 7}, {7, 1}, {3, 5}, {8, 8}, {15, 17}, {33, 9}};

TEST(Decode, PngRoundTrip) {
  for (const auto& [height, width] : odd_sizes)
    for (const std::size_t channels : {1, 2, 3, 4}) {
      const Raster raster = gradient(height, width, channels);
      expect_round_trip(encode_png(raster), raster);
    }
}

TEST(Decode, PngOf16BitsIsScaled) {
  const Picture picture = decode(encode_png16(1, 3, {0, 65535, 32768}));
  std::vector<float> row(3 * picture.shape.channels);
  picture.read_row(0, row);
  EXPECT_NEAR(row[0], 0, 1e-4);
  EXPECT_NEAR(row[picture.shape.channels], 255, 1e-4);
  EXPECT_NEAR(row[2 * picture.shape.channels], 255.0 * 32768 / 65535, 1e-3);
}

TEST(Decode, JpegRoundTrip) {
  for (const auto& [height, width] : odd_sizes)
    for (const std::size_t channels : {1, 3}) {
      const Raster raster = gradient(height, width, channels);
      if (*std::ranges::max_element(raster.samples) > 250) continue;  // no wrap-around edge, which JPEG would blur
      expect_round_trip(encode_jpeg(raster), raster, 6);
    }
}

TEST(Decode, JpegOfFourInks) {
  Raster inks{8, 8, 4, Bytes(256, 255)};  // stored inverted: 255 is no ink
  expect_round_trip(encode_jpeg(inks), {8, 8, 1, Bytes(64, 255)}, 2);
  for (std::size_t i = 3; i < inks.samples.size(); i += 4) inks.samples[i] = 100;
  expect_round_trip(encode_jpeg(inks), {8, 8, 1, Bytes(64, 100)}, 2);
}

TEST(Decode, WebpRoundTrip) {
  for (const auto& [height, width] : odd_sizes) {
    const Raster raster = gradient(height, width, 3);
    expect_round_trip(encode_webp(raster), raster);
  }
  Raster raster = gradient(6, 5, 4);
  for (std::size_t i = 3; i < raster.samples.size(); i += 4) raster.samples[i] = 128;  // transparent colour is not kept
  expect_round_trip(encode_webp(raster), raster);
}

TEST(Decode, TiffRoundTrip) {
  for (const auto& [height, width] : odd_sizes)
    for (const std::size_t channels : {1, 3}) {
      const Raster raster = gradient(height, width, channels);
      expect_round_trip(encode_tiff(raster), raster);
    }
}

TEST(Decode, TiffOf16BitsIsScaled) {
  EXPECT_EQ(decode(encode_tiff16(3, {0, 65535, 32768})).bytes, (Bytes{0, 0, 0, 255, 255, 255, 128, 128, 128}));
}

TEST(Decode, BmpRoundTrip) {
  for (const auto& [height, width] : odd_sizes) {
    const Raster raster = gradient(height, width, 3);
    expect_round_trip(encode_bmp24(raster), raster);
  }
}

/// A 40-byte-header BMP of 3 x 1 pixels.
Bytes small_bmp(std::uint8_t depth, const Bytes& palette_and_pixels, std::uint8_t palette_bytes,
                std::uint8_t compression = 0, std::uint8_t height = 1) {
  Bytes out{'B', 'M', 0, 0, 0, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(54 + palette_bytes), 0, 0, 0};
  const Bytes header{40,
                     0,
                     0,
                     0,
                     3,
                     0,
                     0,
                     0,
                     height,
                     static_cast<std::uint8_t>(height == 255 ? 255 : 0),
                     static_cast<std::uint8_t>(height == 255 ? 255 : 0),
                     static_cast<std::uint8_t>(height == 255 ? 255 : 0),
                     1,
                     0,
                     depth,
                     0,
                     compression,
                     0,
                     0,
                     0};
  out.insert(out.end(), header.begin(), header.end());
  out.resize(46);
  out.push_back(static_cast<std::uint8_t>(depth <= 8 ? palette_bytes / 4 : 0));
  out.resize(54);
  out.insert(out.end(), palette_and_pixels.begin(), palette_and_pixels.end());
  return out;
}

TEST(Decode, BmpOfEveryDepth) {
  const Bytes expected{10, 20, 30, 40, 50, 60, 10, 20, 30};
  const Bytes palette{30, 20, 10, 0, 60, 50, 40, 0};
  const auto with = [&](Bytes pixels) {
    pixels.insert(pixels.begin(), palette.begin(), palette.end());
    return pixels;
  };
  EXPECT_EQ(decode(small_bmp(1, with({0x40, 0, 0, 0}), 8)).bytes, expected);
  EXPECT_EQ(decode(small_bmp(4, with({0x01, 0x00, 0, 0}), 8)).bytes, expected);
  EXPECT_EQ(decode(small_bmp(8, with({0, 1, 0, 0}), 8)).bytes, expected);
  EXPECT_EQ(decode(small_bmp(24, {30, 20, 10, 60, 50, 40, 30, 20, 10, 0, 0, 0}, 0)).bytes, expected);
  EXPECT_EQ(decode(small_bmp(32, {30, 20, 10, 0, 60, 50, 40, 0, 30, 20, 10, 0}, 0)).bytes, expected);
  EXPECT_EQ(decode(small_bmp(24, {30, 20, 10, 60, 50, 40, 30, 20, 10, 0, 0, 0}, 0, 0, 255)).bytes,
            expected);  // top down
  EXPECT_EQ(decode(small_bmp(16, {0x00, 0x7c, 0x1f, 0, 0xff, 0x7f, 0, 0}, 0)).bytes,
            (Bytes{255, 0, 0, 0, 0, 255, 255, 255, 255}));
  expect_input_error([&] { decode(small_bmp(8, with({0, 2, 0, 0}), 8)); }, {"palette"});
  expect_input_error([&] { decode(small_bmp(8, with({0, 1, 0, 0}), 8, 1)); }, {"compressed BMP"});
}

TEST(Decode, PnmKinds) {
  const auto text = [](const std::string& t) { return Bytes(t.begin(), t.end()); };
  for (const std::size_t channels : {1, 3})
    expect_round_trip(encode_pnm(gradient(5, 7, channels)), gradient(5, 7, channels));
  EXPECT_EQ(decode(text("P2 # grey\n2 1\n255\n7 9\n")).bytes, (Bytes{7, 9}));
  EXPECT_EQ(decode(text("P3\n1 1 255 1 2 3")).bytes, (Bytes{1, 2, 3}));
  const Picture wide = decode(text(std::string("P5 2 1 1000 \x03\xe8\x00\x0a", 16)));
  std::vector<float> row(2);
  wide.read_row(0, row);
  EXPECT_NEAR(row[0], 255, 1e-4);
  EXPECT_NEAR(row[1], 2.55, 1e-4);
  expect_input_error([&] { decode(text("P2 1 1 10 11")); }, {"maximum"});
  expect_input_error([&] { decode(text("P5 4 4 255 abc")); }, {"truncated"});
  expect_input_error([&] { decode(text("P5 4 x")); }, {"damaged"});
  expect_input_error([&] { decode(text("P4 8 1 a")); }, {"PBM"});
}

TEST(Decode, ATruncatedFileIsNeverHalfAnImage) {
  Raster raster = gradient(40, 60, 3);
  for (auto& file : {encode_png(raster), encode_jpeg(raster), encode_webp(raster), encode_tiff(raster),
                     encode_bmp24(raster), encode_pnm(raster)})
    // A PNG without its last four bytes, the sum of the empty end chunk, lacks nothing of the image.
    for (std::size_t length = 0; length + 5 < file.size(); length += 1 + file.size() / 61)
      EXPECT_THROW(decode(std::span(file).first(length)), Error)
          << int{file[0]} << ' ' << length << " of " << file.size();
}

TEST(Decode, ReasonsAreOneLine) {
  expect_input_error([] { decode(Bytes{}); }, {"empty"});
  expect_input_error([] { decode(Bytes{'G', 'I', 'F', '8', '9', 'a', 0, 0}); }, {"not a PNG"});
  const Bytes png = encode_png(gradient(40, 40, 1)), jpeg = encode_jpeg(gradient(40, 40, 1));
  expect_input_error([&] { decode(std::span(png).first(png.size() / 2)); }, {"PNG is truncated"});
  expect_input_error([&] { decode(std::span(png).first(png.size() - 8)); }, {"PNG is truncated"});
  expect_input_error([&] { decode(std::span(jpeg).first(jpeg.size() / 2)); }, {"JPEG is truncated"});
}

TEST(Decode, HugeImagesAreRefusedBeforeTheyAreDecoded) {
  Bytes png = encode_png(gradient(2, 2, 1));
  const auto text = [](const std::string& t) { return Bytes(t.begin(), t.end()); };
  expect_input_error([&] { decode(text("P5 10001 10000 255 abc")); }, {"over the limit of 100000000 pixels"});
  expect_input_error([&] { decode(text("P5 4000000 1 255 abc")); }, {"over the limit of 100000000 pixels"});
  expect_input_error([&] { decode(text("P5 0 10 255 abc")); }, {"no pixels"});
  Bytes bmp = encode_bmp24(gradient(2, 2, 3));
  bmp[21] = bmp[25] = 0x7f;
  expect_input_error([&] { decode(bmp); }, {"over the limit of 100000000 pixels"});
}

}  // namespace
}  // namespace pssc::images
