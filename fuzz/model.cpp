// model.pssc. The checksum at its end is set right, so that what stands before it is read; what is read without
// complaint must place images, or refuse to.
#include "images.hpp"

#include <pssc/core/sha256.hpp>
#include <pssc/pipeline.hpp>

using namespace pssc;

namespace {

void mend_checksum(std::string& file) {
  constexpr std::size_t digest_length = 64;
  if (file.size() < digest_length) return;
  const std::size_t body = file.size() - digest_length;
  file.replace(body, digest_length, sha256_hex(std::string_view(file).substr(0, body)));
}

constexpr std::size_t images_placed = 2;

void place(const Model& model) {
  ImageParams params = model.image_params();
  if (params.size > 64) return;  // sound, and slow
  const auto images = open_images("synthetic:" + std::to_string(images_placed), params);
  const Context context(1);
  model.predict(context, *images, [&](const Clustering& placed, std::span<const std::size_t> rows) {
    fuzz::require(placed.labels.size() == rows.size(), "as many labels as images");
    for (const Label label : placed.labels) fuzz::require(label >= 0, "an image that is in no cluster");
  });
  model.probabilities(context, *images, [&](FloatView values, std::span<const std::size_t>) {
    fuzz::require(values.cols() == model.clusters(), "as many probabilities as clusters");
  });
  if (model.embedding_dims() > 0) model.embedding(context, *images, [](FloatView, std::span<const std::size_t>) {});
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string file(fuzz::text_of(data, size));
  mend_checksum(file);
  fuzz::unless_refused([&] { place(Model::from_bytes(file, "model.pssc")); });
  return 0;
}
