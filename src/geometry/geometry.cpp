#include "selection.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/random.hpp>
#include <pssc/evaluation.hpp>
#include <pssc/geometry.hpp>
#include <pssc/projection.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

namespace pssc {

namespace {

/// Features of the images of a set that can be read, or of as many of them, drawn at random, as a quarter of the memory
/// holds.
FloatMatrix features_of(const Context& context, const Parameters& parameters, const ImageSet& images) {
  constexpr std::size_t least = 1000;
  FloatMatrix features;
  std::vector<std::size_t> wanted;  // rows, rising
  std::size_t seen = 0, filled = 0;
  const auto begin = [&](const FeatureShape& shape) {
    const std::size_t d =
        std::accumulate(shape.row.begin(), shape.row.end(), std::size_t{1}, std::multiplies<std::size_t>());
    const std::size_t most = std::max(least, context.memory / 4 / (d * sizeof(float)));
    wanted = Random(context.seed()).choose(shape.images, most);
    std::ranges::sort(wanted);
    features = FloatMatrix(wanted.size(), d);
  };
  const auto take = [&](FloatView rows) {
    for (std::size_t i = 0; i < rows.rows(); ++i)
      if (filled < wanted.size() && wanted[filled] == seen++)
        std::ranges::copy(rows.row(i), features.row(filled++).begin());
  };
  stream_features(context, parameters, images, FeatureStage::scattering, begin, take);
  return features;
}

/// Each column to mean 0 and variance 1; one that does not vary to 0.
void standardise(const Context& context, FloatMatrix& x) {
  constexpr std::size_t columns = 64;
  constexpr double least = 1e-6;  // of its size: less is rounding
  parallel_blocks(context, x.cols(), columns, [&](std::size_t begin, std::size_t end) {
    std::vector<double> mean(end - begin), variance(end - begin);
    const double n = static_cast<double>(x.rows());
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t j = begin; j < end; ++j) mean[j - begin] += x(i, j) / n;
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t j = begin; j < end; ++j) {
        const double d = x(i, j) - mean[j - begin];
        variance[j - begin] += d * d / n;
      }
    for (std::size_t j = begin; j < end; ++j) {
      const double deviation = std::sqrt(variance[j - begin]), size = std::abs(mean[j - begin]) + deviation;
      const double scale = deviation > least * size ? 1 / deviation : 0;
      for (std::size_t i = 0; i < x.rows(); ++i) x(i, j) = static_cast<float>((x(i, j) - mean[j - begin]) * scale);
    }
  });
}

}  // namespace

ClassSubspace class_subspace(const Context& context, const Parameters& parameters, const ImageSet& images,
                             std::span<const std::size_t> members, std::size_t dims) {
  if (members.size() < 2) throw input_error("a class of one image spans nothing; name classes of two images or more");
  const geometry::Selection chosen(images, {members.begin(), members.end()});
  FloatMatrix x = features_of(context, parameters, chosen);
  standardise(context, x);
  const Projection pca = fit_pca(context, x, dims);
  ClassSubspace subspace{.images = members.size(), .directions = Matrix<double>(pca.dimension(), x.cols())};
  std::copy_n(pca.directions.data(), pca.directions.size(), subspace.directions.data());
  for (const double v : pca.variances) subspace.shares.push_back(v / pca.total_variance);
  return subspace;
}

SubspaceAngles angles_between(const ClassSubspace& a, const ClassSubspace& b) {
  SubspaceAngles found{.greedy = greedy_angles(a.directions, b.directions),
                       .principal = principal_angles(a.directions, b.directions)};
  found.greedy_affinity = subspace_affinity(found.greedy);
  found.affinity = subspace_affinity(found.principal);
  return found;
}

std::vector<double> feature_spectrum(const Context& context, const Parameters& parameters, const ImageSet& images) {
  FloatMatrix x = features_of(context, parameters, images);
  standardise(context, x);
  const Projection pca = fit_pca(context, x, x.cols());
  std::vector<double> shares;
  for (const double v : pca.variances) shares.push_back(v / pca.total_variance);
  return shares;
}

}  // namespace pssc
