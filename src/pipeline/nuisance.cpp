#include "nuisance.hpp"

#include "projected.hpp"

#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pssc {

namespace {

/// Pixels of images [n x numbers], all changed alike.
std::vector<float> changed_images(const Context& context, Change change, std::size_t variant, const CanvasShape& shape,
                                  std::span<const float> pixels) {
  std::vector<float> changed(pixels.size());
  const std::size_t numbers = shape.numbers();
  parallel_blocks(context, pixels.size() / numbers, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      apply_change(change, variant, shape, pixels.subspan(i * numbers, numbers),
                   std::span(changed).subspan(i * numbers, numbers));
  });
  return changed;
}

/// a - b, on the host.
FloatMatrix difference(FloatMatrix a, const FloatMatrix& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] -= b.data()[i];
  return a;
}

double trace_of(const Matrix<double>& m) {
  double trace = 0;
  for (std::size_t i = 0; i < m.rows(); ++i) trace += m(i, i);
  return trace;
}

}  // namespace

Matrix<double> Nuisance::covariance(std::span<const double> weights) const {
  const std::size_t d = covariances.front().rows();
  Matrix<double> sum(d, d);
  for (std::size_t k = 0; k < covariances.size(); ++k)
    for (std::size_t i = 0; i < d * d; ++i)
      sum.data()[i] += (weights.empty() ? 1 : weights[k]) * covariances[k].data()[i];
  return sum;
}

Matrix<double> block_of(const Matrix<double>& covariance, std::size_t begin, std::size_t end) {
  Matrix<double> block(end - begin, end - begin);
  for (std::size_t i = 0; i < block.rows(); ++i)
    std::ranges::copy(covariance.row(begin + i).subspan(begin, end - begin), block.row(i).begin());
  return block;
}

Nuisance without_leading(Nuisance nuisance, std::size_t dropped) {
  for (Matrix<double>& m : nuisance.covariances)
    if (dropped > 0) m = block_of(m, dropped, m.rows());
  return nuisance;
}

Nuisance measure_nuisance(const Context& context, const Parameters& parameters, FeatureSource& source,
                          const Projection& projection, const std::vector<std::size_t>& which) {
  Nuisance nuisance;
  if (parameters.ignored.changes.empty()) return nuisance;
  std::vector<std::size_t> images = draw_images(context.reseeded(1), which.size(), parameters.tuning.nuisance_images);
  for (std::size_t& i : images) i = which[i];
  const Part part = own_part(context, images.size());
  const std::vector<float> pixels = source.pixels(std::span(images).subspan(part.begin, part.end - part.begin));
  const CanvasShape shape = source.canvas();
  const FloatMatrix original = to_host(project(context, projection, source.features(pixels)));
  const std::size_t count = sum_of_all(context, original.rows());
  const double spread = std::accumulate(projection.variances.begin(), projection.variances.end(), 0.0);
  constexpr double nothing = 1e-10;  // of the variance: rounding
  std::size_t done = 0, total = 0;
  for (const Change change : parameters.ignored.changes) total += variants(change);
  for (const Change change : parameters.ignored.changes) {
    Matrix<double> sum(projection.dimension(), projection.dimension());
    for (std::size_t v = 0; v < variants(change); ++v) {
      context.report("small changes", done++, total);
      const FloatMatrix moved =
          to_host(project(context, projection, source.features(changed_images(context, change, v, shape, pixels))));
      const Matrix<double> products = inner_products(context, difference(moved.copy(), original));
      for (std::size_t i = 0; i < sum.size(); ++i) sum.data()[i] += products.data()[i];
    }
    const double trace = trace_of(sum);
    const double mean_square = trace / static_cast<double>(std::max<std::size_t>(1, count) * variants(change));
    nuisance.moves.push_back({change, spread > 0 ? std::sqrt(mean_square / spread) : 0});
    if (mean_square <= nothing * spread) continue;
    for (std::size_t i = 0; i < sum.size(); ++i) sum.data()[i] /= trace;
    nuisance.covariances.push_back(std::move(sum));
  }
  return nuisance;
}

}  // namespace pssc
