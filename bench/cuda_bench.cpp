// How fast the GPU is at each stage, beside what its memory and its arithmetic allow, both measured here: times are of
// events on the stream, the median of many after a warm-up. Prints one JSON object.
//   bench_cuda [data set]...    whole runs of these, too; synthetic:N is made while it is clustered, and never held
#include "support/random_matrix.hpp"

#include <pssc/core/cuda.hpp>
#include <pssc/core/cuda_session.hpp>
#include <pssc/core/device.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/pssc.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

namespace pssc {
namespace {

using Json = nlohmann::ordered_json;

struct Rates {
  double bytes = 1, operations = 1;  ///< a second
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Seconds, by events around the work.
double seconds_of(const std::function<void()>& work, int times) {
  cudaEvent_t begin{}, end{};
  cuda::check(cudaEventCreate(&begin), "make an event");
  cuda::check(cudaEventCreate(&end), "make an event");
  std::vector<double> all;
  for (int i = 0; i < times + 2; ++i) {
    cuda::check(cudaEventRecord(begin, cuda::stream()), "time");
    work();
    cuda::check(cudaEventRecord(end, cuda::stream()), "time");
    cuda::check(cudaEventSynchronize(end), "time");
    float milliseconds = 0;
    cuda::check(cudaEventElapsedTime(&milliseconds, begin, end), "time");
    if (i >= 2) all.push_back(milliseconds / 1e3);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return median(all);
}

FloatMatrix tiled_on_device(const FloatMatrix& some, std::size_t rows) {
  FloatMatrix all(rows, some.cols(), Place::device);
  for (std::size_t first = 0; first < rows; first += some.rows()) {
    const std::size_t count = std::min(some.rows(), rows - first);
    copy_into(some.view().row_range(0, count), all.view().row_range(first, first + count));
  }
  return all;
}

FloatMatrix random_on_device(std::size_t rows, std::size_t cols) {
  return tiled_on_device(test::normal_matrix(std::min<std::size_t>(rows, 512), cols, 1), rows);
}

/// Rows whose covariance has a spectrum that falls as that of images does.
FloatMatrix features_on_device(std::size_t rows, std::size_t cols) {
  FloatMatrix some = test::normal_matrix(std::min<std::size_t>(rows, 4096), cols, 1);
  for (std::size_t i = 0; i < some.rows(); ++i)
    for (std::size_t j = 0; j < cols; ++j)
      some(i, j) *= static_cast<float>(std::pow(1.0 + static_cast<double>(j), -0.8));
  return tiled_on_device(some, rows);
}

/// Positive, and no two rows alike.
FloatMatrix images_on_device(std::size_t n) {
  FloatMatrix x = test::normal_matrix(n, 32 * 32, 3);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::abs(x.data()[i]) * 60;
  return copy_to(Place::device, x.view());
}

Rates measure_card(Json& out) {
  Rates rates;
  const std::size_t numbers = std::size_t{1} << 29;
  cuda::Array<float> from(numbers), to(numbers);
  const double copy = seconds_of(
      [&] { copy_numbers(from.data(), Place::device, to.data(), Place::device, numbers * sizeof(float)); }, 10);
  rates.bytes = 2 * static_cast<double>(numbers) * sizeof(float) / copy;
  const std::size_t n = 8192;
  const FloatMatrix a = random_on_device(n, n), b = random_on_device(n, n);
  FloatMatrix c(n, n, Place::device);
  const double product = seconds_of([&] { cuda::multiply_transposed(a, b, c); }, 10);
  rates.operations = 2.0 * n * n * n / product;
  out["card"] = {
      {"name", find_accelerator().name}, {"bytes_a_second", rates.bytes}, {"operations_a_second", rates.operations}};
  return rates;
}

class Stages {
 public:
  Stages(Json& out, Rates rates) : out_(out), rates_(rates) {}

  /// `bytes` and `operations`: the least that the stage must move and do.
  void time(const std::string& name, double items, double bytes, double operations, int times,
            const std::function<void()>& work) {
    const double seconds = seconds_of(work, times);
    const double floor = std::max(bytes / rates_.bytes, operations / rates_.operations);
    out_["stages"].push_back({{"stage", name},
                              {"milliseconds", seconds * 1e3},
                              {"floor", floor * 1e3},
                              {"items_a_second", items > 0 ? items / seconds : 0}});
    std::fprintf(stderr, "%-34s %9.3f ms, floor %8.3f ms, %12.0f a second\n", name.c_str(), seconds * 1e3, floor * 1e3,
                 items / seconds);
  }

 private:
  Json& out_;
  Rates rates_;
};

void time_stages(Json& out, Rates rates) {
  const Context context(0, 0, Device::cuda);
  Stages stages(out, rates);
  const Scattering transform({});
  const std::size_t D = transform.dimension(), sample = 20000;
  constexpr double N = 70000, scattering_operations = 4.4e6;
  {
    const std::size_t n = 16384;
    const FloatMatrix pixels = images_on_device(n);
    FloatMatrix features(n, D, Place::device);
    stages.time("scattering 32x32 J=3 L=8", n, 4.0 * n * (1024 + D), n * scattering_operations, 10,
                [&] { transform.transform(pixels, features); });
    const FloatMatrix here = copy_to(Place::host, pixels.view());
    stages.time("scattering, pixels on the host", n, 4.0 * n * (1024 + D), n * scattering_operations, 10, [&] {
      parallel_blocks(context, n, 1024, [&](std::size_t begin, std::size_t end) {
        transform.transform(here.view().row_range(begin, end), features.view().row_range(begin, end));
      });
    });
    const Scattering other({28, 28, 2, 8, 2});
    FloatMatrix some(1024, other.dimension(), Place::device);
    const FloatMatrix small = random_on_device(1024, 28 * 28);
    stages.time("scattering 28x28 J=2 (general)", 1024, 0, 0, 3, [&] { other.transform(small, some); });
  }
  const FloatMatrix features = features_on_device(sample, D);
  const auto d_sample = static_cast<double>(sample), d_D = static_cast<double>(D);
  FloatMatrix scratch = copy_to(Place::device, features.view());
  stages.time("equalise: statistics", d_sample, 4 * d_sample * d_D, 0, 10,
              [&] { fit_equaliser(context, Equalisation::maxnorm, features, 16); });
  const Equaliser maxnorm = fit_equaliser(context, Equalisation::maxnorm, features, 16);
  const Equaliser log{Equalisation::log, 16, maxnorm.scale};
  stages.time("equalise: maxnorm", d_sample, 8 * d_sample * d_D, 0, 10, [&] { equalise(context, maxnorm, scratch); });
  stages.time("equalise: log", d_sample, 8 * d_sample * d_D, 0, 10, [&] { equalise(context, log, scratch); });
  stages.time("moments 20000 x 3472", d_sample, 4 * d_sample * d_D, d_sample * d_D * d_D, 5, [&] {
    std::vector<float> mean;
    cuda::centred_products(scratch, mean);
  });
  std::vector<float> mean;
  const cuda::Array<double> products = cuda::centred_products(scratch, mean);
  stages.time("eigenvectors 3472 by cuSOLVER", 0, 0, 0, 3,
              [&] { cuda::leading_eigenpairs_single(cuda::rounded(products), D, 1000); });
  for (const std::size_t d : {300, 1000}) {
    stages.time("components 20000 x 3472 -> " + std::to_string(d), d_sample, 0, d_sample * d_D * d_D, 3,
                [&] { fit_pca(context, features, d); });
    const Projection projection{std::vector<float>(D), test::normal_matrix(d, D, 2), {}, 0};
    FloatMatrix y(sample, d, Place::device);
    stages.time("projection 20000 x 3472 -> " + std::to_string(d), d_sample,
                4 * d_sample * (d_D + static_cast<double>(d)), 2 * d_sample * d_D * static_cast<double>(d), 10,
                [&] { project(context, projection, features, y); });
  }
  const FloatMatrix y = copy_to(Place::device, test::blobs(70000, 300, 10, 4, 5).view());
  const FloatMatrix few = copy_to(Place::device, y.view().row_range(0, sample));
  const FloatMatrix points = copy_to(Place::device, y.view().row_range(0, 4000));
  stages.time("neighbours 70000 x 300, 4000", N, 4 * N * 300, 2 * N * 300 * 4000, 10,
              [&] { nearest(context, Search::exact, 5, y, points); });
  const USpecParams params{.candidates = sample, .representatives = 4000};
  stages.time("representatives 20000 -> 4000", d_sample, 0, 16 * 2 * d_sample * 300 * 4000, 3,
              [&] { choose_representatives(context, params, few); });
  const FloatMatrix representatives = choose_representatives(context, params, few);
  stages.time("graph and its eigenvectors, 4000", N, 0, 0, 3,
              [&] { reduce_graph(context, params, y, representatives.copy(), 31); });
  const ReducedGraph graph = reduce_graph(context, params, y, representatives.copy(), 31);
  stages.time("embedding and 10 k-means", N, 0, 0, 5, [&] { cut_graph(context, graph, 10, {.clusters = 10}); });
  const std::vector<Label> labels = cut_graph(context, graph, 10, {.clusters = 10}).labels;
  stages.time("whitening 70000 x 300", N, 4 * N * 300, N * 300 * 300, 5,
              [&] { fit_whitening(context, y, labels, 10, 0.1); });
  const FloatMatrix sampled = copy_to(Place::device, y.view().row_range(0, 20000));
  const std::vector<Label> sampled_labels(labels.begin(), labels.begin() + 20000);
  stages.time("ridge, 20000 x 2000", 20000, 4.0 * 20000 * 300, 2.0 * 20000 * 2000 * (300 + 2.5 * 2000), 3,
              [&] { RidgeRegression(context, {}, sampled, 10).refine(sampled_labels); });
}

/// All pixels of a set, read before the clock starts.
class InMemory : public ImageSet {
 public:
  explicit InMemory(const ImageSet& all) : count_(all.count()), pixels_(count_ * all.size() * all.size()) {
    name_ = all.name();
    size_ = all.size();
    labels_ = all.labels();
    const Context context;
    const std::size_t plane = size_ * size_;
    parallel_blocks(context, count_, 1024, [&](std::size_t begin, std::size_t end) {
      std::vector<BrokenImage> broken;
      all.read(begin, end, std::span(pixels_).subspan(begin * plane, (end - begin) * plane), broken);
    });
  }
  std::size_t count() const override { return count_; }
  std::size_t channels() const override { return 1; }
  std::string id(std::size_t i) const override { return std::to_string(i); }
  void read(std::size_t begin, std::size_t end, std::span<float> pixels, std::vector<BrokenImage>&) const override {
    std::copy_n(pixels_.data() + begin * size_ * size_, (end - begin) * size_ * size_, pixels.data());
  }

 private:
  std::size_t count_;
  std::vector<float> pixels_;
};

void time_runs(Json& out, const std::string& input) {
  const InMemory images(*open_images(input, {}));
  const Context context(0, 0, Device::cuda);
  for (const char* name : {"paper", "tuned"}) {
    Parameters p = preset(name);
    p.clusters = 10;
    std::vector<Run> runs;
    for (int i = 0; i < 6; ++i) runs.push_back(cluster(context, p, images));
    runs.erase(runs.begin());  // warm-up
    std::ranges::sort(runs, {}, &Run::total_seconds);
    const Run& middle = runs[runs.size() / 2];
    Json times = Json::array();
    double map = 0;
    for (const StageTime& t : middle.timings) {
      times.push_back({{"stage", t.stage}, {"seconds", t.seconds}});
      if (t.stage == "map") map = t.seconds;
      std::fprintf(stderr, "  %-34s %9.1f ms\n", t.stage.c_str(), t.seconds * 1e3);
    }
    std::fprintf(stderr, "%s, %s: %.3f s, without the map %.3f s, accuracy %.4f\n", input.c_str(), name,
                 middle.total_seconds, middle.total_seconds - map, middle.metrics ? middle.metrics->accuracy : 0);
    out["runs"].push_back({{"input", input},
                           {"preset", name},
                           {"seconds", middle.total_seconds},
                           {"to_labels", middle.total_seconds - map},
                           {"accuracy", middle.metrics ? middle.metrics->accuracy : 0},
                           {"timings", times}});
  }
}

/// Seconds to make all images of a set that is generated, by what some of them take.
double generation_seconds(const Context& context, const ImageSet& images) {
  constexpr std::size_t most = 1'000'000, block = 512;
  const std::size_t n = std::min(most, images.count()), plane = images.size() * images.size();
  const auto begin = std::chrono::steady_clock::now();
  parallel_blocks(context, n, block, [&](std::size_t first, std::size_t last) {
    std::vector<float> pixels((last - first) * plane);
    std::vector<BrokenImage> broken;
    images.read(first, last, pixels, broken);
  });
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return taken.count() * static_cast<double>(images.count()) / static_cast<double>(n);
}

/// Once, after a small one to warm up: what is asked for is minutes.
void time_streamed(Json& out, const std::string& input) {
  const Context context(0, 0, Device::cuda);
  Parameters p = preset("tuned");
  p.clusters = 10;
  cluster(context, p, *open_images("synthetic:20000", {}));
  const auto images = open_images(input, {});
  const double generation = generation_seconds(context, *images);
  const Run run = cluster(context, p, *images);
  Json times = Json::array();
  for (const StageTime& t : run.timings) times.push_back({{"stage", t.stage}, {"seconds", t.seconds}});
  out["streamed"].push_back({{"input", input},
                             {"seconds", run.total_seconds},
                             {"generation", generation},
                             {"accuracy", run.metrics ? run.metrics->accuracy : 0},
                             {"timings", times}});
  std::fprintf(stderr, "%s, tuned: %.1f s, of which making the images alone takes %.1f s, accuracy %.4f\n",
               input.c_str(), run.total_seconds, generation, run.metrics ? run.metrics->accuracy : 0);
}

}  // namespace
}  // namespace pssc

int main(int argc, char** argv) {
  using namespace pssc;
  if (const Accelerator found = find_accelerator(); !found.usable) {
    std::fprintf(stderr, "bench_cuda was not run: %s\n", found.reason.c_str());
    return 77;
  }
  Json out;
  const Rates rates = measure_card(out);
  time_stages(out, rates);
  for (int i = 1; i < argc; ++i)
    std::string_view(argv[i]).starts_with("synthetic:") ? time_streamed(out, argv[i]) : time_runs(out, argv[i]);
  std::printf("%s\n", out.dump(2).c_str());
  return 0;
}
