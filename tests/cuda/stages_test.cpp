// Each stage on the device against the same stage on the processor.
#include "on_device.hpp"
#include "support/random_matrix.hpp"

#include <pssc/clustering.hpp>
#include <pssc/core/cuda.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/random.hpp>
#include <pssc/evaluation.hpp>
#include <pssc/projection.hpp>

#include <algorithm>
#include <cmath>

namespace pssc {
namespace {

using test::blobs;
using test::gpu;
using test::normal_matrix;
using test::on_device;
using CudaRows = test::OnDevice;
using CudaProjection = test::OnDevice;
using CudaEigenvectors = test::OnDevice;
using CudaClustering = test::OnDevice;

void expect_near(const FloatMatrix& a, const FloatMatrix& b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a.data()[i], b.data()[i], tolerance) << "entry " << i;
}

TEST_F(CudaRows, GatheredPutAndCut) {
  const FloatMatrix x = normal_matrix(300, 37, 1), there = on_device(x);
  const std::vector<std::size_t> rows{5, 299, 0, 5, 17};
  expect_near(to_host(gather_rows(there.view(), rows)), gather_rows(x.view(), rows), 0);
  expect_near(copy_to(Place::host, there.view().col_range(3, 20)), copy_to(Place::host, x.view().col_range(3, 20)), 0);
  FloatMatrix y(300, 37), y_there(300, 37, Place::device);
  const std::vector<std::size_t> places{299, 0, 7};
  put_rows(x.view().row_range(0, 3), places, y);
  put_rows(there.view().row_range(0, 3), places, y_there);
  expect_near(to_host(std::move(y_there)), y, 0);
}

TEST_F(CudaRows, Products) {
  for (const std::size_t n : {1, 65, 700}) {
    const FloatMatrix a = normal_matrix(n, 50, 1), b = normal_matrix(30, 50, 2), c = normal_matrix(50, 30, 3);
    FloatMatrix here(n, 30), there(n, 30, Place::device);
    multiply_transposed(Context(1), a, b, here);
    multiply_transposed(gpu(), on_device(a), b, there);
    expect_near(copy_to(Place::host, FloatView(there)), here, 1e-4);
    multiply(Context(1), a.view().col_range(0, 50), c, here);
    multiply(gpu(), on_device(a), on_device(c), there);
    expect_near(to_host(std::move(there)), here, 1e-4);
  }
}

TEST_F(CudaRows, Sums) {
  const FloatMatrix x = normal_matrix(1500, 70, 1), there = on_device(x);
  const std::vector<float> means = column_means(Context(1), x), means_there = column_means(gpu(), there);
  const std::vector<double> squares = column_mean_squares(Context(1), x),
                            squares_there = column_mean_squares(gpu(), there);
  for (std::size_t j = 0; j < 70; ++j) {
    ASSERT_NEAR(means[j], means_there[j], 1e-6);
    ASSERT_NEAR(squares[j], squares_there[j], 1e-6);
  }
  std::vector<float> weights(70);
  for (std::size_t j = 0; j < 70; ++j) weights[j] = 0.1F * static_cast<float>(j);
  const std::vector<float> here = weighted_squares(x, weights), found = weighted_squares(there, weights);
  for (std::size_t i = 0; i < 1500; ++i) ASSERT_NEAR(here[i], found[i], 1e-3);
}

TEST_F(CudaProjection, Equalisation) {
  FloatMatrix x = normal_matrix(500, 12 * 16, 1);
  for (const Equalisation kind : {Equalisation::maxnorm, Equalisation::log, Equalisation::none}) {
    FloatMatrix here = x.copy(), there = on_device(x);
    const Equaliser a = fit_equaliser(Context(1), kind, here, 16), b = fit_equaliser(gpu(), kind, there, 16);
    ASSERT_EQ(a.scale.size(), b.scale.size());
    for (std::size_t p = 0; p < a.scale.size(); ++p) ASSERT_NEAR(a.scale[p], b.scale[p], 1e-5 * a.scale[p]);
    equalise(Context(1), a, here);
    equalise(gpu(), b, there);
    expect_near(to_host(std::move(there)), here, 1e-5);
  }
}

TEST_F(CudaProjection, Components) {
  for (const auto& [n, D] : {std::pair<std::size_t, std::size_t>{900, 60}, {4000, 300}, {60, 500}}) {
    const FloatMatrix x = blobs(n, D, 6, 4, 1), there = on_device(x);
    const Projection a = fit_pca(Context(2), x, 40), b = fit_pca(gpu(), there, 40);
    ASSERT_EQ(a.dimension(), b.dimension());
    EXPECT_NEAR(a.total_variance, b.total_variance, 1e-4 * a.total_variance);
    for (std::size_t v = 0; v < a.dimension(); ++v)
      ASSERT_NEAR(a.variances[v], b.variances[v], 1e-4 * a.variances[0]) << n << " x " << D << ", component " << v;
    for (std::size_t v = 0; v < 3; ++v)  // far apart, hence well defined
      for (std::size_t j = 0; j < D; ++j) ASSERT_NEAR(a.directions(v, j), b.directions(v, j), 2e-3);
    expect_near(to_host(project(gpu(), a, there)), project(Context(2), a, x), 2e-3);
  }
}

TEST_F(CudaProjection, Whitening) {
  const FloatMatrix y = blobs(3000, 40, 5, 6, 2), there = on_device(y);
  std::vector<std::int32_t> labels(3000);
  for (std::size_t i = 0; i < 3000; ++i) labels[i] = static_cast<std::int32_t>(i % 7) - 1;
  const Matrix<double> a = cluster_means(Context(1), y, labels, 6), b = cluster_means(gpu(), there, labels, 6);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a.data()[i], b.data()[i], 1e-6);
  const Whitening one = fit_whitening(Context(2), y, labels, 6, 0.1), two = fit_whitening(gpu(), there, labels, 6, 0.1);
  expect_near(two.map, one.map, 1e-3);
  expect_near(to_host(whiten(gpu(), one, there)), whiten(Context(2), one, y), 1e-3);
  for (std::int32_t& l : labels) l = std::max(l, 0);
  const std::vector<float> far = distances_to_means(Context(1), y, labels, a),
                           found = distances_to_means(gpu(), there, labels, a);
  for (std::size_t i = 0; i < far.size(); ++i) ASSERT_NEAR(far[i], found[i], 1e-3 * (1 + far[i]));
}

TEST_F(CudaEigenvectors, SubspaceAgreesWithLapack) {
  for (const int kind : {0, 1, 2}) {
    constexpr std::size_t n = 1000;
    std::vector<double> spectrum(n, kind == 1 ? 0.3 : 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      if (kind == 0) spectrum[i] = std::pow(0.99, static_cast<double>(i));
      if (kind == 1 && i < 12) spectrum[i] = 1;                             // a graph in twelve pieces
      if (kind == 2 && i < 6) spectrum[i] = 10.0 - static_cast<double>(i);  // low rank
    }
    Random random(n);
    std::vector<double> u(n);
    double norm = 0, uDu = 0;
    for (double& x : u) norm += std::pow(x = random.normal(), 2);
    for (double& x : u) x /= std::sqrt(norm);
    for (std::size_t k = 0; k < n; ++k) uDu += u[k] * spectrum[k] * u[k];
    Matrix<double> m(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        m(i, j) = (i == j ? spectrum[i] : 0) - 2 * u[i] * u[j] * (spectrum[i] + spectrum[j]) + 4 * uDu * u[i] * u[j];
    Matrix<double> copy = m.copy(), plain = m.copy();
    const std::size_t count = kind == 2 ? 10 : 40;
    const Eigenpairs found = leading_eigenpairs(gpu(), copy, count), expected = leading_eigenpairs(plain, count);
    for (std::size_t v = 0; v < count; ++v) {
      ASSERT_NEAR(found.values[v], expected.values[v], 1e-7 * expected.values[0]) << "spectrum " << kind << ", " << v;
      double residual = 0;
      for (std::size_t i = 0; i < n; ++i) {
        double product = 0;
        for (std::size_t j = 0; j < n; ++j) product += m(i, j) * found.vectors(v, j);
        residual += std::pow(product - found.values[v] * found.vectors(v, i), 2);
      }
      ASSERT_LT(std::sqrt(residual), 1e-6 * expected.values[0]) << "spectrum " << kind << ", " << v;
    }
  }
}

TEST_F(CudaEigenvectors, BlockAgreesWithLapack) {
  constexpr std::size_t n = 1500, count = 200;
  const FloatMatrix x = normal_matrix(3000, n, 5);
  Matrix<double> m(n, n);
  const auto weight = [](std::size_t j) { return std::pow(1.0 + static_cast<double>(j), -0.8); };
  FloatMatrix scaled = x.copy();
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < n; ++j) scaled(i, j) *= static_cast<float>(weight(j));
  const cuda::Array<double> there = cuda::inner_products(on_device(scaled));
  there.copy_to(std::span(m.data(), m.size()));
  const double largest = m(0, 0);
  const auto found = cuda::block_eigenpairs(there, n, count, 1e-7 * largest);
  ASSERT_TRUE(found);
  const FloatMatrix vectors = copy_to(Place::host, FloatView(found->vectors));
  const Eigenpairs expected = leading_eigenpairs(m, count);
  for (std::size_t v = 0; v < count; ++v) {
    ASSERT_NEAR(found->values[v], expected.values[v], 1e-9 * largest) << v;
    for (std::size_t w = 0; w <= v; ++w) {
      double product = 0;
      for (std::size_t j = 0; j < n; ++j) product += double{vectors(v, j)} * double{vectors(w, j)};
      ASSERT_NEAR(product, v == w ? 1 : 0, 2e-7) << v << ", " << w;
    }
    double inside = 0;  // of the space that LAPACK finds
    for (std::size_t w = 0; w < count; ++w) {
      double product = 0;
      for (std::size_t j = 0; j < n; ++j) product += double{vectors(v, j)} * expected.vectors(w, j);
      inside += product * product;
    }
    ASSERT_NEAR(inside, 1, 1e-4) << v;
  }
  EXPECT_FALSE(cuda::block_eigenpairs(there, n, 700, 1e-7 * largest));  // too many
  Matrix<double> none(n, n);
  const cuda::Array<double> zero(std::span<const double>(none.data(), none.size()));
  EXPECT_FALSE(cuda::block_eigenpairs(zero, n, count, 1e-7));
}

/// As the processor's: orthonormal to the rounding of their numbers, which is what distances depend on.
TEST_F(CudaProjection, ComponentsAreOrthonormal) {
  FloatMatrix x = normal_matrix(2500, 1200, 6);
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < x.cols(); ++j)
      x(i, j) *= static_cast<float>(std::pow(1.0 + static_cast<double>(j), -1.0));
  const Projection pca = fit_pca(gpu(), on_device(x), 150);
  for (std::size_t v = 0; v < 150; ++v)
    for (std::size_t w = 0; w <= v; ++w) {
      double product = 0;
      for (std::size_t j = 0; j < x.cols(); ++j) product += double{pca.directions(v, j)} * double{pca.directions(w, j)};
      ASSERT_NEAR(product, v == w ? 1 : 0, 1e-6) << v << ", " << w;
    }
}

TEST_F(CudaClustering, NeighboursAgreeWithTheProcessor) {
  for (const std::size_t n : {1, 7, 257, 5000})
    for (const std::size_t m : {1, 5, 40, 999})
      for (const std::size_t k :
           {std::size_t{1}, std::min<std::size_t>(5, m), std::min<std::size_t>(20, m), std::min<std::size_t>(40, m)}) {
        const FloatMatrix x = normal_matrix(n, 9, 1), points = normal_matrix(m, 9, 2);
        const Neighbours a = nearest(Context(2), Search::exact, k, x, points);
        const Neighbours b = nearest(gpu(), Search::exact, k, on_device(x), points);
        expect_near(b.distances, a.distances, 1e-4);
        std::size_t other = 0;
        for (std::size_t i = 0; i < a.indices.size(); ++i) other += a.indices.data()[i] != b.indices.data()[i];
        ASSERT_LE(other, a.indices.size() / 1000);  // a tie within rounding
      }
  FloatMatrix x(1, 2), points(3, 2);
  points(0, 0) = 1, points(1, 0) = -1, points(2, 1) = 1;
  const Neighbours tied = nearest(gpu(), Search::exact, 3, on_device(x), points);
  for (std::int32_t j = 0; j < 3; ++j) EXPECT_EQ(tied.indices(0, static_cast<std::size_t>(j)), j);
  EXPECT_THROW(nearest(gpu(), Search::exact, 4, on_device(x), points), Error);
}

double agreement(const std::vector<Label>& a, const std::vector<Label>& b) {
  return evaluate(a, b).ari;
}

TEST_F(CudaClustering, KMeans) {
  const FloatMatrix x = blobs(6000, 12, 10, 5, 3), wide = blobs(6000, 200, 10, 6, 4);
  for (const FloatMatrix* data : {&x, &wide}) {
    const KMeansResult a = kmeans(Context(2), {.clusters = 10}, *data),
                       b = kmeans(gpu(), {.clusters = 10}, on_device(*data));
    EXPECT_GT(agreement(a.labels, b.labels), 0.999);
    EXPECT_NEAR(a.inertia, b.inertia, 1e-4 * a.inertia);
    const KMeansResult again = kmeans(gpu(), {.clusters = 10}, on_device(*data));
    EXPECT_EQ(again.labels, b.labels);
    expect_near(again.centres, b.centres, 0);
  }
  const FloatMatrix pieces = blobs(9000, 60, 60, 6, 5);
  for (const std::size_t each : {0, 100}) {
    const KMeansParams params{.clusters = 60, .starts = 3, .images_each = each};
    const KMeansResult on_host = kmeans(Context(2), params, pieces), on_gpu = kmeans(gpu(), params, on_device(pieces));
    EXPECT_NEAR(on_host.inertia, on_gpu.inertia, 0.02 * on_host.inertia) << each;
    EXPECT_GT(agreement(on_host.labels, on_gpu.labels), 0.9) << each;
  }
  const KMeansParams many{.clusters = 700, .starts = 1, .iterations = 15, .start = KMeansParams::Start::sample};
  const KMeansResult a = kmeans(Context(2), many, wide), b = kmeans(gpu(), many, on_device(wide));
  EXPECT_NEAR(a.inertia, b.inertia, 1e-3 * a.inertia);
}

TEST_F(CudaClustering, KMeansOfFewDifferentRows) {
  FloatMatrix x(40, 3);
  for (std::size_t i = 0; i < 40; ++i) x(i, 0) = static_cast<float>(i % 2);
  const KMeansResult result = kmeans(gpu(), {.clusters = 4}, on_device(x));
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(result.labels[i] == result.labels[0], i % 2 == 0) << i;
}

TEST_F(CudaClustering, CutByPieces) {
  const FloatMatrix x = blobs(6000, 30, 8, 5, 7);
  const auto labels = [](const Context& context, FloatView rows) {
    const USpecParams params{.clusters = 8, .candidates = 2500, .representatives = 500};
    return cut_by_pieces(context, reduce_graph(context, params, rows, 12), 8, 12);
  };
  const std::vector<Label> here = labels(Context(2), x), there = labels(gpu(), on_device(x));
  EXPECT_GE(agreement(here, there), 0.995);
  EXPECT_EQ(labels(gpu(), on_device(x)), there);
}

TEST_F(CudaClustering, USpecAndItsRule) {
  const FloatMatrix x = blobs(5000, 30, 8, 5, 7);
  const USpecParams params{.clusters = 8, .candidates = 3000, .representatives = 900};
  const Clustering a = uspec(Context(2), params, x);
  USpecRule rule, again_rule;
  const Clustering b = uspec(gpu(), params, on_device(x), rule), again = uspec(gpu(), params, on_device(x), again_rule);
  EXPECT_GE(agreement(a.labels, b.labels), 0.995);
  EXPECT_EQ(b.labels, again.labels);
  EXPECT_EQ(b.confidence, again.confidence);
  for (std::size_t v = 0; v < 8; ++v) EXPECT_NEAR(a.eigenvalues[v], b.eigenvalues[v], 1e-3) << v;
  const GraphPlacer placer(rule.graph);
  const Placed there = placer.place(gpu(), on_device(x)), here = placer.place(Context(2), x);
  EXPECT_GE(agreement(there.labels, here.labels), 0.999);
}

TEST_F(CudaClustering, Ridge) {
  const FloatMatrix y = blobs(5000, 60, 8, 4, 9);
  const std::vector<Label> start = kmeans(Context(2), {.clusters = 8, .starts = 1, .iterations = 3}, y).labels;
  const RidgeResult a = RidgeRegression(Context(2), {.representatives = 500}, y, 8).refine(start),
                    b = RidgeRegression(gpu(), {.representatives = 500}, on_device(y), 8).refine(start);
  EXPECT_GE(agreement(a.labels, b.labels), 0.995);
  const Placed here = a.rule.place(Context(2), y), there = a.rule.place(gpu(), on_device(y));
  EXPECT_GE(agreement(here.labels, there.labels), 0.999);
  for (std::size_t i = 0; i < y.rows(); ++i) ASSERT_NEAR(here.confidence[i], there.confidence[i], 5e-3);
}

}  // namespace
}  // namespace pssc
