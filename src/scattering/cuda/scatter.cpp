#include "scatter.hpp"

#include <pssc/core/cuda_session.hpp>

#include <cstring>
#include <deque>
#include <mutex>

namespace pssc::cuda {

std::unique_ptr<const ScatterPlan> make_scatter_plan(const Scattering::Plan& plan) {
  if (auto fused = make_fused_plan(plan)) return fused;
  return make_general_plan(plan);
}

FloatMatrix dense_filter(const Scattering::Plan& plan, std::size_t j, std::size_t t, std::size_t from) {
  const std::size_t rows = plan.rows(from), cols = plan.cols(from), stride = plan.half_stride(from);
  FloatMatrix dense(rows, cols);
  for (const SparseFilter::Term& term : plan.filter(j, t, from).terms) {
    const std::size_t row = term.source / stride, col = term.source % stride;
    // The sparse filter's weights are half of these, and a conjugate stands for its mirror image.
    if ((term.re < 0) == (term.im < 0))
      dense(row, col) = 2 * term.re;
    else
      dense((rows - row) % rows, cols - col) = 2 * term.re;
  }
  return dense;
}

namespace {

/// Pinned memory that pixels are copied from, the device's memory that they are copied to, and when both are free.
struct Slot {
  float *pinned = nullptr, *device = nullptr;
  std::size_t count = 0;
  cudaEvent_t copied = nullptr, used = nullptr;

  explicit Slot(std::size_t numbers) : count(numbers) {
    check(cudaMallocHost(reinterpret_cast<void**>(&pinned), count * sizeof(float)), "pin memory");
    check(cudaMalloc(reinterpret_cast<void**>(&device), count * sizeof(float)), "give memory");
    check(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming), "make an event");
    check(cudaEventCreateWithFlags(&used, cudaEventDisableTiming), "make an event");
  }
  ~Slot() {
    cudaEventSynchronize(used);
    cudaEventDestroy(used);
    cudaEventDestroy(copied);
    cudaFree(device);
    cudaFreeHost(pinned);
  }
  Slot(const Slot&) = delete;
};

/// Slots go round: the one that was used first is the first to be free again.
class Slots {
 public:
  std::unique_ptr<Slot> take(std::size_t numbers) {
    constexpr std::size_t most = 40;  // some more than threads, so that reading goes on while the device works
    std::unique_ptr<Slot> slot;
    {
      const std::lock_guard lock(mutex_);
      const bool ready = !free_.empty() && cudaEventQuery(free_.front()->used) == cudaSuccess;
      if (ready || (made_ >= most && !free_.empty())) {
        slot = std::move(free_.front());
        free_.pop_front();
      } else {
        ++made_;
      }
    }
    if (slot) check(cudaEventSynchronize(slot->used), "copy pixels");
    if (!slot || slot->count < numbers) slot = std::make_unique<Slot>(numbers);
    return slot;
  }
  void give_back(std::unique_ptr<Slot> slot) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(slot));
  }

 private:
  std::mutex mutex_;
  std::deque<std::unique_ptr<Slot>> free_;
  std::size_t made_ = 0;
};

Slots& slots() {
  static Slots& only = *new Slots;  // lives as long as the device does
  return only;
}

}  // namespace

void scatter(const ScatterPlan& plan, FloatView pixels, MatrixView<float> features) {
  if (pixels.on_device()) return plan.transform(pixels, features);
  const std::size_t width = pixels.cols(), numbers = pixels.rows() * width;
  if (numbers == 0) return;
  std::unique_ptr<Slot> slot = slots().take(numbers);
  for (std::size_t i = 0; i < pixels.rows(); ++i)
    std::memcpy(slot->pinned + i * width, pixels.row(i).data(), width * sizeof(float));
  check(cudaMemcpyAsync(slot->device, slot->pinned, numbers * sizeof(float), cudaMemcpyHostToDevice, upload_stream()),
        "copy pixels");
  check(cudaEventRecord(slot->copied, upload_stream()), "copy pixels");
  check(cudaStreamWaitEvent(stream(), slot->copied, 0), "copy pixels");
  plan.transform({slot->device, pixels.rows(), width, width, Place::device}, features);
  check(cudaEventRecord(slot->used, stream()), "copy pixels");
  slots().give_back(std::move(slot));
}

}  // namespace pssc::cuda
