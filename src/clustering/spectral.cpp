// Spectral clustering of Ng, Jordan and Weiss (2002): the leading eigenvectors of D^-1/2 A D^-1/2, rows scaled to
// length 1, k-means.
#include <pssc/clustering.hpp>
#include <pssc/core/eigen.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/random.hpp>

#include <Spectra/SymEigsSolver.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace pssc {

namespace {

constexpr std::size_t rows_per_block = 256;

void require_memory(const Context& context, std::size_t n) {
  const double needed = static_cast<double>(n) * static_cast<double>(n) * sizeof(float);
  if (needed > static_cast<double>(context.memory))
    throw usage_error(
        fmt::format("spectral clustering of {} images needs {:.1f} GiB for its {} x {} affinities, over "
                    "the limit of {:.1f} GiB; raise --memory or use --clusterer uspec",
                    n, needed / 0x1p30, n, n, static_cast<double>(context.memory) / 0x1p30));
}

FloatMatrix affinity(const Context& context, FloatView x, std::size_t neighbours) {
  const std::size_t n = x.rows(), k = std::min(neighbours, n - 1);
  FloatMatrix A(n, n);
  const std::vector<float> norms = squared_norms(x);
  std::vector<double> kth(n);
  parallel_blocks(context, "affinities", n, rows_per_block, [&](std::size_t begin, std::size_t end) {
    squared_distances(x.row_range(begin, end), x, norms, A.view().row_range(begin, end));
    std::vector<float> row;
    for (std::size_t i = begin; i < end; ++i) {
      A(i, i) = 0;
      row.assign(A.row(i).begin(), A.row(i).end());
      std::nth_element(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(k), row.end());
      kth[i] = std::sqrt(row[k]);
    }
  });
  double sigma = 0;
  for (const double d : kth) sigma += d / static_cast<double>(n);
  const auto scale = static_cast<float>(-1 / (2 * std::max(sigma * sigma, 1e-20)));
  parallel_blocks(context, n, rows_per_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (float& a : A.row(i)) a = std::exp(a * scale);
      A(i, i) = 0;
    }
  });
  return A;
}

/// D^-1/2 A D^-1/2 in place.
void normalise(const Context& context, FloatMatrix& A) {
  const std::size_t n = A.rows();
  std::vector<float> scale(n);
  parallel_blocks(context, n, rows_per_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double degree = 0;
      for (const float a : A.row(i)) degree += a;
      scale[i] = static_cast<float>(1 / std::sqrt(degree + 1e-10));
    }
  });
  parallel_blocks(context, n, rows_per_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j < n; ++j) A(i, j) *= scale[i] * scale[j];
  });
}

/// The product with a vector, as Spectra asks for it, on our threads.
struct Product {
  using Scalar = double;
  const Context& context;
  const FloatMatrix& matrix;

  Eigen::Index rows() const { return static_cast<Eigen::Index>(matrix.rows()); }
  Eigen::Index cols() const { return rows(); }
  void perform_op(const double* in, double* out) const {
    parallel_blocks(context, matrix.rows(), rows_per_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        double sum = 0;
        const auto row = matrix.row(i);
        for (std::size_t j = 0; j < row.size(); ++j) sum += double{row[j]} * in[j];
        out[i] = sum;
      }
    });
  }
};

}  // namespace

Clustering spectral(const Context& context, const SpectralParams& params, FloatView x) {
  const std::size_t n = x.rows(), C = params.clusters;
  if (n <= C)
    throw input_error(fmt::format("asked for {} clusters, but there are only {} images; ask for fewer with -k", C, n));
  require_memory(context, n);
  if (x.on_device()) return spectral(context, params, copy_to(Place::host, x));  // a baseline: on the processor
  FloatMatrix A = affinity(context, x, params.neighbours);
  normalise(context, A);

  context.report("eigenvectors", 0, 0);
  Product product{context, A};
  const auto wanted = static_cast<Eigen::Index>(C);
  const auto space = std::min(static_cast<Eigen::Index>(n), std::max<Eigen::Index>(2 * wanted + 1, 20));
  Spectra::SymEigsSolver<Product> solver(product, wanted, space);
  Random random(context.seed());
  Eigen::VectorXd start(static_cast<Eigen::Index>(n));
  for (double& v : start) v = random.normal();
  solver.init(start.data());
  solver.compute(Spectra::SortRule::LargestAlge, 1000, 1e-8);
  if (solver.info() != Spectra::CompInfo::Successful)
    throw run_error(
        "the eigenvectors of the affinity matrix did not converge; try another --seed or --clusterer uspec");

  const Eigen::MatrixXd vectors = solver.eigenvectors();
  FloatMatrix u(n, C);
  for (std::size_t i = 0; i < n; ++i) {
    const Eigen::VectorXd row = vectors.row(static_cast<Eigen::Index>(i));
    const double norm = row.norm() + 1e-10;
    for (std::size_t c = 0; c < C; ++c) u(i, c) = static_cast<float>(row(static_cast<Eigen::Index>(c)) / norm);
  }
  Clustering result = cluster_kmeans(context, {.clusters = C, .starts = params.starts}, u);
  const Eigen::VectorXd values = solver.eigenvalues();
  result.eigenvalues.assign(values.begin(), values.end());
  return result;
}

}  // namespace pssc
