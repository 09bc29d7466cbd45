#pragma once

#include "cells.hpp"
#include "methods.hpp"

#include <pssc/core/context.hpp>
#include <pssc/images.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pssc::reproduction {

/// A clustering that a table needs.
struct Wanted {
  std::string dataset, method;
  std::uint64_t seed = 0;
};

/// Where figures are computed: the data sets that are here, opened once, and the cells.
class Workshop {
 public:
  Workshop(const Context& context, const Cells& cells, std::function<void(const std::string&)> told);

  const Cells& cells() const { return cells_; }
  const Context& context() const { return context_; }
  Context with_seed(std::uint64_t seed) const;
  void tell(const std::string& line) const;

  bool has(const std::string& dataset) const;
  std::size_t count(const std::string& dataset) const;  ///< images of it, whether it is here or not
  const ImageSet& images(const std::string& dataset);

  /// Clusters what is not there yet, in an order that lets neighbours share features. What has no data is passed over.
  void cluster(std::vector<Wanted> wanted);
  /// Accuracy, purity, NMI, ARI and seconds of a clustering; nothing where there is no data.
  std::optional<Json> clustered(const Wanted& wanted) const;
  /// The same for each seed.
  std::vector<Json> clustered(const std::string& dataset, const std::string& method, std::size_t seeds) const;

 private:
  /// The principal components of a set's features, and how long they took from pixels on.
  struct Coordinates {
    std::string of;
    FloatMatrix points;
    double seconds = 0;
  };
  const Coordinates& coordinates(const Wanted& wanted, const Parameters& parameters);
  Json compute(const Wanted& wanted, const Method& method);

  const Context& context_;
  const Cells& cells_;
  std::function<void(const std::string&)> told_;
  std::map<std::string, std::unique_ptr<ImageSet>> open_;
  Coordinates coordinates_;  ///< the last ones
};

}  // namespace pssc::reproduction
