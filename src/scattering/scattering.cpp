#include "cuda/scatter.hpp"
#include "kernel.hpp"

#include <pssc/core/cuda.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/scattering.hpp>

#include <mutex>

namespace pssc {

namespace {
constexpr std::size_t images_per_block = 64;    // four groups of 16 lanes: enough to spread, small enough to balance
constexpr std::size_t images_per_launch = 512;  // fills a GPU, while the next are on their way
}  // namespace

struct Scattering::Prepared {
  explicit Prepared(const ScatteringParams& params) : plan(params) {}
  const Plan plan;
  std::once_flag once;  ///< the device's is made when it is first asked for
  std::unique_ptr<const cuda::ScatterPlan> on_device;

  /// The one that was made last stays: most programs need no other, and filters take some hundredths of a second.
  static std::shared_ptr<Prepared> of(const ScatteringParams& params) {
    static std::mutex mutex;
    static std::shared_ptr<Prepared>& last = *new std::shared_ptr<Prepared>;
    const std::lock_guard lock(mutex);
    if (!last || !(last->plan.params == params)) last = std::make_shared<Prepared>(params);
    return last;
  }
};

Scattering::Scattering(const ScatteringParams& params) : prepared_(Prepared::of(params)), plan_(&prepared_->plan) {}
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
      std::call_once(prepared_->once, [&] { prepared_->on_device = cuda::make_scatter_plan(*plan_); });
      return cuda::scatter(*prepared_->on_device, pixels, features);
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
