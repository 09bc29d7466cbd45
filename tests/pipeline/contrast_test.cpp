// --contrast local, from images to labels and through the model.
#include "images_of.hpp"

#include <pssc/pipeline.hpp>

#include <gtest/gtest.h>

namespace pssc {
namespace {

Parameters with(Contrast contrast, std::size_t clusters = 10) {
  Parameters p = preset("tuned");
  p.clusters = clusters;
  p.contrast = contrast;
  return p;
}

TEST(Contrast, DigitsInUnevenLightAreFoundAgain) {
  const test::UnevenlyLit images(1500);
  const double plain = cluster(Context(), with(Contrast::none), images).metrics->accuracy;
  const double even = cluster(Context(), with(Contrast::local), images).metrics->accuracy;
  EXPECT_GT(even, 0.9);
  EXPECT_GT(even, plain + 0.1);
}

TEST(Contrast, IsAsIfTheImagesHadBeenEvenedOutBefore) {
  const test::UnevenlyLit images(300);
  const CanvasShape shape{images.size(), 1};
  std::vector<float> pixels(300 * shape.numbers());
  std::vector<BrokenImage> broken;
  images.read(0, 300, pixels, broken);
  for (std::size_t i = 0; i < 300; ++i)
    even_contrast(shape, std::span(pixels).subspan(i * shape.numbers(), shape.numbers()));
  const auto rows = static_cast<std::ptrdiff_t>(4 * shape.size);
  const ArrayView view{
      pixels.data(), "<f4", {300, shape.size, shape.size}, {static_cast<std::ptrdiff_t>(shape.size) * rows, rows, 4}};
  const auto inside = cluster(Context(), with(Contrast::local), images);
  const auto before = cluster(Context(), with(Contrast::none), *images_from_memory(view, {.size = shape.size}));
  EXPECT_EQ(inside.clustering.labels, before.clustering.labels);
}

std::vector<Label> placed(const Model& model, const ImageSet& images) {
  std::vector<Label> labels;
  model.predict(Context(), images, [&](const Clustering& some, std::span<const std::size_t>) {
    labels.insert(labels.end(), some.labels.begin(), some.labels.end());
  });
  return labels;
}

TEST(Contrast, GoesWithTheModelWhichEarlierProgramsThenRefuse) {
  const test::UnevenlyLit images(400);
  const Model even = *cluster(Context(), with(Contrast::local, 4), images).model,
              plain = *cluster(Context(), with(Contrast::none, 4), images).model;
  const auto version = [](const Model& model) { return int{model.bytes()[8]}; };
  EXPECT_EQ(version(even), 3);
  EXPECT_EQ(version(plain), 2);  // as it was before there was a contrast
  const Model again = Model::from_bytes(even.named({"a", "b", "c", "d"}).bytes(), "again");
  EXPECT_EQ(placed(again, images), placed(even, images));
  EXPECT_EQ(again.named({}).bytes(), even.bytes());
  EXPECT_NE(placed(plain, images), placed(even, images));
}

}  // namespace
}  // namespace pssc
