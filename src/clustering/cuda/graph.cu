// The reduced graph of transfer_cut.cpp. W is summed up in whole numbers, so that the order of the sums does not
// matter.
#include "clustering.hpp"

#include <pssc/core/cuda_session.hpp>

namespace pssc::cuda {

namespace {

constexpr unsigned threads = 256;
constexpr double tolerance = 1e-5;              // of eigenvectors: their values are then right to 1e-10
constexpr double tiny = 1e-10, unit = 0x1p-38;  // the sum of a million images' shares still fits

__global__ void add_ties(const std::int32_t* indices, const float* weights, const double* degrees, std::size_t n, int k,
                         std::size_t p, unsigned long long* W) {
  const std::size_t m = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (m >= n * k) return;
  const std::size_t i = m / k;
  for (int b = 0; b < k; ++b) {
    const double share = degrees[i] * (double{weights[m]} * double{weights[i * k + b]});
    atomicAdd(&W[indices[m] * p + indices[i * k + b]], static_cast<unsigned long long>(llrint(share / unit)));
  }
}

/// D_Y^-1/2: a block a row.
__global__ void inverse_roots(const unsigned long long* W, std::size_t p, double* scale) {
  __shared__ unsigned long long shared[threads];
  unsigned long long sum = 0;
  for (std::size_t j = threadIdx.x; j < p; j += threads) sum += W[blockIdx.x * p + j];
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) scale[blockIdx.x] = 1 / sqrt(static_cast<double>(shared[0]) * unit + tiny);
}

__global__ void normalise(const unsigned long long* W, std::size_t p, const double* scale, double* L) {
  const std::size_t m = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (m < p * p) L[m] = static_cast<double>(W[m]) * unit * scale[m / p] * scale[m % p];
}

__global__ void embed(const std::int32_t* indices, const float* weights, std::size_t n, int k,
                      const double* eigenvectors, std::size_t p, int dims, float* u) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double norm = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int v = 0; v < dims; ++v) {
      double sum = 0;
      for (int j = 0; j < k; ++j) sum += double{weights[i * k + j]} * eigenvectors[v * p + indices[i * k + j]];
      if (pass == 0)
        norm += sum * sum;
      else
        u[i * dims + v] = static_cast<float>(sum / (sqrt(norm) + tiny));
    }
}

template <class T>
Array<T> upload(const Matrix<T>& values) {
  return Array<T>(std::span(values.data(), values.size()));
}

}  // namespace

GraphSpectrum graph_spectrum(const Ties& ties, const std::vector<double>& degrees, std::size_t p, std::size_t count) {
  const std::size_t n = ties.indices.rows(), k = ties.indices.cols();
  Array<double> L(p * p), scale(p);
  {
    const Array<std::int32_t> indices = upload(ties.indices);
    const Array<float> weights = upload(ties.weights);
    const Array<double> sums{std::span<const double>(degrees)};
    Array<unsigned long long> W(p * p);
    check(cudaMemsetAsync(W.data(), 0, W.size() * sizeof(unsigned long long), stream()), "clear memory");
    add_ties<<<blocks_for(n * k, threads), threads, 0, stream()>>>(indices.data(), weights.data(), sums.data(), n,
                                                                   static_cast<int>(k), p, W.data());
    inverse_roots<<<static_cast<unsigned>(p), threads, 0, stream()>>>(W.data(), p, scale.data());
    normalise<<<blocks_for(p * p, threads), threads, 0, stream()>>>(W.data(), p, scale.data(), L.data());
    check_launch("make the graph");
  }
  GraphSpectrum spectrum;
  spectrum.scale = scale.on_host();
  std::optional<Eigenpairs> pairs;
  if (8 * count <= p) pairs = subspace_eigenpairs(L, p, count, tolerance);
  spectrum.pairs = pairs ? std::move(*pairs) : dense_eigenpairs(std::move(L), p, count);
  return spectrum;
}

FloatMatrix spectral_embedding(const Ties& ties, const Matrix<double>& eigenvectors, std::size_t dims) {
  const std::size_t n = ties.indices.rows();
  const Array<std::int32_t> indices = upload(ties.indices);
  const Array<float> weights = upload(ties.weights);
  const Array<double> vectors = upload(eigenvectors);
  FloatMatrix u(n, dims, Place::device);
  embed<<<blocks_for(n, threads), threads, 0, stream()>>>(indices.data(), weights.data(), n,
                                                          static_cast<int>(ties.indices.cols()), vectors.data(),
                                                          eigenvectors.cols(), static_cast<int>(dims), u.data());
  check_launch("embed images");
  return u;
}

}  // namespace pssc::cuda
