#include "running.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace pssc::python {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto between_signals = 50ms, between_reports = 100ms;

/// True at most once in a span of time: taking the interpreter's lock is not free.
class Every {
 public:
  explicit Every(Clock::duration span) : span_(span) {}
  bool due() {
    const auto now = Clock::now();
    if (now < next_) return false;
    next_ = now + span_;
    return true;
  }

 private:
  Clock::duration span_;
  Clock::time_point next_{};
};

void look_for_signals() {
  const py::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw PythonRaised();
}

/// Hands progress on: each new stage, each end of one, and now and then between.
class Reporter {
 public:
  explicit Reporter(py::handle callback) : callback_(callback) {}

  void operator()(const Progress& progress) {
    const bool new_stage = progress.stage != stage_;
    if (!every_.due() && !new_stage && progress.done != progress.total) return;
    stage_ = progress.stage;
    const py::gil_scoped_acquire locked;
    try {
      callback_(stage_, progress.done, progress.total);
    } catch (py::error_already_set& error) {
      error.restore();
      throw PythonRaised();
    }
  }

 private:
  py::handle callback_;  // the settings hold it
  std::string stage_;
  Every every_{between_reports};
};

}  // namespace

Context make_context(const Settings& settings) {
  Context context(settings.threads, settings.seed, settings.device);
  context.memory = settings.memory;
  context.interrupt = [every = Every(between_signals)]() mutable {
    if (every.due()) look_for_signals();
  };
  if (!settings.progress.is_none()) context.progress = Reporter(settings.progress);
  return context;
}

void bind_settings(py::module_& module) {
  py::class_<Settings>(module, "Settings", "Where and how a call happens.")
      .def(py::init([](unsigned threads, std::uint64_t seed, std::size_t memory, const std::string& device,
                       py::object progress) {
             return Settings{threads, seed, memory, device_named(device), std::move(progress)};
           }),
           py::arg("threads") = 0, py::arg("seed") = 0, py::arg("memory") = Context::default_memory,
           py::arg("device") = "cpu", py::arg("progress") = py::none());
}

}  // namespace pssc::python
