#include <pssc/core/eigen.hpp>
#include <pssc/core/error.hpp>
#include <pssc/evaluation.hpp>

#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pssc {

namespace {

constexpr double degrees = 180 / std::numbers::pi;

void require_same_space(const MatrixView<const double>& p, const MatrixView<const double>& q) {
  if (p.cols() != q.cols() || p.empty() || q.empty())
    throw input_error("angles are between two subspaces of one space, each of one dimension or more");
}

/// Orthonormal columns [D x d] that span the rows.
Eigen::MatrixXd orthonormal(const MatrixView<const double>& rows) {
  const Eigen::MatrixXd columns = as_eigen(rows).transpose();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
  return qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
}

}  // namespace

std::vector<double> principal_angles(MatrixView<const double> p, MatrixView<const double> q) {
  require_same_space(p, q);
  if (p.rows() < q.rows()) std::swap(p, q);
  const Eigen::MatrixXd P = orthonormal(p), Q = orthonormal(q);
  const Eigen::MatrixXd products = P.transpose() * Q;
  const Eigen::VectorXd cosines = Eigen::JacobiSVD<Eigen::MatrixXd>(products).singularValues();
  // A cosine near 1 says little about its angle; the sines are the singular values of what P does not hold of Q.
  const Eigen::VectorXd sines = Eigen::JacobiSVD<Eigen::MatrixXd>(Q - P * products).singularValues().reverse();
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
