#include <pssc/core/csv.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/edits.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spng.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

namespace pssc {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string as_csv(const EditedRun& run) {
  std::string text = "id,cluster,name,confidence,outlier\n";
  for (std::size_t i = 0; i < run.count(); ++i)
    text += fmt::format("{},{},{},{:.4f},{}\n", csv_field(run.id(i)), run.label(i), csv_field(run.name(run.label(i))),
                        run.confidence(i), int{run.outlier(i)});
  return text;
}

std::string as_json(const EditedRun& run) {
  std::map<Label, Json> images;
  for (std::size_t i = 0; i < run.count(); ++i)
    images[run.label(i)].push_back({{"id", run.id(i)}, {"confidence", run.confidence(i)}, {"outlier", run.outlier(i)}});
  Json clusters = Json::array();
  for (auto& [cluster, list] : images)
    clusters.push_back(
        {{"cluster", cluster}, {"name", run.name(cluster)}, {"size", list.size()}, {"images", std::move(list)}});
  return Json{{"clusters", clusters}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// A name that can be a folder's or a file's anywhere.
std::string safe_name(const std::string& name) {
  std::string safe;
  for (const char c : name)
    safe += static_cast<unsigned char>(c) < 32 || std::string("/\\:*?\"<>|").find(c) != std::string::npos ? '_' : c;
  if (safe.empty() || safe.front() == '.' || safe.front() == ' ') safe.insert(0, "_");
  constexpr std::size_t longest = 200;
  return safe.substr(0, longest);
}

void write_png(const fs::path& path, const ImageSet& images, std::size_t number) {
  const std::size_t size = images.size(), plane = size * size, channels = images.channels();
  std::vector<float> pixels(channels * plane);
  std::vector<BrokenImage> broken;
  images.read(number, number + 1, pixels, broken);
  if (!broken.empty()) throw input_error(fmt::format("cannot read {} again: {}", broken[0].id, broken[0].reason));
  std::vector<std::uint8_t> bytes(channels * plane);
  for (std::size_t k = 0; k < plane; ++k)
    for (std::size_t c = 0; c < channels; ++c)
      bytes[k * channels + c] = static_cast<std::uint8_t>(std::clamp(pixels[c * plane + k], 0.0F, 255.0F) + 0.5F);
  const std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> png(spng_ctx_new(SPNG_CTX_ENCODER), spng_ctx_free);
  spng_set_option(png.get(), SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header{static_cast<std::uint32_t>(size),
                   static_cast<std::uint32_t>(size),
                   8,
                   static_cast<std::uint8_t>(channels == 3 ? SPNG_COLOR_TYPE_TRUECOLOR : SPNG_COLOR_TYPE_GRAYSCALE),
                   0,
                   0,
                   0};
  std::size_t length = 0;
  int error = spng_set_ihdr(png.get(), &header);
  if (!error) error = spng_encode_image(png.get(), bytes.data(), bytes.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
  const std::unique_ptr<void, void (*)(void*)> buffer(error ? nullptr : spng_get_png_buffer(png.get(), &length, &error),
                                                      std::free);
  if (error) throw Error(ErrorKind::failed, fmt::format("cannot encode {}: {}", path.string(), spng_strerror(error)));
  OutputFile file(path);
  file.write(buffer.get(), length);
  file.commit(OutputFile::Durability::system);  // all of them together at the end
}

/// One image into its folder, under a name that no other image there has.
void put_image(const EditedRun& run, const ImageSet& images, std::size_t row, std::size_t number,
               const fs::path& folder, bool copy, std::set<fs::path>& taken) {
  const auto file = images.file(number);
  const fs::path plain =
      file ? fs::path(safe_name(file->filename().string())) : fs::path(safe_name(run.id(row)) + ".png");
  fs::path name = plain;
  for (int i = 2; !taken.insert(folder / name).second; ++i)
    name = fmt::format("{}-{}{}", plain.stem().string(), i, plain.extension().string());
  if (!file)
    write_png(folder / name, images, number);
  else if (copy)
    fs::copy_file(*file, folder / name);
  else
    fs::create_symlink(fs::absolute(*file), folder / name);
}

/// A folder for each cluster that has images. Two names that would be one folder, on a file system that tells capitals
/// from small letters or on one that does not, get their clusters' numbers behind them.
std::map<Label, std::string> folder_names(const EditedRun& run) {
  std::set<Label> clusters;
  for (std::size_t row = 0; row < run.count(); ++row) clusters.insert(run.label(row));
  const auto folded = [](std::string name) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
  };
  std::map<std::string, std::size_t> wanted;
  for (const Label cluster : clusters) ++wanted[folded(safe_name(run.name(cluster)))];
  std::set<std::string> taken;
  std::map<Label, std::string> names;
  for (const Label cluster : clusters) {
    const std::string plain = safe_name(run.name(cluster));
    std::string name = wanted[folded(plain)] == 1 ? plain : fmt::format("{} ({})", plain, cluster);
    while (!taken.insert(folded(name)).second) name += "_";
    names.emplace(cluster, std::move(name));
  }
  return names;
}

/// Puts the folder into its place, once all that is in it is on the disk, unless something has come there meanwhile.
void put_into_place(const fs::path& folder, const fs::path& to) {
  if (const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); descriptor >= 0) {
    const bool synced = ::syncfs(descriptor) == 0;
    ::close(descriptor);
    if (!synced) throw run_error(fmt::format("cannot write {}: {}", to.string(), std::strerror(errno)));
  }
  if (::renameat2(AT_FDCWD, folder.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS)
    throw run_error(fmt::format("cannot write {}: {}", to.string(), std::strerror(errno)));
  fs::rename(folder, to);  // a file system that cannot promise as much
}

void write_folders(const EditedRun& run, fs::path to, bool copy) {
  if (!to.has_filename()) to = to.parent_path();  // "folders/"
  const auto images = run.open_input();
  const std::vector<std::size_t> numbers = run.numbers(*images);
  const std::map<Label, std::string> names = folder_names(run);
  const fs::path unfinished = unfinished_neighbour(to);
  try {
    fs::create_directories(to.parent_path());
    fs::create_directory(unfinished);
    std::set<fs::path> taken;
    for (const auto& [cluster, name] : names) fs::create_directory(unfinished / name);
    for (std::size_t row = 0; row < run.count(); ++row)
      put_image(run, *images, row, numbers[row], unfinished / names.at(run.label(row)), copy, taken);
    put_into_place(unfinished, to);
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(unfinished);
    throw Error(ErrorKind::failed, fmt::format("cannot write {}: {}", to.string(), error.code().message()));
  } catch (...) {
    fs::remove_all(unfinished);
    throw;
  }
}

}  // namespace

void export_run(const EditedRun& run, ExportForm form, const fs::path& to, bool copy) {
  if (fs::exists(to)) throw usage_error(fmt::format("{} is already there; name another with -o", to.string()));
  if (form == ExportForm::folders)
    write_folders(run, to, copy);
  else
    write_file(to, export_text(run, form));
}

std::string export_text(const EditedRun& run, ExportForm form) {
  return form == ExportForm::csv ? as_csv(run) : as_json(run);
}

}  // namespace pssc
