#include "cuda/scatter.hpp"
#include "kernel.hpp"

#include <pssc/core/cuda.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/scattering.hpp>

#include <mutex>

namespace pssc {

namespace {
constexpr std::size_t images_per_block = 64;     // four groups of 16 lanes: enough to spread, small enough to balance
constexpr std::size_t images_per_launch = 1024;  // fills a GPU, while the next are on their way
}  // namespace

/// The plan on a device, made when it is first asked for.
struct Scattering::DevicePlan {
  std::once_flag once;
  std::unique_ptr<const cuda::ScatterPlan> plan;
};

Scattering::Scattering(const ScatteringParams& params)
    : plan_(std::make_unique<const Plan>(params)), device_(std::make_unique<DevicePlan>()) {}
Scattering::~Scattering() = default;
Scattering::Scattering(Scattering&&) noexcept = default;

const ScatteringParams& Scattering::params() const {
  return plan_->params;
}
const std::vector<ScatteringPath>& Scattering::paths() const {
  return plan_->paths;
}
std::size_t Scattering::output_height() const {
  return plan_->output_rows;
}
std::size_t Scattering::output_width() const {
  return plan_->output_cols;
}
std::size_t Scattering::dimension() const {
  return paths().size() * output_height() * output_width();
}

void Scattering::transform(FloatView pixels, MatrixView<float> features) const {
  if (pixels.cols() != params().height * params().width || features.cols() != dimension() ||
      pixels.rows() != features.rows())
    throw usage_error("scattering was given pixels or features of the wrong shape");
  if constexpr (with_cuda)
    if (features.on_device()) {
      std::call_once(device_->once, [&] { device_->plan = cuda::make_scatter_plan(*plan_); });
      return cuda::scatter(*device_->plan, pixels, features);
    }
  Matrix<std::byte> memory(1, scatter_buffer_bytes(*plan_));
  scatter_images(*plan_, {pixels.data(), pixels.stride(), features.data(), features.stride(), pixels.rows()},
                 memory.data());
}

FloatMatrix scatter(const Context& context, const ScatteringParams& params, FloatView pixels) {
  const Scattering scattering(params);
  FloatMatrix features(pixels.rows(), scattering.dimension(), context.place());
  const std::size_t block = features.view().on_device() ? images_per_launch : images_per_block;
  parallel_blocks(context, "scattering", pixels.rows(), block, [&](std::size_t begin, std::size_t end) {
    scattering.transform(pixels.row_range(begin, end), features.view().row_range(begin, end));
  });
  return features;
}

}  // namespace pssc
