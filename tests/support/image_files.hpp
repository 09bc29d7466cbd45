#pragma once

#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/images.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pssc::test {

using Bytes = std::vector<std::uint8_t>;

/// Everything a file holds; nothing where it is not there.
std::string contents(const std::filesystem::path& path);

/// A folder of its own for each test, removed at the end.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::string string(const std::string& name = {}) const { return (path_ / name).string(); }

  /// Writes a file, and the folders it lies in. Returns its path.
  std::string write(const std::string& name, std::span<const std::uint8_t> bytes) const;
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

/// Sets an environment variable for the test's duration; nullptr: not set.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const char* value);
  ~ScopedVariable();

 private:
  std::string name_;
  std::optional<std::string> before_;
};

/// An image [height, width, channels] of smooth levels, different in each channel.
struct Raster {
  std::size_t height = 0, width = 0, channels = 1;
  Bytes samples;
};
Raster gradient(std::size_t height, std::size_t width, std::size_t channels);

/// A disc (odd i) or a ring (even i) of 32 x 32 pixels, its place, size and level a little different for each i.
Raster disc_or_ring(std::size_t i);

Bytes encode_png(const Raster& raster);
Bytes encode_png16(std::size_t height, std::size_t width, const std::vector<std::uint16_t>& grey);
Bytes encode_jpeg(const Raster& raster, int quality = 100);  ///< 4 channels are inks
Bytes encode_webp(const Raster& raster);                     ///< lossless; 3 or 4 channels
Bytes encode_tiff(const Raster& raster);
Bytes encode_tiff16(std::size_t width, const std::vector<std::uint16_t>& grey);
Bytes encode_bmp24(const Raster& raster);
Bytes encode_pnm(const Raster& raster);
Bytes encode_idx(std::uint8_t type, const std::vector<std::uint32_t>& shape, const Bytes& content);
Bytes encode_npy(const std::string& type, const std::vector<std::size_t>& shape, const Bytes& content);
Bytes gzip(const Bytes& content);

struct NamedArray {
  std::string name;
  Bytes npy;
};
Bytes encode_npz(const std::vector<NamedArray>& arrays, bool deflated);

/// The bytes of numbers as they lie in memory (little-endian on every machine we run on).
template <class T>
Bytes bytes_of(const std::vector<T>& numbers) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(numbers.data());
  return Bytes(begin, begin + numbers.size() * sizeof(T));
}

/// 0, 1, 2, ... modulo 256.
Bytes counting(std::size_t count);

/// All images of a set, [count, channels, size, size].
std::vector<float> read_all_images(const ImageSet& set, std::vector<BrokenImage>* broken = nullptr);

/// Expects Error(input) of one line that holds all the given words (the file's name, the remedy).
void expect_input_error(const std::function<void()>& action, const std::vector<std::string>& words);

ImageParams params_of_size(std::size_t size, Colour colour = Colour::grey);

}  // namespace pssc::test
