#pragma once

#include <pssc/clustering.hpp>
#include <pssc/images.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pssc {

/// One thing a person did to the clusters of a finished run.
struct Edit {
  enum class Kind {
    name,     ///< `cluster` is called `text`; nothing takes the name away
    merge,    ///< all images of `cluster` go to `to`
    move,     ///< `images` go to `to`, which may be a new cluster: the number after the last
    split,    ///< each of `parts` becomes a cluster of its own, numbered after the last; the rest of `cluster` stays
    confirm,  ///< `images` were looked at and lie right
  };
  Kind kind = Kind::name;
  Label cluster = 0, to = 0;
  std::vector<std::size_t> images;              ///< rows of labels.csv, from 0
  std::vector<std::vector<std::size_t>> parts;  ///< likewise
  std::string text;
};

/// An edit as a line of the journal. `edit_from_json` throws Error(usage) where the text is none.
std::string edit_to_json(const Edit& edit);
Edit edit_from_json(const std::string& text);

/// The clusters of a run as they are after a person's edits. The run's own files are never changed: edits lie beside
/// them in `edits.jsonl`, one a line, on the disk before `apply` returns. A line that was cut short by a kill is passed
/// over. The first line says to which labels the edits belong.
class EditedRun {
 public:
  /// Throws Error(input) where the folder holds no finished run.
  explicit EditedRun(std::filesystem::path folder);

  /// Throws Error(usage) where there is no such cluster or image; as the next two, Error(failed) where the run's labels
  /// or edits are no longer those that were read, and then keeps nothing.
  void apply(const Edit& edit);
  bool undo();  ///< false where there is nothing to undo
  bool redo();
  bool can_undo() const { return done_ > 0; }
  bool can_redo() const { return done_ < edits_.size(); }

  std::size_t count() const { return ids_.size(); }
  const std::string& id(std::size_t row) const { return ids_[row]; }
  Label label(std::size_t row) const { return labels_[row]; }
  Label original(std::size_t row) const { return original_[row]; }  ///< before any edit
  float confidence(std::size_t row) const { return confidence_[row]; }
  bool outlier(std::size_t row) const { return outliers_[row] != 0; }
  bool reviewed(std::size_t row) const { return reviewed_[row] != 0; }  ///< a person has confirmed or moved it
  std::size_t clusters() const { return clusters_; }  ///< numbers in use lie below this; merged ones are empty
  const std::map<Label, std::string>& names() const { return names_; }
  /// The name, or "cluster 3".
  std::string name(Label cluster) const;
  /// Where most images of one of the run's own clusters lie now; the cluster itself where it has none.
  Label now(Label original) const;
  /// Names for the run's own clusters 0 .. clusters-1, as a model knows them: that of where each lies now, or none.
  std::vector<std::string> names_of_run(std::size_t clusters) const;
  const std::filesystem::path& folder() const { return folder_; }
  const std::string& fingerprint() const { return fingerprint_; }  ///< SHA-256 of labels.csv

  /// The images themselves, opened as the run opened them. Throws Error(input) where they are no longer there.
  std::unique_ptr<ImageSet> open_input() const;
  /// Which of the input's images a row is: broken ones have no row.
  std::vector<std::size_t> numbers(const ImageSet& images) const;

 private:
  void read_labels_file();
  void read_journal();
  void begin_anew();
  void replay();
  void check(const Edit& edit) const;
  void change(const Edit& edit);
  void write_line(const std::string& line);
  void require_unchanged();

  std::filesystem::path folder_;
  std::vector<std::string> ids_;
  std::vector<Label> original_, labels_;
  std::vector<float> confidence_;
  std::vector<std::uint8_t> outliers_, reviewed_;
  std::string fingerprint_;
  /// What tells that a file is still the one that was read.
  struct Version {
    std::uint64_t file = 0, size = 0, seconds = 0, nanoseconds = 0;
    bool operator==(const Version&) const = default;
  };
  static Version version_of(const std::filesystem::path& path);
  Version labels_version_;
  std::uint64_t journal_size_ = 0;  ///< of all edits that were read or written here
  std::size_t original_clusters_ = 0, clusters_ = 0;
  std::map<Label, std::string> names_;
  std::vector<Edit> edits_;  ///< done, and behind `done_` undone
  std::size_t done_ = 0;
};

enum class ExportForm { csv, json, folders };

/// Writes the clusters with their names, whole or not at all: a csv (id, cluster, name, confidence, outlier), a json,
/// or a folder a cluster with links to the images (copies where `copy`; pictures of them where they lie in an array).
/// Throws Error(usage) where `to` is already there.
void export_run(const EditedRun& run, ExportForm form, const std::filesystem::path& to, bool copy);

/// The csv or the json as text.
std::string export_text(const EditedRun& run, ExportForm form);

}  // namespace pssc
