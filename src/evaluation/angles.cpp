#include <pssc/core/eigen.hpp>
#include <pssc/core/error.hpp>
#include <pssc/evaluation.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

// From LAPACK: the same from Eigen takes 10 s to compile.
extern "C" {
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork,
             int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau, double* work,
             const int* lwork, int* info);
void dgesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* info,
             std::size_t, std::size_t);
}

namespace pssc {

namespace {

constexpr double degrees = 180 / std::numbers::pi;

void require_same_space(const MatrixView<const double>& p, const MatrixView<const double>& q) {
  if (p.cols() != q.cols() || p.empty() || q.empty())
    throw input_error("angles are between two subspaces of one space, each of one dimension or more");
}

/// Calls a routine of LAPACK twice, `routine(work, work_size, info)`: it says how much room it needs, then it has it.
template <class Routine>
void call_lapack(const char* name, const Routine& routine) {
  std::vector<double> work(1);
  for (const bool ask : {true, false}) {
    const int work_size = ask ? -1 : static_cast<int>(work.size());
    int info = 0;
    routine(work.data(), &work_size, &info);
    if (info != 0) throw run_error(std::string("LAPACK ") + name + " gave " + std::to_string(info));
    if (ask) work.resize(static_cast<std::size_t>(work[0]));
  }
}

/// Orthonormal columns [D x d] that span the rows.
Eigen::MatrixXd orthonormal(const MatrixView<const double>& rows) {
  Eigen::MatrixXd q = as_eigen(rows).transpose();
  const int m = static_cast<int>(q.rows()), n = static_cast<int>(q.cols()), d = std::min(m, n);
  Eigen::VectorXd tau(d);
  call_lapack("dgeqrf", [&](double* work, const int* size, int* info) {
    dgeqrf_(&m, &n, q.data(), &m, tau.data(), work, size, info);
  });
  call_lapack("dorgqr", [&](double* work, const int* size, int* info) {
    dorgqr_(&m, &d, &d, q.data(), &m, tau.data(), work, size, info);
  });
  return q.leftCols(d);
}

/// The largest first.
Eigen::VectorXd singular_values(Eigen::MatrixXd a) {
  const int m = static_cast<int>(a.rows()), n = static_cast<int>(a.cols()), one = 1;
  Eigen::VectorXd values(std::min(m, n));
  call_lapack("dgesvd", [&](double* work, const int* size, int* info) {
    dgesvd_("N", "N", &m, &n, a.data(), &m, values.data(), nullptr, &one, nullptr, &one, work, size, info, 1, 1);
  });
  return values;
}

}  // namespace

std::vector<double> principal_angles(MatrixView<const double> p, MatrixView<const double> q) {
  require_same_space(p, q);
  if (p.rows() < q.rows()) std::swap(p, q);
  const Eigen::MatrixXd P = orthonormal(p), Q = orthonormal(q);
  const Eigen::MatrixXd products = P.transpose() * Q;
  const Eigen::VectorXd cosines = singular_values(products);
  // A cosine near 1 says little about its angle; the sines are the singular values of what P does not hold of Q.
  const Eigen::VectorXd sines = singular_values(Q - P * products).reverse();
  std::vector<double> angles;
  for (Eigen::Index i = 0; i < cosines.size(); ++i) {
    const bool small = cosines(i) * cosines(i) > 0.5;
    angles.push_back(degrees *
                     (small ? std::asin(std::min(sines(i), 1.0)) : std::acos(std::clamp(cosines(i), 0.0, 1.0))));
  }
  std::ranges::sort(angles);
  return angles;
}

std::vector<double> greedy_angles(MatrixView<const double> p, MatrixView<const double> q) {
  require_same_space(p, q);
  Eigen::MatrixXd P = as_eigen(p), Q = as_eigen(q);
  P.rowwise().normalize();
  Q.rowwise().normalize();
  Eigen::MatrixXd cosines = (P * Q.transpose()).cwiseAbs();
  std::vector<double> angles;
  for (std::size_t i = 0; i < std::min(p.rows(), q.rows()); ++i) {
    Eigen::Index row = 0, col = 0;
    angles.push_back(degrees * std::acos(std::min(cosines.maxCoeff(&row, &col), 1.0)));
    cosines.row(row).setConstant(-1);
    cosines.col(col).setConstant(-1);
  }
  return angles;
}

double subspace_affinity(std::span<const double> angles) {
  if (angles.empty()) throw input_error("no angles to take the affinity of");
  double sum = 0;
  for (const double a : angles) sum += std::cos(a / degrees) * std::cos(a / degrees);
  return std::sqrt(sum / static_cast<double>(angles.size()));
}

}  // namespace pssc
