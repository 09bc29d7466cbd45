#include "blas.hpp"

#include <pssc/core/context.hpp>
#include <pssc/core/device.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/random.hpp>

#include <thread>

namespace pssc {

Device device_named(const std::string& name) {
  if (name == "cpu") return Device::cpu;
  if (name != "auto" && name != "cuda")
    throw usage_error("--device cannot be '" + name + "'; it is one of auto, cpu, cuda");
  const Accelerator found = find_accelerator();
  if (!found.usable && name == "cuda") throw run_error(found.reason + "; use --device cpu");
  if (!found.usable || (name == "auto" && free_device_memory() < Context::default_memory)) return Device::cpu;
  return Device::cuda;
}

Context::Context(unsigned threads, std::uint64_t seed, Device device) : seed_(seed), device_(device) {
  if (device == Device::cuda)
    if (const Accelerator found = find_accelerator(); !found.usable) throw run_error(found.reason);
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  blas_ = std::make_shared<OneBlasThread>();
  reserve_blas_memory(threads + 1);  // LAPACK takes one beside those of its products
  pool_ = std::make_shared<ThreadPool>(threads);
  ranks_ = std::make_shared<Communicator>();
}

Context::~Context() = default;
Context::Context(const Context&) = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;

Context Context::alone() const {
  Context context(*this);
  context.ranks_ = std::make_shared<Communicator>();
  return context;
}

Context Context::on_host() const {
  Context context(*this);
  context.device_ = Device::cpu;
  return context;
}

Context Context::reseeded(std::uint64_t number) const {
  Context context(*this);
  context.seed_ = Random(seed_, number).bits();
  return context;
}

unsigned Context::threads() const {
  return pool_->size();
}

}  // namespace pssc
