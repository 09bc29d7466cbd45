// Images smaller than the canvas, and images in colour, from arrays to labels.
#include "images_of.hpp"

#include <pssc/pipeline.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace pssc {
namespace {

/// Digits of 28 x 28 whose ground is anything from black to white, and whose strokes are stronger or fainter.
struct Exposed {
  explicit Exposed(std::size_t count) {
    const auto digits = open_images("synthetic:" + std::to_string(count), {.size = side});
    truth = digits->labels()->values;
    pixels.resize(count * side * side);
    std::vector<BrokenImage> broken;
    digits->read(0, count, pixels, broken);
    for (std::size_t i = 0; i < count; ++i) {
      Random random(8, i);
      const double gain = std::exp(random.uniform(-2, 0)), level = random.uniform(0, 255 * (1 - gain));
      for (std::size_t k = 0; k < side * side; ++k) {
        float& value = pixels[i * side * side + k];
        value = static_cast<float>(level + gain * double{value});
      }
    }
  }
  std::unique_ptr<ImageSet> open(const ImageParams& params) const {
    const std::ptrdiff_t row = 4 * side;
    return images_from_memory({pixels.data(), "<f4", {truth.size(), side, side}, {row * side, row, 4}}, params);
  }

  static constexpr std::size_t side = 28;
  std::vector<float> pixels;
  std::vector<std::int32_t> truth;
};

Parameters tuned(std::size_t clusters) {
  Parameters p = preset("tuned");
  p.clusters = clusters;
  return p;
}

TEST(Frame, SmallImagesOnAGroundThatIsNotBlackFillTheCanvas) {
  const Exposed images(1500);
  const auto accuracy = [&](Frame frame) {
    const auto run = cluster(Context(), tuned(10), *images.open({.frame = frame}));
    return evaluate(run.clustering.labels, images.truth).accuracy;
  };
  const double enlarged = accuracy(Frame::automatic);
  EXPECT_GT(enlarged, 0.9);
  EXPECT_GT(enlarged, accuracy(Frame::black) + 0.05);
}

TEST(Frame, GoesWithTheModel) {
  const Exposed images(300);
  const auto run = cluster(Context(), tuned(4), *images.open({}));
  EXPECT_EQ(run.frame, Frame::none);
  const Model again = Model::from_bytes(run.model->named({"a", "b", "c", "d"}).bytes(), "again");
  EXPECT_EQ(again.image_params().frame, Frame::none);
  EXPECT_EQ(int{again.bytes()[8]}, 3);
  std::vector<Label> labels;
  again.predict(Context(), *images.open(again.image_params()),
                [&](const Clustering& some, std::span<const std::size_t>) {
                  labels.insert(labels.end(), some.labels.begin(), some.labels.end());
                });
  EXPECT_EQ(labels, run.clustering.labels);
  EXPECT_NE(summary_json(Context(), run).find("\"frame\": \"none\""), std::string::npos);
}

std::size_t notes_on_colours(const ImageSet& images) {
  const auto run = cluster(Context(), tuned(2), images);
  return static_cast<std::size_t>(std::ranges::count_if(
      run.clustering.notes, [](const std::string& note) { return note.find("have colours") != note.npos; }));
}

TEST(Frame, ColoursThatAreNotUsedAreToldOnce) {
  std::vector<std::uint8_t> pixels(40 * 32 * 32 * 3);
  Random random(4);
  for (std::uint8_t& value : pixels) value = static_cast<std::uint8_t>(random.uniform(0, 255));
  const ArrayView view{pixels.data(), "|u1", {40, 32, 32, 3}, {3072, 96, 3, 1}};
  EXPECT_EQ(notes_on_colours(*images_from_memory(view, {})), 1);
  EXPECT_EQ(notes_on_colours(*images_from_memory(view, {.colour = Colour::channels})), 0);
  EXPECT_EQ(notes_on_colours(*open_images("synthetic:40", {})), 0);
}

}  // namespace
}  // namespace pssc
