#include "fits.hpp"

#include <pssc/core/random.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <cmath>

namespace pssc {

namespace {

constexpr std::size_t starts = 5;  // of the k-means on an embedding

/// What one fit draws. The ranges are a factor of two or three around values that do well on their own.
struct Settings {
  std::size_t dims = 0;
  double whitening_ridge = 0;
  USpecParams graph;
  std::vector<double> weights;  ///< of the kinds of change

  Settings(Random random, const Parameters& p, std::size_t d, std::size_t images, std::size_t clusters,
           std::size_t kinds) {
    dims = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::lround(static_cast<double>(d) * power(random, 2, -1, 0))));
    whitening_ridge = p.tuning.whitening_ridge * power(random, 3, -1, 1);
    Parameters own = p;
    own.representatives = scaled(p.representatives, power(random, 2, -1, 0.5));
    own.neighbours =
        std::max<std::size_t>(std::min<std::size_t>(p.neighbours, 2), scaled(p.neighbours, power(random, 1.6, -1, 1)));
    graph = graph_params(own, images, clusters);
    for (std::size_t k = 0; k < kinds; ++k) weights.push_back(-std::log(1 - random.uniform()));
  }

 private:
  static double power(Random& random, double base, double low, double high) {
    return std::pow(base, random.uniform(low, high));
  }
  static std::size_t scaled(std::size_t value, double factor) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(static_cast<double>(value) * factor)));
  }
};

/// The leading part of a covariance, in as many dimensions.
Matrix<double> leading_block(const Matrix<double>& m, std::size_t dims) {
  Matrix<double> block(dims, dims);
  for (std::size_t i = 0; i < dims; ++i) std::ranges::copy(m.row(i).first(dims), block.row(i).begin());
  return block;
}

/// counts(a, b): rows of all ranks in cluster a of one clustering and b of the other.
Matrix<std::int64_t> overlaps(const Context& context, const std::vector<Label>& one, const std::vector<Label>& other,
                              std::size_t clusters) {
  Matrix<std::int64_t> counts(clusters, clusters);
  for (std::size_t i = 0; i < one.size(); ++i)
    ++counts(static_cast<std::size_t>(one[i]), static_cast<std::size_t>(other[i]));
  context.ranks().sum({counts.data(), counts.size()});
  return counts;
}

}  // namespace

USpecParams graph_params(const Parameters& p, std::size_t images, std::size_t clusters) {
  constexpr std::size_t images_each = 5, per_cluster = 10, candidates_each = 5;
  const std::size_t wanted = std::max(std::min(p.representatives, images / images_each), per_cluster * clusters);
  USpecParams params{.clusters = clusters, .search = p.search, .lloyd_iterations = 10};
  params.representatives = std::max(std::min(wanted, images / 2), std::min(clusters, images));
  // Not all images: each fit is to see others.
  params.candidates = std::clamp(candidates_each * params.representatives, params.representatives,
                                 std::max(params.representatives, images * 4 / 5));
  params.neighbours = std::min(p.neighbours, params.representatives);
  return params;
}

Fits fit_several(const Context& context, const Parameters& p, FloatView y, const Nuisance& nuisance,
                 std::size_t clusters) {
  constexpr std::uint64_t stream = 0x66697473;
  const std::size_t n = sum_of_all(context, y.rows());
  Fits fits;
  for (std::size_t f = 0; f < p.tuning.fits; ++f) {
    context.report("clusterings", f, p.tuning.fits);
    const Context own = context.reseeded(stream + f);
    const Settings settings(Random(own.seed(), stream), p, y.cols(), n, clusters, nuisance.covariances.size());
    const FloatView leading = y.col_range(0, settings.dims);
    FloatMatrix whitened;
    if (!nuisance.empty()) {
      const Whitening whitening = whitening_of(own, leading_block(nuisance.covariance(settings.weights), settings.dims),
                                               settings.whitening_ridge);
      whitened = whiten(own, whitening, leading);
    }
    const ReducedGraph graph = reduce_graph(own, settings.graph, nuisance.empty() ? leading : FloatView(whitened),
                                            std::max(p.k_most, clusters) + 1);
    fits.labels.push_back(cut_graph(own, graph, clusters, starts).labels);
    if (f == 0) fits.eigenvalues = graph.eigenvalues;
  }
  return fits;
}

FloatMatrix votes_of(const Context& context, const Fits& fits, const std::vector<Label>& labels, std::size_t clusters) {
  FloatMatrix votes(labels.size(), clusters);
  const float one = 1 / static_cast<float>(fits.labels.size());
  for (const std::vector<Label>& fit : fits.labels) {
    const std::vector<std::ptrdiff_t> match = best_assignment(overlaps(context, fit, labels, clusters));
    for (std::size_t i = 0; i < labels.size(); ++i)
      votes(i, static_cast<std::size_t>(match[static_cast<std::size_t>(fit[i])])) += one;
  }
  return votes;
}

std::vector<double> stability_of(const Context& context, const Fits& fits, const std::vector<Label>& labels,
                                 std::size_t clusters) {
  std::vector<double> stability(clusters);
  for (const std::vector<Label>& fit : fits.labels) {
    const Matrix<std::int64_t> counts = overlaps(context, labels, fit, clusters);
    std::vector<std::int64_t> rows(clusters), cols(clusters);
    for (std::size_t a = 0; a < clusters; ++a)
      for (std::size_t b = 0; b < clusters; ++b) rows[a] += counts(a, b), cols[b] += counts(a, b);
    for (std::size_t a = 0; a < clusters; ++a) {
      double best = 0;
      for (std::size_t b = 0; b < clusters; ++b)
        if (counts(a, b) > 0)
          best =
              std::max(best, static_cast<double>(counts(a, b)) / static_cast<double>(rows[a] + cols[b] - counts(a, b)));
      stability[a] += best / static_cast<double>(fits.labels.size());
    }
  }
  return stability;
}

}  // namespace pssc
