#include "support/image_files.hpp"

#include <spng.h>
#include <stdlib.h>
#include <tiffio.h>
#include <turbojpeg.h>
#include <webp/encode.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace pssc::test {

namespace {

void require(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

void append(Bytes& out, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) out.push_back(i < 8 ? static_cast<std::uint8_t>(value >> (8 * i)) : 0);
}

void append(Bytes& out, const Bytes& more) {
  out.insert(out.end(), more.begin(), more.end());
}

Bytes deflate_all(const Bytes& content, int window) {
  z_stream stream{};
  require(deflateInit2(&stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) == Z_OK, "deflateInit2");
  Bytes input = content, out(deflateBound(&stream, content.size()) + 64);
  stream.next_in = input.data();
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "deflate");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Bytes spng_encode(const spng_ihdr& header, const void* pixels, std::size_t size) {
  spng_ctx* context = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr copy = header;
  spng_set_ihdr(context, &copy);
  require(spng_encode_image(context, pixels, size, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE) == 0, "spng_encode_image");
  std::size_t length = 0;
  int error = 0;
  auto* buffer = static_cast<std::uint8_t*>(spng_get_png_buffer(context, &length, &error));
  Bytes out(buffer, buffer + length);
  std::free(buffer);
  spng_ctx_free(context);
  return out;
}

Bytes tiff_encode(std::size_t width, std::size_t height, std::size_t channels, int bits, const Bytes& samples) {
  const TempFolder folder;
  const std::string path = folder.string("image.tif");
  TIFF* tiff = TIFFOpen(path.c_str(), "w");
  require(tiff != nullptr, "TIFFOpen");
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(width));
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(height));
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, static_cast<int>(channels));
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, channels == 1 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 4);
  Bytes row(samples.size() / height);
  for (std::size_t y = 0; y < height; ++y) {
    std::copy_n(samples.begin() + static_cast<std::ptrdiff_t>(y * row.size()), row.size(), row.begin());
    require(TIFFWriteScanline(tiff, row.data(), static_cast<std::uint32_t>(y), 0) == 1, "TIFFWriteScanline");
  }
  TIFFClose(tiff);
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "pssc-test.XXXXXX").string();
  require(mkdtemp(name.data()) != nullptr, "mkdtemp");
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::write(const std::string& name, std::span<const std::uint8_t> bytes) const {
  const auto path = path_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path.string();
}

std::string TempFolder::write(const std::string& name, const std::string& text) const {
  return write(name, Bytes(text.begin(), text.end()));
}

ScopedVariable::ScopedVariable(std::string name, const char* value) : name_(std::move(name)) {
  if (const char* before = std::getenv(name_.c_str())) before_ = before;
  if (value)
    setenv(name_.c_str(), value, 1);
  else
    unsetenv(name_.c_str());
}

ScopedVariable::~ScopedVariable() {
  if (before_)
    setenv(name_.c_str(), before_->c_str(), 1);
  else
    unsetenv(name_.c_str());
}

Raster gradient(std::size_t height, std::size_t width, std::size_t channels) {
  Raster raster{height, width, channels, Bytes(height * width * channels)};
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t c = 0; c < channels; ++c)
        raster.samples[(y * width + x) * channels + c] = static_cast<std::uint8_t>((3 * x + 5 * y + 40 * c) % 256);
  return raster;
}

Raster disc_or_ring(std::size_t i) {
  constexpr std::size_t size = 32;
  const auto jitter = [&](double step) { return std::fmod(static_cast<double>(i) * step, 1.0); };
  const double across = jitter(0.6180339887), down = jitter(0.7548776662), radius = 7 + 2 * jitter(0.5698402910);
  Raster raster{size, size, 1, {}};
  for (std::size_t y = 0; y < size; ++y)
    for (std::size_t x = 0; x < size; ++x) {
      const double from_centre =
          std::hypot(static_cast<double>(x) - 14 - 4 * across, static_cast<double>(y) - 14 - 4 * down);
      const bool on = i % 2 ? from_centre < radius : std::abs(from_centre - radius) < 1.5;
      raster.samples.push_back(static_cast<std::uint8_t>(on ? 200 + 40 * across : 10));
    }
  return raster;
}

Bytes encode_png(const Raster& raster) {
  constexpr std::uint8_t types[] = {SPNG_COLOR_TYPE_GRAYSCALE, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA,
                                    SPNG_COLOR_TYPE_TRUECOLOR, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA};
  spng_ihdr header{};
  header.height = static_cast<std::uint32_t>(raster.height);
  header.width = static_cast<std::uint32_t>(raster.width);
  header.bit_depth = 8;
  header.color_type = types[raster.channels - 1];
  return spng_encode(header, raster.samples.data(), raster.samples.size());
}

Bytes encode_png16(std::size_t height, std::size_t width, const std::vector<std::uint16_t>& grey) {
  spng_ihdr header{};
  header.height = static_cast<std::uint32_t>(height);
  header.width = static_cast<std::uint32_t>(width);
  header.bit_depth = 16;
  header.color_type = SPNG_COLOR_TYPE_GRAYSCALE;
  return spng_encode(header, grey.data(), grey.size() * 2);
}

Bytes encode_jpeg(const Raster& raster, int quality) {
  tjhandle handle = tjInitCompress();
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  const bool grey = raster.channels == 1;
  require(tjCompress2(handle, raster.samples.data(), static_cast<int>(raster.width), 0, static_cast<int>(raster.height),
                      grey                   ? TJPF_GRAY
                      : raster.channels == 4 ? TJPF_CMYK
                                             : TJPF_RGB,
                      &buffer, &size, grey ? TJSAMP_GRAY : TJSAMP_444, quality, 0) == 0,
          "tjCompress2");
  Bytes out(buffer, buffer + size);
  tjFree(buffer);
  tjDestroy(handle);
  return out;
}

Bytes encode_webp(const Raster& raster) {
  std::uint8_t* buffer = nullptr;
  const auto encode = raster.channels == 4 ? WebPEncodeLosslessRGBA : WebPEncodeLosslessRGB;
  const std::size_t size =
      encode(raster.samples.data(), static_cast<int>(raster.width), static_cast<int>(raster.height),
             static_cast<int>(raster.width * raster.channels), &buffer);
  require(size > 0, "WebPEncodeLossless");
  Bytes out(buffer, buffer + size);
  WebPFree(buffer);
  return out;
}

Bytes encode_tiff(const Raster& raster) {
  return tiff_encode(raster.width, raster.height, raster.channels, 8, raster.samples);
}

Bytes encode_tiff16(std::size_t width, const std::vector<std::uint16_t>& grey) {
  return tiff_encode(width, grey.size() / width, 1, 16, bytes_of(grey));
}

Bytes encode_bmp24(const Raster& raster) {
  const std::size_t stride = (raster.width * 3 + 3) / 4 * 4;
  Bytes out{'B', 'M'};
  append(out, 54 + stride * raster.height, 4);
  append(out, 0, 4);
  append(out, 54, 4);
  append(out, 40, 4);
  append(out, raster.width, 4);
  append(out, raster.height, 4);
  append(out, 1, 2);
  append(out, 24, 2);
  append(out, 0, 24);
  for (std::size_t y = raster.height; y-- > 0;) {
    for (std::size_t x = 0; x < raster.width; ++x)
      for (std::size_t c = 3; c-- > 0;)
        out.push_back(raster.samples[(y * raster.width + x) * raster.channels + (raster.channels == 3 ? c : 0)]);
    append(out, 0, stride - raster.width * 3);
  }
  return out;
}

Bytes encode_pnm(const Raster& raster) {
  const std::string header = std::string(raster.channels == 1 ? "P5" : "P6") + "\n# a comment\n" +
                             std::to_string(raster.width) + " " + std::to_string(raster.height) + "\n255\n";
  Bytes out(header.begin(), header.end());
  append(out, raster.samples);
  return out;
}

Bytes encode_idx(std::uint8_t type, const std::vector<std::uint32_t>& shape, const Bytes& content) {
  Bytes out{0, 0, type, static_cast<std::uint8_t>(shape.size())};
  for (const std::uint32_t n : shape)
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(n >> shift));
  append(out, content);
  return out;
}

Bytes encode_npy(const std::string& type, const std::vector<std::size_t>& shape, const Bytes& content) {
  const std::string header = npy_header(type, shape);
  Bytes out(header.begin(), header.end());
  append(out, content);
  return out;
}

Bytes gzip(const Bytes& content) {
  return deflate_all(content, MAX_WBITS + 16);
}

Bytes encode_npz(const std::vector<NamedArray>& arrays, bool deflated) {
  Bytes out, directory;
  for (const auto& [name, npy] : arrays) {
    const std::string member = name + ".npy";
    const Bytes packed = deflated ? deflate_all(npy, -MAX_WBITS) : npy;
    const std::size_t offset = out.size();
    Bytes common;  // the part that the local header and the directory share
    append(common, 20, 2);
    append(common, 0, 2);
    append(common, deflated ? 8 : 0, 2);
    append(common, 0, 4);
    append(common, crc32_z(0, npy.data(), npy.size()), 4);
    append(common, packed.size(), 4);
    append(common, npy.size(), 4);
    append(common, member.size(), 2);
    append(common, 0, 2);
    append(out, 0x04034b50, 4);
    append(out, common);
    append(out, Bytes(member.begin(), member.end()));
    append(out, packed);
    append(directory, 0x02014b50, 4);
    append(directory, 20, 2);
    append(directory, common);
    append(directory, 0, 10);
    append(directory, offset, 4);
    append(directory, Bytes(member.begin(), member.end()));
  }
  const std::size_t at = out.size();
  append(out, directory);
  append(out, 0x06054b50, 4);
  append(out, 0, 4);
  append(out, arrays.size(), 2);
  append(out, arrays.size(), 2);
  append(out, directory.size(), 4);
  append(out, at, 4);
  append(out, 0, 2);
  return out;
}

Bytes counting(std::size_t count) {
  Bytes out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint8_t>(i);
  return out;
}

std::vector<float> read_all_images(const ImageSet& set, std::vector<BrokenImage>* broken) {
  std::vector<float> pixels(set.count() * set.channels() * set.size() * set.size());
  std::vector<BrokenImage> ignored;
  set.read(0, set.count(), pixels, broken ? *broken : ignored);
  return pixels;
}

void expect_input_error(const std::function<void()>& action, const std::vector<std::string>& words) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown; expected an error about " << (words.empty() ? "the input" : words.front());
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.kind(), ErrorKind::input) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    for (const auto& word : words)
      EXPECT_NE(message.find(word), std::string::npos) << word << " is not in: " << message;
  }
}

ImageParams params_of_size(std::size_t size, Colour colour) {
  ImageParams params;
  params.size = size;
  params.colour = colour;
  params.frame = Frame::black;
  return params;
}

}  // namespace pssc::test
