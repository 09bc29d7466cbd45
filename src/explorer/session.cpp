#include "session.hpp"

#include "split.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace pssc::explorer {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t tile = 48;  // pixels of a thumbnail, at most
constexpr std::size_t most_found = 200;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const fs::path& existing(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw input_error(folder.string() + " is no folder; give one that pssc cluster -o wrote");
  return folder;
}

PageData page_data_of(const EditedRun& run) {
  const fs::path path = run.folder() / "explore.pssc";
  PageData page = PageData::read(path);
  if (page.labels_sum != run.fingerprint() || (!page.rows.empty() && page.rows.back() >= run.count()))
    throw input_error(fmt::format("{} and labels.csv are not of one run; run pssc cluster -o again", path.string()));
  return page;
}

/// Of the run's own clusters; none where it has not been measured.
std::vector<std::optional<double>> stability_in(const PageData& page) {
  std::vector<std::optional<double>> stability;
  const Json data = Json::parse(page.json);
  for (const Json& cluster : data["clusters"]) {
    const auto value = cluster.find("stability");
    const bool known = value != cluster.end() && value->is_number();
    stability.push_back(known ? std::optional(value->get<double>()) : std::nullopt);
  }
  return stability;
}

template <class Number>
void append_number(std::string& bytes, Number value) {
  for (std::size_t b = 0; b < sizeof(Number); ++b) bytes += static_cast<char>(value >> (8 * b) & 255);
}

}  // namespace

Session::Session(const fs::path& folder)
    : lock_(existing(folder), FolderLock::Use::explore),
      run_(folder),
      page_(page_data_of(run_)),
      images_(run_.open_input()),
      numbers_(run_.numbers(*images_)),
      stability_(stability_in(page_)) {
  for (std::size_t r = 0; plain_ids_ && r < run_.count(); ++r) plain_ids_ = run_.id(r) == std::to_string(r);
}

std::string Session::page() const {
  return explorer_page(page_, "pssc-explore", text_of({{"tile", std::min(tile, images_->size())}}));
}

// ---- looking -------------------------------------------------------------------------------------------------------

std::string Session::state() const {
  const std::lock_guard lock(mutex_);
  return state_unlocked();
}

std::string Session::state_unlocked() const {
  struct Tally {
    std::size_t size = 0, reviewed = 0, outliers = 0;
    double confidence = 0;
    bool changed = false;  ///< holds other images than the run put there
  };
  std::map<Label, Tally> tallies;
  std::size_t reviewed = 0;
  for (std::size_t r = 0; r < run_.count(); ++r) {
    Tally& t = tallies[run_.label(r)];
    ++t.size;
    t.reviewed += run_.reviewed(r);
    t.outliers += run_.outlier(r);
    t.confidence += double{run_.confidence(r)};
    reviewed += run_.reviewed(r);
    if (run_.label(r) != run_.original(r)) tallies[run_.original(r)].changed = t.changed = true;
  }
  std::erase_if(tallies, [](const auto& entry) { return entry.second.size == 0; });
  const auto stability_of = [&](Label id, bool changed) -> Json {
    if (changed || id < 0 || static_cast<std::size_t>(id) >= stability_.size()) return nullptr;
    const auto& known = stability_[static_cast<std::size_t>(id)];
    return known ? Json(*known) : Json(nullptr);
  };
  Json clusters = Json::array();
  for (const auto& [id, t] : tallies) {
    const auto name = run_.names().find(id);
    clusters.push_back({{"id", id},
                        {"name", name == run_.names().end() ? Json(nullptr) : Json(name->second)},
                        {"size", t.size},
                        {"confidence", t.confidence / static_cast<double>(t.size)},
                        {"outliers", t.outliers},
                        {"stability", stability_of(id, t.changed)},
                        {"reviewed", t.reviewed}});
  }
  return text_of({{"count", run_.count()},
                  {"clusters", clusters},
                  {"next", run_.clusters()},
                  {"reviewed", reviewed},
                  {"undo", run_.can_undo()},
                  {"redo", run_.can_redo()}});
}

std::string Session::members(Label cluster, bool certain_first) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < run_.count(); ++r)
    if (run_.label(r) == cluster) rows.push_back(r);
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
    return certain_first ? run_.confidence(a) > run_.confidence(b) : run_.confidence(a) < run_.confidence(b);
  });
  Json confidence = Json::array(), ids = nullptr;
  for (const std::size_t r : rows) {
    confidence.push_back(std::lround(run_.confidence(r) * 1000));
    if (!plain_ids_) ids.push_back(run_.id(r));
  }
  return text_of({{"rows", rows}, {"confidence", confidence}, {"ids", ids}});
}

std::string Session::review(std::size_t count) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < run_.count(); ++r)
    if (!run_.reviewed(r)) rows.push_back(r);
  count = std::min(count, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end(),
                    [&](std::size_t a, std::size_t b) {
                      return run_.confidence(a) != run_.confidence(b) ? run_.confidence(a) < run_.confidence(b) : a < b;
                    });
  const std::size_t left = rows.size();
  rows.resize(count);
  return text_of({{"left", left}, {"images", Json::parse(describe(rows))}});
}

std::string Session::about(const std::vector<std::size_t>& rows) const {
  require_rows(rows);
  const std::lock_guard lock(mutex_);
  return describe(rows);
}

std::string Session::describe(const std::vector<std::size_t>& rows) const {
  Json list = Json::array();
  for (const std::size_t r : rows) {
    Json truth = nullptr;
    if (const auto& labels = images_->labels())
      truth = labels->names[static_cast<std::size_t>(labels->values[numbers_[r]])];
    list.push_back({{"row", r},
                    {"id", run_.id(r)},
                    {"cluster", run_.label(r)},
                    {"confidence", run_.confidence(r)},
                    {"outlier", run_.outlier(r)},
                    {"reviewed", run_.reviewed(r)},
                    {"truth", truth}});
  }
  return text_of(list);
}

std::string Session::find(const std::string& text) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::size_t> same, holding;
  for (std::size_t r = 0; r < run_.count() && !text.empty(); ++r) {
    if (run_.id(r) == text)
      same.push_back(r);
    else if (holding.size() < most_found && run_.id(r).find(text) != std::string::npos)
      holding.push_back(r);
  }
  same.insert(same.end(), holding.begin(), holding.end());
  return describe(same);
}

std::vector<std::uint8_t> Session::pictures(const std::vector<std::size_t>& rows, std::size_t columns) const {
  require_rows(rows);
  if (rows.empty() || rows.size() > most_pictures || columns == 0 || columns > most_pictures)
    throw usage_error(fmt::format("pictures are given 1 to {} at a time", most_pictures));
  std::vector<std::size_t> which;
  for (const std::size_t r : rows) which.push_back(numbers_[r]);
  return thumbnail_sheet(*images_, which, columns, std::min(tile, images_->size()));
}

std::string Session::labels_of_page() const {
  const std::lock_guard lock(mutex_);
  std::string bytes;
  for (const std::size_t r : page_.rows) {
    const Label label = run_.label(r);
    append_number(bytes, static_cast<std::uint16_t>(label < 0 || label > 65534 ? 65535 : label));
  }
  return bytes;
}

std::string Session::rows_of_page() const {
  std::string bytes;
  if (page_.rows.size() == run_.count()) return bytes;
  for (const std::uint32_t r : page_.rows) append_number(bytes, r);
  return bytes;
}

void Session::require_rows(const std::vector<std::size_t>& rows) const {
  for (const std::size_t r : rows)
    if (r >= run_.count())
      throw usage_error(fmt::format("there is no image {}; they are 0 to {}", r, run_.count() - 1));
}

// ---- changing ------------------------------------------------------------------------------------------------------

std::string Session::edit(const std::string& json) {
  const Edit edit = edit_from_json(json);
  const std::lock_guard lock(mutex_);
  run_.apply(edit);
  return state_unlocked();
}

std::string Session::undo() {
  const std::lock_guard lock(mutex_);
  run_.undo();
  return state_unlocked();
}

std::string Session::redo() {
  const std::lock_guard lock(mutex_);
  run_.redo();
  return state_unlocked();
}

std::string Session::split(Label cluster, std::size_t parts) {
  const std::unique_lock alone(split_mutex_, std::try_to_lock);
  if (!alone) throw usage_error("another cluster is being split; wait for it to end");
  std::vector<std::size_t> rows, numbers;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t r = 0; r < run_.count(); ++r)
      if (run_.label(r) == cluster) rows.push_back(r);
  }
  if (parts < 2 || parts > rows.size())
    throw usage_error(
        fmt::format("cluster {} has {} images and cannot be split into {} parts", cluster, rows.size(), parts));
  for (const std::size_t r : rows) numbers.push_back(numbers_[r]);

  Context context;
  context.progress = [this](const Progress& progress) {
    const std::lock_guard lock(progress_mutex_);
    progress_stage_ = progress.stage;
    progress_share_ = progress.total ? static_cast<double>(progress.done) / static_cast<double>(progress.total) : 0;
  };
  const auto positions = split_images(context, *images_, numbers, parts);
  Edit edit{.kind = Edit::Kind::split, .cluster = cluster};
  for (std::size_t p = 1; p < positions.size(); ++p) {
    auto& part = edit.parts.emplace_back();
    for (const std::size_t i : positions[p]) part.push_back(rows[i]);
  }
  const std::lock_guard lock(mutex_);
  run_.apply(edit);
  return state_unlocked();
}

std::string Session::progress() const {
  const std::lock_guard lock(progress_mutex_);
  return text_of({{"stage", progress_stage_}, {"share", progress_share_}});
}

// ---- a new image, and the way out ----------------------------------------------------------------------------------

std::string Session::place(std::vector<std::uint8_t> file) const {
  const std::lock_guard model_lock(model_mutex_);
  if (!model_) model_ = Model::load(run_.folder() / "model.pssc");
  const auto image = image_from_bytes(std::move(file), "this image", model_->image_params());
  Json answer;
  const auto broken = model_->predict(Context(1), *image, [&](const Clustering& placed, std::span<const std::size_t>) {
    answer = {
        {"cluster", placed.labels[0]}, {"confidence", placed.confidence[0]}, {"outlier", placed.outliers[0] != 0}};
  });
  if (!broken.empty()) throw input_error(fmt::format("this image cannot be read: {}", broken[0].reason));
  const std::lock_guard lock(mutex_);
  answer["cluster"] = run_.now(answer["cluster"].get<Label>());
  return text_of(answer);
}

std::string Session::exported(ExportForm form) const {
  const std::lock_guard lock(mutex_);
  return export_text(run_, form);
}

std::string Session::export_folders(bool copy) const {
  fs::path to = run_.folder() / "folders";
  for (int i = 2; fs::exists(to); ++i) to = run_.folder() / fmt::format("folders-{}", i);
  const std::lock_guard lock(mutex_);
  export_run(run_, ExportForm::folders, to, copy);
  return text_of({{"path", fs::absolute(to).string()}});
}

}  // namespace pssc::explorer
