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

TEST(FeatureSource, BrokenImagesLeaveNoRow) {
  const HalfBroken images(5000);
  Parameters parameters;
  parameters.features = Features::pixels;
  const Context context(2);
  FeatureSource source(context, parameters, images);
  std::vector<std::size_t> every_third, readable;
  for (std::size_t i = 0; i < 5000; i += 3) {
    every_third.push_back(i);
    if (!HalfBroken::is_broken(i)) readable.push_back(i);
  }
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<std::size_t> seen, first;
    source.for_each_chunk("reading", every_third, [&](FloatView rows, std::span<const std::size_t> which) {
      ASSERT_EQ(rows.rows(), which.size());
      for (std::size_t i = 0; i < rows.rows(); ++i) first.push_back(static_cast<std::size_t>(rows(i, 0)));
      seen.insert(seen.end(), which.begin(), which.end());
    });
    EXPECT_EQ(seen, readable) << "pass " << pass;
    EXPECT_EQ(first, readable) << "pass " << pass;
  }
  EXPECT_EQ(source.skipped().size(), every_third.size() - readable.size());
  source.find_broken();
  const std::vector<std::size_t> kept = source.kept();
  for (const std::size_t i : kept) EXPECT_FALSE(HalfBroken::is_broken(i));
  EXPECT_EQ(kept.size() + source.skipped().size(), 5000);
  EXPECT_EQ(source.skipped().front().index, 3);
}

}  // namespace
}  // namespace pssc
