#pragma once

#include <pssc/scattering.hpp>

namespace pssc::test {

/// The transform straight from its formula, one image at a time, in double precision, every convolution through
/// Fourier: slow and short, for the fast one to be compared with. pixels [n x height*width] -> [n x dimension].
Matrix<double> scatter_by_definition(const ScatteringParams& params, FloatView pixels);

}  // namespace pssc::test
