#pragma once

#include <pssc/clustering.hpp>
#include <pssc/core/cuda.hpp>

namespace pssc::cuda {

/// Indices and squared distances of the nearest points, on the device: [n x k] each, nearest first, ties by index.
struct Nearest {
  Array<std::int32_t> indices;
  Array<float> distances;
};
constexpr std::size_t most_neighbours = 32;  ///< that a search finds
Nearest find_nearest(std::size_t k, FloatView x, FloatView points, const Array<float>& point_norms);
Neighbours nearest(std::size_t k, FloatView x, FloatView points);

KMeansResult kmeans(const Context& context, const KMeansParams& params, FloatView x);
/// All starts at once, where centres are few and short: those of an embedding.
bool fits_small_kmeans(const KMeansParams& params, std::size_t d);
KMeansResult small_kmeans(const Context& context, const KMeansParams& params, FloatView x);

/// The leading eigenvectors of L = D_Y^-1/2 W D_Y^-1/2, and the diagonal D_Y^-1/2.
struct GraphSpectrum {
  Eigenpairs pairs;
  std::vector<double> scale;
};
constexpr std::size_t most_representatives = 16384;  ///< for a full matrix of them
GraphSpectrum graph_spectrum(const Ties& ties, const std::vector<double>& degrees, std::size_t p, std::size_t count);

/// As spectral_embedding; on the device.
FloatMatrix spectral_embedding(const Ties& ties, const Matrix<double>& eigenvectors, std::size_t dims);

/// exp(-|x - r|^2 / (2 width^2)): [n x p], on the device.
FloatMatrix gaussian_kernel(FloatView x, FloatView representatives, double width);

}  // namespace pssc::cuda
