#include "decode.hpp"
#include "limits.hpp"

#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace pssc::images {

namespace {

/// A file in memory as libtiff wants to read it, and the first complaint it has.
struct Source {
  std::span<const std::uint8_t> file;
  std::uint64_t at = 0;
  std::string complaint;
};

Source& source_of(thandle_t handle) {
  return *static_cast<Source*>(handle);
}

tmsize_t read_some(thandle_t handle, void* out, tmsize_t wanted) {
  Source& source = source_of(handle);
  const std::uint64_t left = source.at < source.file.size() ? source.file.size() - source.at : 0;
  const std::uint64_t count = std::min(left, static_cast<std::uint64_t>(std::max<tmsize_t>(wanted, 0)));
  if (count > 0) std::memcpy(out, source.file.data() + source.at, count);
  source.at += count;
  return static_cast<tmsize_t>(count);
}

tmsize_t write_none(thandle_t, void*, tmsize_t) {
  return 0;
}

toff_t seek(thandle_t handle, toff_t offset, int from) {
  Source& source = source_of(handle);
  source.at = offset + (from == SEEK_CUR ? source.at : from == SEEK_END ? source.file.size() : 0);
  return source.at;
}

int close_nothing(thandle_t) {
  return 0;
}

toff_t size_of_source(thandle_t handle) {
  return source_of(handle).file.size();
}

int keep_error(TIFF*, void* user, const char*, const char* format, std::va_list arguments) {
  auto& complaint = static_cast<Source*>(user)->complaint;
  char text[256] = "";
  std::vsnprintf(text, sizeof text, format, arguments);
  if (complaint.empty()) complaint = text;
  return 1;  // handled: nothing goes to stderr
}

int ignore_warning(TIFF*, void*, const char*, const char*, std::va_list) {
  return 1;
}

struct Close {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

std::unique_ptr<TIFF, Close> open_tiff(Source& source, const ImageLimits& limits) {
  const std::unique_ptr<TIFFOpenOptions, Close> options(TIFFOpenOptionsAlloc());
  if (!options) throw std::bad_alloc();
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_error, &source);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignore_warning, nullptr);
  TIFFOpenOptionsSetMaxSingleMemAlloc(
      options.get(), static_cast<tmsize_t>(std::min<std::uint64_t>(longest_image_file(limits), INT64_MAX)));
  // "m": no memory mapping, which our functions do not offer.
  return std::unique_ptr<TIFF, Close>(TIFFClientOpenExt("image", "rm", &source, read_some, write_none, seek,
                                                        close_nothing, size_of_source, nullptr, nullptr,
                                                        options.get()));
}

Error damaged(const Source& source) {
  std::string line = source.complaint.empty() ? "it cannot be read" : source.complaint;
  std::ranges::replace(line, '\n', ' ');
  return input_error(fmt::format("the TIFF is truncated, damaged or of an unknown kind: {}", line));
}

}  // namespace

Picture decode_tiff(std::span<const std::uint8_t> file, const ImageLimits& limits) {
  Source source{file, 0, {}};
  const auto tiff = open_tiff(source, limits);
  if (!tiff) throw damaged(source);
  std::uint32_t width = 0, height = 0;
  if (!TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) || !TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height))
    throw damaged(source);
  require_sane_size(height, width, limits);

  std::vector<std::uint32_t> raster(std::size_t{width} * height);
  if (!TIFFReadRGBAImageOriented(tiff.get(), width, height, raster.data(), ORIENTATION_TOPLEFT, 1) ||
      !source.complaint.empty())
    throw damaged(source);
  Picture picture;
  picture.shape = {height, width, 3};
  picture.bytes.resize(raster.size() * 3);
  std::uint8_t* out = picture.bytes.data();
  for (const std::uint32_t pixel : raster) {
    // libtiff has multiplied by alpha already, which lays the image on black.
    *out++ = static_cast<std::uint8_t>(TIFFGetR(pixel));
    *out++ = static_cast<std::uint8_t>(TIFFGetG(pixel));
    *out++ = static_cast<std::uint8_t>(TIFFGetB(pixel));
  }
  return picture;
}

}  // namespace pssc::images
