#include "file_set.hpp"

#include "bytes.hpp"
#include "canvas.hpp"
#include "decode.hpp"
#include "limits.hpp"
#include "look.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/sha256.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <new>

namespace pssc::images {

namespace {

RowReader rows_of(const Picture& picture) {
  return [&picture](std::size_t y, std::span<float> row) { picture.read_row(y, row); };
}

/// Draws what `file` returns onto the canvas `target`. Returns why it cannot be read; nothing where it could.
template <class File>
std::string draw_file(const File& file, const ImageParams& params, Frame frame, std::span<float> target) {
  try {
    const Picture picture = decode(file(), params.limits);
    draw(picture.shape, rows_of(picture), params.colour, frame, params.size, target);
    return {};
  } catch (const Error& error) {
    std::ranges::fill(target, 0.0f);
    return error.what();
  } catch (const std::bad_alloc&) {
    std::ranges::fill(target, 0.0f);
    return "there is not enough memory to decode it";
  }
}

class FileSet : public ImageSet {
 public:
  FileSet(std::filesystem::path base, std::vector<std::string> ids, std::optional<Labels> labels,
          const ImageParams& params, Refusals refused)
      : base_(std::move(base)), ids_(std::move(ids)), params_(params), refused_(std::move(refused)) {
    size_ = params.size;
    labels_ = std::move(labels);
    look();
  }

  std::size_t count() const override { return ids_.size(); }
  std::size_t channels() const override { return channels_of(params_.colour); }
  std::string id(std::size_t index) const override { return ids_[index]; }

  void read(std::size_t begin, std::size_t end, std::span<float> pixels,
            std::vector<BrokenImage>& broken) const override {
    const std::size_t canvas = channels() * size_ * size_;
    for (std::size_t i = begin; i < end; ++i) {
      const auto target = pixels.subspan((i - begin) * canvas, canvas);
      const std::string reason = draw_file([&] { return contents(i); }, params_, frame_, target);
      if (!reason.empty()) broken.push_back({i, ids_[i], reason});
    }
  }

  std::optional<std::filesystem::path> file(std::size_t index) const override { return base_ / ids_[index]; }

  std::string identity() const override {
    Sha256 sum;
    for (const std::string& id : ids_) {
      struct stat about {};
      const bool there = ::stat((base_ / id).c_str(), &about) == 0;
      sum.add(
          fmt::format("{}\n{} {} {}.{:09}\n", id, there, about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec));
    }
    return sum.hex();
  }

  void expect(std::size_t begin, std::size_t end) const override {
    for (std::size_t i = begin; i < end; ++i)
      if (!refused_.contains(i)) fetch_ahead(base_ / ids_[i]);
  }

 private:
  void look() {
    Look look(size_);
    std::size_t large = 0;
    for (const std::size_t i : Look::at_some_of(ids_.size())) try {
        if (!holds_a_small_image(i) && ++large > most_large_ones) {
          look.at_size(true);
          continue;
        }
        const Picture picture = decode(contents(i), params_.limits);
        look.at(picture.shape, rows_of(picture));
      } catch (const std::exception&) {  // told when it is read
      }
    frame_ = params_.frame == Frame::automatic ? look.frame() : params_.frame;
    coloured_ = look.coloured();
    larger_ = look.larger();
  }

  /// Large files take long to decode: a few show whether there are colours, and their border is not asked for.
  static constexpr std::size_t most_large_ones = 3;
  bool holds_a_small_image(std::size_t index) const {
    constexpr std::uintmax_t most_of_a_pixel = 16, header = 1 << 16;
    std::error_code missing;
    const std::uintmax_t bytes = std::filesystem::file_size(base_ / ids_[index], missing);
    return missing || bytes <= header + most_of_a_pixel * size_ * size_;
  }

  std::vector<std::uint8_t> contents(std::size_t index) const {
    if (const auto refused = refused_.find(index); refused != refused_.end()) throw input_error(refused->second);
    const std::filesystem::path path = base_ / ids_[index];
    return read_all(*open_file(path), shown(path), longest_image_file(params_.limits),
                    "reduce it, or raise the limit with --max-pixels");
  }

  std::filesystem::path base_;
  std::vector<std::string> ids_;
  ImageParams params_;
  Refusals refused_;
};

/// One file, already in memory.
class ImageInMemory : public ImageSet {
 public:
  ImageInMemory(std::vector<std::uint8_t> file, std::string id, const ImageParams& params)
      : file_(std::move(file)), params_(params) {
    name_ = std::move(id);
    size_ = params.size;
    frame_ = params.frame == Frame::none ? Frame::none : Frame::black;
  }
  std::size_t count() const override { return 1; }
  std::size_t channels() const override { return channels_of(params_.colour); }
  std::string id(std::size_t) const override { return name_; }
  void read(std::size_t begin, std::size_t end, std::span<float> pixels,
            std::vector<BrokenImage>& broken) const override {
    if (begin == end) return;
    const std::string reason = draw_file([&] { return std::span(file_); }, params_, frame_, pixels);
    if (!reason.empty()) broken.push_back({0, name_, reason});
  }

 private:
  std::vector<std::uint8_t> file_;
  ImageParams params_;
};

}  // namespace

std::unique_ptr<ImageSet> open_image_files(std::filesystem::path base, std::vector<std::string> ids,
                                           std::optional<Labels> labels, const ImageParams& params, Refusals refused) {
  return std::make_unique<FileSet>(std::move(base), std::move(ids), std::move(labels), params, std::move(refused));
}

}  // namespace pssc::images

namespace pssc {

std::unique_ptr<ImageSet> image_from_bytes(std::vector<std::uint8_t> file, std::string id, const ImageParams& params) {
  return std::make_unique<images::ImageInMemory>(std::move(file), std::move(id), params);
}

}  // namespace pssc
