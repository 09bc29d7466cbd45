// How fast a model places images beside the scattering alone, of the same images, in one run, turn by turn.
//   bench_predicting MODEL INPUT [ROUNDS]
#include <pssc/core/error.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/pipeline.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

double seconds(const std::function<void()>& body) {
  const auto began = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// All images are in memory as pixels; features are written over each other, as they are when images are placed.
double scatter_all(const pssc::Context& context, const pssc::ImageSet& images) {
  const pssc::Scattering transform({.height = images.size(), .width = images.size()});
  constexpr std::size_t chunk = 2048, block = 64;
  const std::size_t pixels = images.size() * images.size();
  pssc::FloatMatrix shown(chunk, pixels), features(chunk, transform.dimension());
  double time = 0;
  for (std::size_t first = 0; first < images.count(); first += chunk) {
    const std::size_t n = std::min(chunk, images.count() - first);
    std::vector<pssc::BrokenImage> broken;
    images.read(first, first + n, {shown.data(), n * pixels}, broken);
    time += seconds([&] {
      pssc::parallel_blocks(context, n, block, [&](std::size_t begin, std::size_t end) {
        transform.transform(shown.view().row_range(begin, end), features.view().row_range(begin, end));
      });
    });
  }
  return time;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) return std::fprintf(stderr, "bench_predicting MODEL INPUT [ROUNDS]\n"), 2;
  const pssc::Model model = pssc::Model::load(argv[1]);
  const auto images = pssc::open_images(argv[2], model.image_params());
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  const pssc::Context context;
  std::vector<double> scattering, predicting;
  for (int i = 0; i < rounds; ++i) {
    scattering.push_back(scatter_all(context, *images));
    predicting.push_back(seconds([&] { model.predict(context, *images, [](const auto&, auto) {}); }));
  }
  const double n = static_cast<double>(images->count()), a = n / median(scattering), b = n / median(predicting);
  std::printf("scattering %.0f images/s, predicting %.0f images/s: %.1f %%\n", a, b, 100 * b / a);
} catch (const std::exception& error) {
  return std::fprintf(stderr, "bench_predicting: %s\n", error.what()), 1;
}
