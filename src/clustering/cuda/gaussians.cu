#include "clustering.hpp"

#include <pssc/core/cuda_session.hpp>

namespace pssc::cuda {

namespace {

constexpr unsigned threads = 128;

/// A warp a row of z [rows x clusters * d]: squared Mahalanobis distances, the best score and its posterior.
__global__ void score(const float* z, std::size_t rows, int clusters, int d, const float* shifts,
                      const double* log_determinants, double temperature, std::int32_t* labels, float* confidence,
                      float* distances) {
  const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (i >= rows) return;
  const int lane = threadIdx.x % 32;
  const float* row = z + i * clusters * d;
  double best = -INFINITY, sum = 0;
  float nearest = 0;
  int label = 0;
  for (int c = 0; c < clusters; ++c) {
    float square = 0;
    for (int j = lane; j < d; j += 32) {
      const float v = row[c * d + j] - shifts[c * d + j];
      square += v * v;
    }
    for (int offset = 16; offset > 0; offset /= 2) square += __shfl_xor_sync(~0U, square, offset);
    const double one = log_determinants[c] - double{square} / 2;
    // The sum of exp((score - best) / temperature) so far, for whatever is the best so far.
    sum = one > best ? sum * exp((best - one) / temperature) + 1 : sum + exp((one - best) / temperature);
    if (one > best) {
      best = one;
      label = c;
      nearest = square;
    }
  }
  if (lane > 0) return;
  labels[i] = label;
  confidence[i] = static_cast<float>(1 / sum);
  distances[i] = nearest / static_cast<float>(d);
}

}  // namespace

std::vector<ClusterMoments> moments_of(FloatView y, const std::vector<Label>& labels, std::size_t clusters) {
  const std::size_t d = y.cols();
  // All rows by their cluster, each without its cluster's mean: a cluster is then one piece.
  std::vector<std::vector<std::size_t>> members(clusters);
  for (std::size_t i = 0; i < labels.size(); ++i) members[static_cast<std::size_t>(labels[i])].push_back(i);
  std::vector<std::size_t> order;
  std::vector<std::int32_t> sorted;
  for (std::size_t c = 0; c < clusters; ++c) {
    order.insert(order.end(), members[c].begin(), members[c].end());
    sorted.insert(sorted.end(), members[c].size(), static_cast<std::int32_t>(c));
  }
  const FloatMatrix rows = gather_rows(y, order);
  std::vector<double> means = group_sums(rows, Groups(sorted, clusters)).on_host();
  for (std::size_t k = 0; k < means.size(); ++k) means[k] /= std::max(1.0, static_cast<double>(members[k / d].size()));
  const FloatMatrix rest = minus_own_row(rows, Array<std::int32_t>{std::span<const std::int32_t>(sorted)},
                                         MatrixView<const double>(means.data(), clusters, d));
  std::vector<Array<double>> products(clusters);
  std::vector<ClusterMoments> moments(clusters);
  for (std::size_t c = 0, first = 0; c < clusters; first += members[c++].size())
    if (!members[c].empty()) products[c] = inner_products(rest.view().row_range(first, first + members[c].size()));
  for (std::size_t c = 0; c < clusters; ++c) {
    moments[c].count = members[c].size();
    if (members[c].empty()) continue;
    moments[c].mean.assign(&means[c * d], &means[c * d] + d);
    moments[c].covariance = Matrix<double>(d, d);
    products[c].copy_to(std::span(moments[c].covariance.data(), d * d));
    for (std::size_t k = 0; k < d * d; ++k) moments[c].covariance.data()[k] /= static_cast<double>(members[c].size());
  }
  return moments;
}

Placed place_by_gaussians(const GaussianRule& rule, FloatView y) {
  const std::size_t n = y.rows(), d = y.cols(), C = rule.gaussians.size();
  // All whiteners beside each other: one product gives the coordinates in all Gaussians.
  FloatMatrix whiteners(d, C * d);
  std::vector<float> shifts;
  std::vector<double> log_determinants;
  for (std::size_t c = 0; c < C; ++c) {
    const Gaussian& g = rule.gaussians[c];
    for (std::size_t i = 0; i < d; ++i)
      std::ranges::copy(g.whitener.row(i), whiteners.row(i).begin() + static_cast<std::ptrdiff_t>(c * d));
    shifts.insert(shifts.end(), g.shift.begin(), g.shift.end());
    log_determinants.push_back(g.log_determinant);
  }
  const Resident W{FloatView(whiteners)};
  const Array<float> s{std::span<const float>(shifts)};
  const Array<double> l{std::span<const double>(log_determinants)};
  Array<std::int32_t> labels(n);
  Array<float> confidence(n), distances(n);
  constexpr std::size_t most_numbers = std::size_t{1} << 26;
  const std::size_t at_once = std::clamp<std::size_t>(most_numbers / (C * d), 1, std::max<std::size_t>(1, n));
  FloatMatrix z(at_once, C * d, Place::device);
  for (std::size_t first = 0; first < n; first += at_once) {
    const std::size_t count = std::min(at_once, n - first);
    cuda::multiply(y.row_range(first, first + count), W, z.view().row_range(0, count));
    score<<<blocks_for(count * 32, threads), threads, 0, stream()>>>(
        z.data(), count, static_cast<int>(C), static_cast<int>(d), s.data(), l.data(), rule.temperature,
        labels.data() + first, confidence.data() + first, distances.data() + first);
    check_launch("score images");
  }
  return {labels.on_host(), confidence.on_host(), distances.on_host()};
}

}  // namespace pssc::cuda
