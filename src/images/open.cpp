#include "array_set.hpp"
#include "datasets.hpp"
#include "decode.hpp"
#include "folder.hpp"
#include "idx.hpp"
#include "labels.hpp"
#include "memory.hpp"
#include "npy.hpp"
#include "path_list.hpp"

#include <pssc/core/error.hpp>
#include <pssc/images.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace pssc {

namespace images {

namespace {

namespace fs = std::filesystem;

/// Labels that merely lie beside the images are taken where they are sound and match in number; nobody asked for them,
/// so they are no reason to fail.
template <class Read>
std::optional<Labels> if_usable(std::size_t count, Read&& read) {
  try {
    Labels labels = read();
    if (labels.values.size() == count) return labels;
  } catch (const Error&) {
  }
  return std::nullopt;
}

/// The file of labels that belongs to an IDX file of images, by the names that MNIST has made usual.
std::optional<fs::path> sibling_labels(const fs::path& images) {
  constexpr std::string_view marker = "images-idx3";
  std::string name = images.filename().string();
  const std::size_t at = name.find(marker);
  if (at == std::string::npos) return std::nullopt;
  name.replace(at, marker.size(), "labels-idx1");
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  for (const char* ending : {"", ".gz"}) {
    fs::path path = images.parent_path() / (name + ending);
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return std::nullopt;
}

std::unique_ptr<ImageSet> open_array(NumberArray array, std::optional<Labels> labels, const ImageParams& params) {
  std::vector<NumberArray> arrays;
  arrays.push_back(std::move(array));
  return open_arrays(std::move(arrays), std::move(labels), params);
}

std::unique_ptr<ImageSet> open_idx_set(SharedBytes bytes, const fs::path& path, const ImageParams& params) {
  NumberArray array = open_idx(std::move(bytes), shown(path));
  std::optional<Labels> labels;
  if (const auto sibling = sibling_labels(path))
    labels = if_usable(array.shape[0], [&] { return read_labels(*sibling, params.limits); });
  return open_array(std::move(array), std::move(labels), params);
}

std::unique_ptr<ImageSet> open_npz_set(const SharedBytes& bytes, const fs::path& path, const ImageParams& params) {
  NumberArray array = open_npz_images(bytes, shown(path), params.limits);
  auto labels = if_usable(array.shape.empty() ? 0 : array.shape[0],
                          [&] { return labels_from_array(open_npz_labels(bytes, shown(path), params.limits)); });
  return open_array(std::move(array), std::move(labels), params);
}

/// What a file is, its first bytes tell; its name only decides what to call a file that is not what it should be.
std::unique_ptr<ImageSet> open_file_set(const fs::path& path, const ImageParams& params) {
  SharedBytes bytes = open_unfolded(path, params.limits);
  const auto first = head(*bytes, 4096);
  const std::string name = path.filename().string();
  const auto named = [&](const char* ending) {
    return name.ends_with(ending) || name.ends_with(ending + std::string(".gz"));
  };
  if (first.empty()) throw input_error(fmt::format("{} is empty; give a file that holds images", shown(path)));
  if (is_idx(first) || name.find("-idx3") != std::string::npos) return open_idx_set(std::move(bytes), path, params);
  if (is_npy(first) || named(".npy")) return open_array(open_npy(std::move(bytes), shown(path)), std::nullopt, params);
  if (is_npz(first) || named(".npz")) return open_npz_set(bytes, path, params);
  if (is_image(first))
    throw input_error(fmt::format("{} is a single image; give the folder it lies in or a list of paths", shown(path)));
  if (std::ranges::find(first, 0) != first.end())
    throw input_error(
        fmt::format("{} is of no known kind; give a folder of images, an npy, npz or IDX file, or a text "
                    "file of paths",
                    shown(path)));
  return open_path_list(*bytes, path, params);
}

Error unknown(const std::string& input) {
  const std::string name = shown(input);
  if (input.find('/') != std::string::npos)
    return input_error(fmt::format("there is no file or folder {}; check the path", name));
  return input_error(fmt::format("there is no file, folder or data set {}; known data sets are {}; did you mean {}?",
                                 name, fmt::join(dataset_names(), ", "), nearest_dataset(input)));
}

std::unique_ptr<ImageSet> open_any(const std::string& input, const ImageParams& params) {
  if (auto set = open_dataset(input, params)) return set;
  std::error_code error;
  const fs::file_status status = fs::status(input, error);
  if (status.type() == fs::file_type::not_found) throw unknown(input);
  if (fs::is_directory(status)) return open_folder(input, params);
  return open_file_set(input, params);
}

/// What all sets have in common is filled in here, once: a derived class may name its base's protected members.
struct Filling : ImageSet {
  static void name(ImageSet& set, const std::string& name) { set.*(&Filling::name_) = name; }
  static void labels(ImageSet& set, Labels labels) { set.*(&Filling::labels_) = std::move(labels); }
  static void limits(ImageSet& set, const ImageLimits& limits) { set.*(&Filling::limits_) = limits; }
};

void require_canvas(const ImageParams& params) {
  constexpr std::size_t max_size = 16384;
  if (params.size == 0 || params.size > max_size)
    throw usage_error(
        fmt::format("the canvas cannot be {} pixels wide; give a size from 1 to {}", params.size, max_size));
}

/// The name the user knows it by, and the truth where the user has given one.
std::unique_ptr<ImageSet> finished(std::unique_ptr<ImageSet> set, const std::string& name, const ImageParams& params) {
  Filling::name(*set, name);
  Filling::limits(*set, params.limits);
  if (!params.labels.empty()) Filling::labels(*set, read_labels(params.labels, params.limits));
  if (set->labels())
    require_label_count(set->labels()->values.size(), params.labels.empty() ? "the truth" : shown(params.labels),
                        set->count(), shown(name));
  return set;
}

}  // namespace

}  // namespace images

std::unique_ptr<ImageSet> open_images(const std::string& input, const ImageParams& params) {
  images::require_canvas(params);
  return images::finished(images::open_any(input, params), input, params);
}

std::unique_ptr<ImageSet> images_from_memory(const ArrayView& array, const ImageParams& params) {
  images::require_canvas(params);
  return images::finished(images::open_array(images::strided_numbers(array), std::nullopt, params), array.name, params);
}

std::unique_ptr<ImageSet> images_from_files(std::vector<std::string> paths, const ImageParams& params) {
  images::require_canvas(params);
  const std::string name = fmt::format("the list of {} paths", paths.size());
  return images::finished(images::open_paths({}, std::move(paths), "the list", params), name, params);
}

}  // namespace pssc
