#pragma once

#include <pssc/core/matrix.hpp>

#include <Eigen/Core>

namespace pssc {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Our views as Eigen expressions; large products of them go to OpenBLAS (EIGEN_USE_BLAS). Inside the library only: the
/// public headers do not ask a user to have Eigen.
template <class T>
auto as_eigen(const MatrixView<T>& m) {
  using Plain = RowMajor<std::remove_const_t<T>>;
  using Mapped = std::conditional_t<std::is_const_v<T>, const Plain, Plain>;
  return Eigen::Map<Mapped, Eigen::Unaligned, Eigen::OuterStride<>>(
      m.data(), static_cast<Eigen::Index>(m.rows()), static_cast<Eigen::Index>(m.cols()),
      Eigen::OuterStride<>(static_cast<Eigen::Index>(m.stride())));
}

}  // namespace pssc
