#include "pipeline/feature_source.hpp"

#include <pssc/core/error.hpp>

#include <gtest/gtest.h>

namespace pssc {
namespace {

/// Images of noise, of which some cannot be read.
class HalfBroken : public ImageSet {
 public:
  explicit HalfBroken(std::size_t n) : n_(n) {
    size_ = 8;
    name_ = "half broken";
  }
  std::size_t count() const override { return n_; }
  std::size_t channels() const override { return 1; }
  std::string id(std::size_t i) const override { return std::to_string(i); }
  void read(std::size_t begin, std::size_t end, std::span<float> pixels,
            std::vector<BrokenImage>& broken) const override {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t k = 0; k < 64; ++k) pixels[(i - begin) * 64 + k] = is_broken(i) ? 0 : static_cast<float>(i + k);
    for (std::size_t i = begin; i < end; ++i)
      if (is_broken(i)) broken.push_back({i, id(i), "broken on purpose"});
  }
  static bool is_broken(std::size_t i) { return i % 7 == 3 || (i >= 2048 && i < 4096); }

 private:
  std::size_t n_;
};

TEST(FeatureSource, BrokenImagesLeaveNoRowWhetherFeaturesAreKeptOrNot) {
  const HalfBroken images(5000);
  Parameters parameters;
  parameters.features = Features::pixels;
  for (const std::size_t memory : {std::size_t{1} << 30, std::size_t{1000}}) {
    Context context(2);
    context.memory = memory;
    FeatureSource source(context, parameters, images);
    for (int pass = 0; pass < 3; ++pass) {
      std::vector<float> first;
      source.for_each_chunk("reading", [&](FloatView rows) {
        for (std::size_t i = 0; i < rows.rows(); ++i) first.push_back(rows(i, 0));
      });
      std::vector<float> expected;
      for (std::size_t i = 0; i < 5000; ++i)
        if (!HalfBroken::is_broken(i)) expected.push_back(static_cast<float>(i));
      ASSERT_EQ(first, expected) << "pass " << pass << ", memory " << memory;
      ASSERT_EQ(source.count(), expected.size());
      ASSERT_EQ(source.kept().size(), expected.size());
      ASSERT_EQ(source.kept()[3], 4);
    }
    EXPECT_EQ(source.skipped().front().index, 3);
  }
}

}  // namespace
}  // namespace pssc
