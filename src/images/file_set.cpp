#include "file_set.hpp"

#include "bytes.hpp"
#include "canvas.hpp"
#include "decode.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace pssc::images {

namespace {

constexpr std::uint64_t max_image_file = std::uint64_t{1} << 30;

class FileSet : public ImageSet {
 public:
  FileSet(std::filesystem::path base, std::vector<std::string> ids, std::optional<Labels> labels,
          const ImageParams& params)
      : base_(std::move(base)), ids_(std::move(ids)), colour_(params.colour) {
    size_ = params.size;
    labels_ = std::move(labels);
  }

  std::size_t count() const override { return ids_.size(); }
  std::size_t channels() const override { return channels_of(colour_); }
  std::string id(std::size_t index) const override { return ids_[index]; }

  void read(std::size_t begin, std::size_t end, std::span<float> pixels,
            std::vector<BrokenImage>& broken) const override {
    const std::size_t canvas = channels() * size_ * size_;
    for (std::size_t i = begin; i < end; ++i) {
      const auto target = pixels.subspan((i - begin) * canvas, canvas);
      const std::string reason = read_one(ids_[i], target);
      if (reason.empty()) continue;
      std::ranges::fill(target, 0.0f);
      broken.push_back({i, ids_[i], reason});
    }
  }

  std::optional<std::filesystem::path> file(std::size_t index) const override { return base_ / ids_[index]; }

  void expect(std::size_t begin, std::size_t end) const override {
    for (std::size_t i = begin; i < end; ++i) fetch_ahead(base_ / ids_[i]);
  }

 private:
  /// Why the image cannot be read; empty where it could.
  std::string read_one(const std::string& id, std::span<float> target) const {
    try {
      const std::filesystem::path path = base_ / id;
      const auto file = read_all(*open_file(path), shown(path), max_image_file);
      const Picture picture = decode(file);
      draw(
          picture.shape, [&](std::size_t y, std::span<float> row) { picture.read_row(y, row); }, colour_, size_,
          target);
      return {};
    } catch (const Error& error) {
      return error.what();
    } catch (const std::bad_alloc&) {
      return "there is not enough memory to decode it";
    }
  }

  std::filesystem::path base_;
  std::vector<std::string> ids_;
  Colour colour_;
};

}  // namespace

std::unique_ptr<ImageSet> open_image_files(std::filesystem::path base, std::vector<std::string> ids,
                                           std::optional<Labels> labels, const ImageParams& params) {
  return std::make_unique<FileSet>(std::move(base), std::move(ids), std::move(labels), params);
}

}  // namespace pssc::images
