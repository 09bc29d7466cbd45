#include "checkpoints.hpp"

#include "names.hpp"

#include <pssc/core/sha256.hpp>
#include <pssc/core/spread.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

namespace pssc {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t format_version = 3;
constexpr const char* identity_name = "run.json";
constexpr std::string_view placed_prefix = "placed-";

/// What a signal handler can reach: the folder, to be removed where nothing is in it yet. Its name is known here before
/// it is made, so that no moment is left in which a signal finds it on the disk and not here.
struct Held {
  std::array<char, 4096> folder{};
  std::atomic<bool> there{false}, kept{false};
};
Held held;

void announce(const fs::path& folder) {
  const std::string name = folder.string();
  if (name.size() >= held.folder.size()) return;
  std::memcpy(held.folder.data(), name.c_str(), name.size() + 1);
  held.there.store(true);
}

/// A file in memory, as the system maps it.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (descriptor < 0) return;
    if (::fstat(descriptor, &about) == 0 && about.st_size > 0) {
      size_ = static_cast<std::size_t>(about.st_size);
      void* at = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (at != MAP_FAILED) data_ = static_cast<const char*>(at);
    }
    ::close(descriptor);
  }
  ~MappedFile() {
    if (data_) ::munmap(const_cast<char*>(data_), size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::string_view bytes() const { return data_ ? std::string_view(data_, size_) : std::string_view(); }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

std::uint64_t sum_of(std::string_view bytes) {
  Checksum sum;
  sum.add(bytes.data(), bytes.size());
  return sum.value();
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// All that decides a result; the number of threads does not.
std::string identity_of(const Context& context, const Parameters& parameters, const ImageSet& images) {
  Json options = Json::parse(parameters_json(parameters, images.size()));
  options["seed"] = context.seed();
  options["memory"] = context.memory;
  options["device"] = context.device() == Device::cuda ? "cuda" : "cpu";
  const Json identity = {{"program", fmt::format("pssc {}, format {}", version(), format_version)},
                         {"input",
                          {{"name", images.name()},
                           {"count", images.count()},
                           {"channels", images.channels()},
                           {"frame", name_of(images.frame())},
                           {"identity", images.identity()}}},
                         {"options", options}};
  return identity.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Why what is kept is of another run, in words.
std::string difference(const std::string& kept, const std::string& wanted) {
  const Json was = Json::parse(kept, nullptr, false), is = Json::parse(wanted);
  if (was.is_discarded() || !was.is_object() || !was.contains("options") || !was.contains("program"))
    return "what was kept is damaged";
  if (was["program"] != is["program"]) return "what was kept is of another version";
  if (was.value("input", Json()) != is["input"]) return "the input has changed";
  for (const auto& [option, value] : is["options"].items())
    if (was["options"].value(option, Json()) != value)
      return fmt::format("{} is now {}, and was {}", option, value.dump(), was["options"].value(option, Json()).dump());
  return "the options have changed";
}

bool is_stage_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name != identity_name && !name.starts_with('.');
}

bool any_stage(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (is_stage_file(entry.path())) return true;
  return false;
}

std::vector<std::string> placed_stages(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (std::string name = entry.path().filename().string(); name.starts_with(placed_prefix))
      names.push_back(std::move(name));
  return names;
}

/// What processes that were killed had not finished writing: nobody else is at work here.
void remove_unfinished(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (OutputFile::is_unfinished(entry.path())) paths.push_back(entry.path());
  for (const fs::path& path : paths) fs::remove(path, ignored);
}

template <class Archive>
void transfer(Archive& a, PlacedPart& part) {
  a(part.begin), a(part.end);
  transfer(a, part.placed.labels);
  transfer(a, part.placed.confidence);
  transfer(a, part.placed.outliers);
  transfer(a, part.placed.distances);
  transfer(a, part.positions);
  transfer(a, part.broken, [&](BrokenImage& b) { transfer(a, b); });
}

bool sound(const PlacedPart& part) {
  const std::size_t rows = part.placed.labels.size();
  return part.begin < part.end && rows + part.broken.size() == part.end - part.begin &&
         part.placed.confidence.size() == rows && part.placed.outliers.size() == rows &&
         (part.placed.distances.empty() || part.placed.distances.size() == rows) && part.positions.rows() == rows;
}

}  // namespace

Checkpoints::State::State(const fs::path& output, Say say_to, bool first_rank)
    : taken(output, first_rank), folder(output / ".partial"), say(std::move(say_to)), first_rank_(first_rank) {
  if (!first_rank_) return;
  announce(folder);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) attempt(folder.filename(), [&] { throw run_error(failed.message()); });
  remove_unfinished(output);
  remove_unfinished(folder);
}

Checkpoints::State::~State() {
  if (!first_rank_) return;
  if (!any_stage(folder)) remove_files(true);
  held.there.store(false);
  held.kept.store(false);
}

void Checkpoints::State::remove_files(bool all) {
  std::error_code ignored;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) paths.push_back(entry.path());
  for (const fs::path& path : paths) fs::remove(path, ignored);
  if (all) fs::remove(folder, ignored);
}

void Checkpoints::State::begin(const Context& context, const Parameters& parameters, const ImageSet& images) {
  identify(context, parameters, images);
  context.ranks().barrier();
}

void Checkpoints::State::identify(const Context& context, const Parameters& parameters, const ImageSet& images) {
  once(context, [&] { identity_ = identity_of(context, parameters, images); });
  broadcast(context, identity_);
  fingerprint_ = sha256_hex(identity_);
  if (!first_rank_) wrote_identity_ = true;
  if (!first_rank_) return;
  if (!any_stage(folder)) return;
  const std::string kept = text_of(folder / identity_name);
  if (kept != identity_) {
    tell(fmt::format("starting afresh: {}", difference(kept, identity_)));
    return remove_files(false);
  }
  wrote_identity_ = true;
  held.kept.store(true);
}

void Checkpoints::State::attempt(const std::string& what, const std::function<void()>& write) {
  try {
    if (!wrote_identity_ && !identity_.empty()) {
      write_file(folder / identity_name, identity_);
      wrote_identity_ = true;
    }
    write();
    if (!identity_.empty()) held.kept.store(true);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::failed) throw;
    if (!std::exchange(told_of_disk_, true))
      tell(fmt::format("{} cannot be kept ({}); the run goes on, but what is not kept cannot be continued", what,
                       error.what()));
  }
}

bool Checkpoints::State::load(const std::string& stage, const std::function<void(Reader&)>& read) {
  const fs::path path = folder / stage;
  const MappedFile file(path);
  const std::string_view all = file.bytes();
  std::error_code ignored;
  if (all.empty() && !fs::exists(path, ignored)) return false;
  try {
    std::uint64_t sum = 0;
    if (all.size() < sizeof sum) throw input_error("it is cut short");
    const std::string_view body = all.substr(0, all.size() - sizeof sum);
    std::memcpy(&sum, all.data() + body.size(), sizeof sum);
    if (sum_of(body) != sum) throw input_error("its checksum is wrong");
    Reader reader(body);
    head(reader);
    read(reader);
    if (!reader.done()) throw input_error("it holds more than it should");
    return true;
  } catch (const Error& error) {
    tell(fmt::format("{} cannot be used: {}; that stage is done again", path.string(), error.what()));
    fs::remove(path, ignored);
    return false;
  }
}

// ---- placed images: a file for every part, named after its first image ----------------------------------------------

std::vector<PlacedPart> Checkpoints::State::load_placed(std::size_t begin, std::size_t end) {
  std::vector<PlacedPart> parts;
  for (const std::string& stage : placed_stages(folder)) {
    const std::string_view number = std::string_view(stage).substr(placed_prefix.size());
    std::size_t first = 0;
    const auto [after, error] = std::from_chars(number.data(), number.data() + number.size(), first);
    if (error != std::errc{} || first < begin || first >= end) continue;  // another process places those
    PlacedPart part;
    const bool whole = load(stage, [&](Reader& file) {
      transfer(file, part);
      if (!sound(part)) throw input_error("its parts do not fit together");
    });
    if (whole && part.begin >= begin && part.end <= end) parts.push_back(std::move(part));
  }
  return parts;
}

void Checkpoints::State::save_placed(PlacedPart& part) {
  save(fmt::format("{}{}", placed_prefix, part.begin), [&](auto& archive) { transfer(archive, part); });
}

void Checkpoints::State::drop_placed() {
  std::error_code ignored;
  for (const std::string& stage : placed_stages(folder)) fs::remove(folder / stage, ignored);
}

void Checkpoints::State::finish() {
  if (!first_rank_) return;
  remove_files(true);
  held.there.store(false);
}

Checkpoints::Checkpoints(const fs::path& folder, Say say, bool first_rank)
    : state_(std::make_unique<State>(folder, std::move(say), first_rank)) {}

Checkpoints::~Checkpoints() = default;

void Checkpoints::finish() {
  state_->finish();
}

const RunFolder& Checkpoints::folder() const {
  return state_->taken;
}

bool Checkpoints::release_on_signal() noexcept {
  if (!held.there.load()) return false;
  rmdir(held.folder.data());  // where nothing has been kept yet
  return held.kept.load();
}

}  // namespace pssc
