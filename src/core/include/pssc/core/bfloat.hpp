#pragma once

#include <pssc/core/matrix.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace pssc {

/// Whether this processor multiplies bfloat16 by itself (AVX512_BF16): more at a time than of single precision.
bool multiplies_bfloats();
/// Whether it does so a tile at a time (AMX), too: several times as fast again.
bool multiplies_bfloats_by_amx();

/// A matrix [m x K] rounded to bfloat16 and laid out so that rows can be multiplied by its transpose.
class BfloatMatrix {
 public:
  explicit BfloatMatrix(FloatView b);
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }

  /// y [n x m] = (x - origin) B^T for x [n x K]: x - origin is rounded to bfloat16, products are summed in single
  /// precision. A row's result depends on that row alone. One thread; fastest for `block_rows` at a time.
  /// Only where multiplies_bfloats(); with `amx`, only where that is there.
  void multiply(FloatView x, std::span<const float> origin, MatrixView<float> y,
                bool amx = multiplies_bfloats_by_amx()) const;
  static constexpr std::size_t block_rows = 128;

 private:
  std::size_t rows_ = 0, cols_ = 0;
  std::vector<std::uint16_t> packed_;
};

}  // namespace pssc
