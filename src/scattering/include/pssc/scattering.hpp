#pragma once

#include <pssc/core/context.hpp>
#include <pssc/core/matrix.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace pssc {

/// The wavelet scattering transform S_J of Bruna and Mallat (2013), with the conventions of kymatio.
struct ScatteringParams {
  std::size_t height = 32, width = 32;  ///< of an image, in pixels; each at least 2^scales
  std::size_t scales = 3;               ///< J: outputs are averaged over 2^J pixels
  std::size_t angles = 8;               ///< L: orientations of the wavelets
  std::size_t order = 2;                ///< 0, 1 or 2 layers of wavelets

  bool operator==(const ScatteringParams&) const = default;
};

/// Which wavelets a coefficient went through: | |x * psi_{j1,t1}| * psi_{j2,t2} | * phi_J.
struct ScatteringPath {
  std::size_t order = 0;
  std::size_t j1 = 0, t1 = 0;  ///< from order 1 on
  std::size_t j2 = 0, t2 = 0;  ///< from order 2 on; j2 > j1
};

/// A prepared transform: filters computed once, used from any number of threads.
class Scattering {
 public:
  explicit Scattering(const ScatteringParams& params);  ///< throws Error(usage) where 2^J exceeds the image
  ~Scattering();
  Scattering(Scattering&&) noexcept;

  const ScatteringParams& params() const;
  const std::vector<ScatteringPath>& paths() const;  ///< in the order of the output; lower orders are a prefix
  std::size_t output_height() const;                 ///< floor(height / 2^J)
  std::size_t output_width() const;
  /// Numbers an image: paths x output_height x output_width.
  std::size_t dimension() const;

  /// pixels [n x height*width] -> features [n x dimension], on one thread, or on the device that the features lie on.
  /// The features of an image do not depend on the images beside it.
  void transform(FloatView pixels, MatrixView<float> features) const;

  struct Plan;  ///< the kernels' view of it, private to the library

 private:
  struct Prepared;  ///< the plan, and the device's; shared by all transforms of the same parameters
  std::shared_ptr<Prepared> prepared_;
  const Plan* plan_;
};

/// The whole stage: pixels [n x height*width] -> features [n x paths*h*w], on the context's threads or device.
FloatMatrix scatter(const Context& context, const ScatteringParams& params, FloatView pixels);

/// The instruction set the transform runs on here, "AVX2" for instance.
std::string scattering_simd();

}  // namespace pssc
