#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace pssc::reproduction {

using Json = nlohmann::ordered_json;

/// Figures that are finished, a small file each, written whole: folder/NAME.json holds what it was made of and what
/// came out. A file made of something else, by another version or damaged counts as not there.
class Cells {
 public:
  /// With `compute` off nothing is computed: what is not kept is null.
  explicit Cells(std::filesystem::path folder, bool compute = true);
  bool compute() const { return compute_; }

  std::optional<Json> find(const std::string& name, const Json& made_of) const;
  /// What is kept, or else what `computed` gives, which is then kept.
  Json get(const std::string& name, const Json& made_of, const std::function<Json()>& computed) const;

  /// What all that is kept took to compute, whenever that was.
  double seconds() const;

 private:
  std::filesystem::path folder_;
  bool compute_;
};

}  // namespace pssc::reproduction
