#include <pssc/core/csv.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/sha256.hpp>
#include <pssc/edits.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace pssc {

namespace {

using Json = nlohmann::json;

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw input_error(fmt::format("{} is not there; is its folder that of a finished run?", path.string()));
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Number>
Number number_from(const CsvRecord& record, std::size_t field, const std::string& where) {
  Number value{};
  const std::string& text = record.fields[field];
  const auto end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, value); read.ec != std::errc() || read.ptr != end)
    throw input_error(fmt::format("{}: line {} does not hold a label; the file is damaged", where, record.line));
  return value;
}

constexpr const char* kinds[] = {"name", "merge", "move", "split", "confirm"};

/// The first line of a journal.
std::string journal_head(const std::string& fingerprint) {
  return Json{{"do", "begin"}, {"labels", fingerprint}}.dump();
}

/// The library would take 1e30 for a number that fits, and 2.5 for 2.
template <class T>
T whole_number(const Json& value) {
  const bool fits = value.is_number_unsigned()
                        ? std::in_range<T>(value.get<std::uint64_t>())
                        : value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
  if (!fits) throw Json::type_error::create(302, "no whole number, or too large", &value);
  return value.get<T>();
}

template <class T>
T whole_number_in(const Json& object, const char* key, T otherwise) {
  return object.contains(key) ? whole_number<T>(object[key]) : otherwise;
}

std::vector<std::size_t> images_in(const Json& list) {
  std::vector<std::size_t> images;
  for (const Json& image : list) images.push_back(whole_number<std::size_t>(image));
  return images;
}

Edit from_json(const Json& line) {
  const auto kind = std::ranges::find(kinds, line.at("do").get<std::string>());
  if (kind == std::end(kinds)) throw usage_error("there is no such edit");
  Edit edit;
  edit.kind = static_cast<Edit::Kind>(kind - std::begin(kinds));
  edit.cluster = whole_number_in<Label>(line, "cluster", 0);
  edit.to = whole_number_in<Label>(line, "to", 0);
  edit.text = line.value("name", std::string());
  edit.images = images_in(line.value("images", Json::array()));
  for (const Json& part : line.value("parts", Json::array())) edit.parts.push_back(images_in(part));
  return edit;
}

}  // namespace

std::string edit_to_json(const Edit& edit) {
  Json line = {{"do", kinds[static_cast<int>(edit.kind)]}};
  switch (edit.kind) {
    case Edit::Kind::name:
      line.update({{"cluster", edit.cluster}, {"name", edit.text}});
      break;
    case Edit::Kind::merge:
      line.update({{"cluster", edit.cluster}, {"to", edit.to}});
      break;
    case Edit::Kind::move:
      line.update({{"to", edit.to}, {"images", edit.images}});
      break;
    case Edit::Kind::split:
      line.update({{"cluster", edit.cluster}, {"parts", edit.parts}});
      break;
    case Edit::Kind::confirm:
      line["images"] = edit.images;
      break;
  }
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Edit edit_from_json(const std::string& text) {
  try {
    return from_json(Json::parse(text));
  } catch (const Json::exception&) {
    throw usage_error(
        "the edit cannot be read; it must be one JSON object such as {\"do\":\"merge\",\"cluster\":1,\"to\":0}");
  }
}

EditedRun::EditedRun(std::filesystem::path folder) : folder_(std::move(folder)) {
  read_labels_file();
  read_journal();
}

void EditedRun::read_labels_file() {
  const std::filesystem::path path = folder_ / "labels.csv";
  const std::string where = path.string();
  labels_version_ = version_of(path);
  const std::string text = read_text(path);
  fingerprint_ = sha256_hex(text);
  const std::vector<CsvRecord> records = parse_csv(text, where);
  if (records.empty() || records[0].fields != std::vector<std::string>{"id", "cluster", "confidence", "outlier"})
    throw input_error(where + " is no file of labels; the folder must be that of a finished run");
  for (std::size_t r = 1; r < records.size(); ++r) {
    if (records[r].fields.size() != 4)
      throw input_error(fmt::format("{}: line {} has {} fields, not 4; the file is damaged", where, records[r].line,
                                    records[r].fields.size()));
    ids_.push_back(records[r].fields[0]);
    original_.push_back(number_from<Label>(records[r], 1, where));
    if (original_.back() < noise_label || std::cmp_greater_equal(original_.back(), records.size() - 1))
      throw input_error(fmt::format("{}: line {} names cluster {}, but there are only {} images; the file is damaged",
                                    where, records[r].line, original_.back(), records.size() - 1));
    confidence_.push_back(number_from<float>(records[r], 2, where));
    outliers_.push_back(static_cast<std::uint8_t>(number_from<int>(records[r], 3, where)));
    original_clusters_ = std::max(original_clusters_, static_cast<std::size_t>(original_.back() + 1));
  }
  begin_anew();
}

void EditedRun::begin_anew() {
  labels_ = original_;
  clusters_ = original_clusters_;
  names_.clear();
  reviewed_.assign(count(), 0);
}

void EditedRun::read_journal() {
  const std::filesystem::path path = folder_ / "edits.jsonl";
  if (!std::filesystem::exists(path)) return;
  const std::string text = read_text(path);
  journal_size_ = text.size();
  try {
    // What follows the last line's end was cut short: `apply` had not returned.
    for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const Json line = Json::parse(text.substr(begin, end - begin), nullptr, false);
      if (line.is_discarded()) continue;  // a line cut short, ended by the next edit
      if (line.at("do") == "begin") {
        if (line.at("labels") != fingerprint_) throw input_error("its edits are of other labels");
      } else if (line.at("do") == "undo") {
        done_ -= done_ > 0;
      } else if (line.at("do") == "redo") {
        done_ += done_ < edits_.size();
      } else {
        edits_.resize(done_);
        edits_.push_back(from_json(line));
        ++done_;
      }
    }
    replay();
  } catch (const std::exception& error) {
    throw input_error(
        fmt::format("{} does not fit this run ({}); move it away to go on without edits", path.string(), error.what()));
  }
}

void EditedRun::replay() {
  begin_anew();
  for (std::size_t i = 0; i < done_; ++i) {
    check(edits_[i]);
    change(edits_[i]);
  }
}

void EditedRun::check(const Edit& edit) const {
  const auto require = [&](Label cluster, std::size_t below) {
    if (cluster < 0 || static_cast<std::size_t>(cluster) >= below)
      throw usage_error(fmt::format("there is no cluster {}; they are 0 to {}", cluster, clusters_ - 1));
  };
  const auto require_images = [&](const std::vector<std::size_t>& rows) {
    for (const std::size_t row : rows)
      if (row >= count()) throw usage_error(fmt::format("there is no image {}; they are 0 to {}", row, count() - 1));
  };
  const Edit::Kind kind = edit.kind;
  if (kind == Edit::Kind::name || kind == Edit::Kind::merge || kind == Edit::Kind::split)
    require(edit.cluster, clusters_);
  if (kind == Edit::Kind::merge) require(edit.to, clusters_);
  if (kind == Edit::Kind::move) require(edit.to, clusters_ + 1);
  if (kind == Edit::Kind::merge && edit.cluster == edit.to)
    throw usage_error(fmt::format("cluster {} cannot be merged with itself", edit.to));
  require_images(edit.images);
  for (const auto& part : edit.parts) {
    require_images(part);
    if (std::ranges::any_of(part, [&](std::size_t row) { return labels_[row] != edit.cluster; }))
      throw usage_error(fmt::format("a part of cluster {} holds images of another cluster", edit.cluster));
  }
}

void EditedRun::change(const Edit& edit) {
  switch (edit.kind) {
    case Edit::Kind::name:
      if (edit.text.empty())
        names_.erase(edit.cluster);
      else
        names_[edit.cluster] = edit.text;
      break;
    case Edit::Kind::merge:
      std::ranges::replace(labels_, edit.cluster, edit.to);
      break;
    case Edit::Kind::move:
      for (const std::size_t row : edit.images) {
        labels_[row] = edit.to;
        reviewed_[row] = 1;
      }
      clusters_ = std::max(clusters_, static_cast<std::size_t>(edit.to) + 1);
      break;
    case Edit::Kind::split:
      for (const auto& part : edit.parts) {
        for (const std::size_t row : part) labels_[row] = static_cast<Label>(clusters_);
        ++clusters_;
      }
      break;
    case Edit::Kind::confirm:
      for (const std::size_t row : edit.images) reviewed_[row] = 1;
      break;
  }
}

EditedRun::Version EditedRun::version_of(const std::filesystem::path& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return {};
  return {about.st_ino, static_cast<std::uint64_t>(about.st_size), static_cast<std::uint64_t>(about.st_mtim.tv_sec),
          static_cast<std::uint64_t>(about.st_mtim.tv_nsec)};
}

/// Whoever copies another run into the folder does not ask for its lock.
void EditedRun::require_unchanged() {
  const std::filesystem::path labels = folder_ / "labels.csv";
  const Version now = version_of(labels);
  const bool same = now == labels_version_ || (now.file != 0 && sha256_of_file(labels) == fingerprint_);
  if (!same || version_of(folder_ / "edits.jsonl").size != journal_size_)
    throw run_error(
        fmt::format("{} has changed since this run was opened, so the edit was not kept; open the run again",
                    same ? (folder_ / "edits.jsonl").string() : labels.string()));
  labels_version_ = now;
}

void EditedRun::write_line(const std::string& line) {
  require_unchanged();
  const std::filesystem::path path = folder_ / "edits.jsonl";
  // A link in a folder that somebody else made may lead anywhere.
  const int descriptor = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
  const off_t size = descriptor < 0 ? 0 : ::lseek(descriptor, 0, SEEK_END);
  const auto fail = [&] {
    const std::string reason = std::strerror(errno);
    if (descriptor >= 0) {
      static_cast<void>(!::ftruncate(descriptor, size));  // nothing of an edit that is not kept
      ::close(descriptor);
    }
    throw Error(ErrorKind::failed, fmt::format("cannot write {}: {}", path.string(), reason));
  };
  if (descriptor < 0 || size < 0) fail();
  // A line that was cut short must not swallow this one.
  char last = '\n';
  if (size > 0 && ::pread(descriptor, &last, 1, size - 1) != 1) fail();
  const std::string before = size == 0 ? journal_head(fingerprint_) + "\n" : last == '\n' ? "" : "\n";
  const std::string bytes = before + line + "\n";
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t wrote = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno != EINTR) fail();
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
  }
  if (::fsync(descriptor) != 0) fail();
  journal_size_ = static_cast<std::uint64_t>(size) + bytes.size();
  ::close(descriptor);
}

void EditedRun::apply(const Edit& edit) {
  check(edit);
  write_line(edit_to_json(edit));
  edits_.resize(done_);
  edits_.push_back(edit);
  ++done_;
  change(edit);
}

bool EditedRun::undo() {
  if (done_ == 0) return false;
  write_line(R"({"do":"undo"})");
  --done_;
  replay();
  return true;
}

bool EditedRun::redo() {
  if (done_ == edits_.size()) return false;
  write_line(R"({"do":"redo"})");
  change(edits_[done_++]);
  return true;
}

std::string EditedRun::name(Label cluster) const {
  const auto found = names_.find(cluster);
  return found != names_.end() ? found->second : cluster < 0 ? "no cluster" : fmt::format("cluster {}", cluster);
}

Label EditedRun::now(Label original) const {
  std::map<Label, std::size_t> counts;
  for (std::size_t r = 0; r < count(); ++r)
    if (original_[r] == original) ++counts[labels_[r]];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? original : most->first;
}

std::vector<std::string> EditedRun::names_of_run(std::size_t clusters) const {
  std::vector<std::string> names(names_.empty() ? 0 : clusters);
  for (std::size_t c = 0; c < names.size(); ++c)
    if (const auto found = names_.find(now(static_cast<Label>(c))); found != names_.end()) names[c] = found->second;
  return names;
}

std::unique_ptr<ImageSet> EditedRun::open_input() const {
  const std::string text = read_text(folder_ / "summary.json");
  ImageParams params;
  std::string name;
  try {
    const Json summary = Json::parse(text);
    const Json &input = summary.at("input"), &parameters = summary.at("parameters");
    params.size = whole_number_in(parameters, "size", params.size);
    params.colour = input.value("channels", Json()) == 3 ? Colour::channels : Colour::grey;
    params.frame = input.value("frame", Json()) == "none" ? Frame::none : Frame::black;
    params.seed = whole_number_in<std::uint64_t>(summary, "seed", 0);
    // The run was asked to read what is over these limits.
    params.limits.pixels = whole_number_in(parameters, "max_pixels", params.limits.pixels);
    params.limits.unfolded = whole_number_in(parameters, "max_unfolded", params.limits.unfolded);
    params.limits.follow_links = parameters.value("follow_links", params.limits.follow_links);
    const bool has_path = input.contains("path") && input.at("path").is_string();
    name = input.at(has_path ? "path" : "name").get<std::string>();
  } catch (const Json::exception&) {
    throw input_error((folder_ / "summary.json").string() + " is damaged; run pssc cluster again");
  }
  return open_images(name, params);
}

std::vector<std::size_t> EditedRun::numbers(const ImageSet& images) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < images.count() && found.size() < count(); ++i)
    if (images.id(i) == ids_[found.size()]) found.push_back(i);
  if (found.size() != count())
    throw input_error(
        fmt::format("{} no longer holds the images of this run, {} for instance", images.name(), ids_[found.size()]));
  return found;
}

}  // namespace pssc
