#include "cuda/clustering.hpp"

#include <pssc/clustering.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>

#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

namespace pssc {

namespace {

constexpr std::size_t rows_per_block = 256;

/// The k smallest of `distances`, rising, ties by lower index, by insertion into a short sorted list.
void k_smallest(std::span<const float> distances, std::span<std::int32_t> indices, std::span<float> values) {
  std::ranges::fill(values, std::numeric_limits<float>::infinity());
  const std::size_t k = values.size();
  for (std::size_t j = 0; j < distances.size(); ++j) {
    if (!(distances[j] < values[k - 1])) continue;
    std::size_t at = k - 1;
    for (; at > 0 && distances[j] < values[at - 1]; --at) {
      values[at] = values[at - 1];
      indices[at] = indices[at - 1];
    }
    values[at] = distances[j];
    indices[at] = static_cast<std::int32_t>(j);
  }
}

constexpr std::size_t links = 32, build_beam = 200, search_beam = 128;  // of HNSW
// Recall on clustered features of 1,000 dimensions is 0.999 with these (tests/clustering).

}  // namespace

struct NeighbourIndex::State {
  FloatView points;
  std::vector<float> norms;
  std::unique_ptr<hnswlib::L2Space> space;
  std::unique_ptr<hnswlib::HierarchicalNSW<float>> graph;
};

NeighbourIndex::NeighbourIndex(Search search, FloatView points) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.points = points;
  if (search == Search::exact) {
    if (!points.on_device()) s.norms = squared_norms(points);
    return;
  }
  // On one thread, because the order of insertion decides the graph's shape.
  s.space = std::make_unique<hnswlib::L2Space>(points.cols());
  s.graph = std::make_unique<hnswlib::HierarchicalNSW<float>>(s.space.get(), points.rows(), links, build_beam);
  for (std::size_t j = 0; j < points.rows(); ++j) s.graph->addPoint(points.row(j).data(), j);
}

NeighbourIndex::~NeighbourIndex() = default;

Neighbours NeighbourIndex::nearest(const Context& context, std::size_t k, FloatView x) const {
  const State& s = *state_;
  if (k == 0 || k > s.points.rows())
    throw usage_error("cannot find " + std::to_string(k) + " neighbours among " + std::to_string(s.points.rows()) +
                      " points; lower --neighbours");
  if constexpr (with_cuda)
    if (x.on_device()) {
      if (!s.graph && k <= cuda::most_neighbours) return cuda::nearest(k, x, s.points);
      return nearest(context, k, copy_to(Place::host, x));  // HNSW, or very many, on the processor
    }
  Neighbours found{Matrix<std::int32_t>(x.rows(), k), FloatMatrix(x.rows(), k)};
  if (s.graph) s.graph->setEf(std::max(search_beam, 4 * k));
  parallel_blocks(context, x.rows(), rows_per_block, [&](std::size_t begin, std::size_t end) {
    if (!s.graph) {
      FloatMatrix distances(end - begin, s.points.rows());
      squared_distances(x.row_range(begin, end), s.points, s.norms, distances);
      for (std::size_t i = begin; i < end; ++i)
        k_smallest(distances.row(i - begin), found.indices.row(i), found.distances.row(i));
      return;
    }
    for (std::size_t i = begin; i < end; ++i) {
      auto queue = s.graph->searchKnn(x.row(i).data(), k);  // the farthest is on top
      for (std::size_t j = queue.size(); j-- > 0; queue.pop()) {
        found.indices(i, j) = static_cast<std::int32_t>(queue.top().second);
        found.distances(i, j) = queue.top().first;
      }
    }
  });
  return found;
}

Neighbours nearest(const Context& context, Search search, std::size_t k, FloatView x, FloatView points) {
  return NeighbourIndex(search, points).nearest(context, k, x);
}

}  // namespace pssc
