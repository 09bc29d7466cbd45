// Clusters a folder of images, or any other input the command takes, and prints a cluster number an image.
//   cluster_images INPUT K
#include <pssc/pssc.hpp>

#include <cstdlib>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: cluster_images INPUT K\n";
    return 2;
  }
  try {
    const pssc::Context context;
    pssc::Parameters parameters = pssc::preset("tuned");
    parameters.clusters = std::strtoul(argv[2], nullptr, 10);

    const auto images = pssc::open_images(argv[1], {});
    const pssc::Run run = pssc::cluster(context, parameters, *images);
    for (std::size_t i = 0; i < run.count; ++i) std::cout << run.ids[i] << ' ' << run.clustering.labels[i] << '\n';
    if (run.metrics) std::cerr << "accuracy " << run.metrics->accuracy << '\n';
  } catch (const pssc::Error& error) {
    std::cerr << "cluster_images: " << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
}
