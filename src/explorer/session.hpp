#pragma once

#include <pssc/core/folder_lock.hpp>
#include <pssc/edits.hpp>
#include <pssc/pipeline.hpp>
#include <pssc/report.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pssc::explorer {

/// What is asked for and answered while a run is explored, apart from HTTP. Text is JSON. Every call may come from any
/// thread. All throw Error: usage where the question makes no sense, input and failed as elsewhere.
class Session {
 public:
  explicit Session(const std::filesystem::path& folder);

  std::string page() const;  ///< the report's page, knowing that it is served

  std::string state() const;  ///< clusters with names and sizes, what can be undone, how much is reviewed
  std::string members(Label cluster, bool certain_first) const;
  std::string review(std::size_t count) const;                    ///< the least certain images not yet reviewed
  std::string about(const std::vector<std::size_t>& rows) const;  ///< what is known of images
  std::string find(const std::string& text) const;                ///< images by id: the same, then those that hold it
  std::vector<std::uint8_t> pictures(const std::vector<std::size_t>& rows, std::size_t columns) const;  ///< a WebP
  std::string labels_of_page() const;  ///< cluster of each image on the page, 16 bits each, little-endian
  std::string rows_of_page() const;    ///< row of each image on the page, 32 bits each, or nothing where they are equal

  std::string edit(const std::string& json);  ///< returns the new state, as do the next three
  std::string undo();
  std::string redo();
  std::string split(Label cluster, std::size_t parts);
  std::string progress() const;  ///< of a split under way

  std::string place(std::vector<std::uint8_t> file) const;  ///< where the model puts an image
  std::string exported(ExportForm form) const;              ///< csv or json
  std::string export_folders(bool copy) const;              ///< returns where they are

  static constexpr std::size_t most_pictures = 1024;  ///< at a time

 private:
  std::string state_unlocked() const;
  std::string describe(const std::vector<std::size_t>& rows) const;
  void require_rows(const std::vector<std::size_t>& rows) const;

  FolderLock lock_;  ///< two explorers would not see each other's edits, and a run would replace what is edited
  mutable std::mutex mutex_;  ///< of the run's edits
  EditedRun run_;
  PageData page_;
  std::unique_ptr<ImageSet> images_;
  std::vector<std::size_t> numbers_;              ///< of the input's images, a row each
  std::vector<std::optional<double>> stability_;  ///< of the run's own clusters
  bool plain_ids_ = true;                         ///< each row's id is its number

  std::mutex split_mutex_;
  mutable std::mutex progress_mutex_;
  std::string progress_stage_;
  double progress_share_ = 0;

  mutable std::mutex model_mutex_;
  mutable std::optional<Model> model_;
};

}  // namespace pssc::explorer
