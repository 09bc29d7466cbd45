// Images in somebody's memory: the same as those of a file, whatever the strides; lists of paths.
#include "support/image_files.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace pssc::test {
namespace {

/// Numbers in C order, and the strides that go with them.
template <class T>
struct Block {
  std::vector<T> numbers;
  ArrayView view;

  Block(std::string type, std::vector<std::size_t> shape) {
    view.type = std::move(type);
    view.shape = std::move(shape);
    std::size_t count = 1;
    for (const std::size_t side : view.shape) count *= side;
    numbers.resize(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<T>((7 * i + i / 11) % 251);
    view.strides.resize(view.shape.size());
    auto stride = static_cast<std::ptrdiff_t>(sizeof(T));
    for (std::size_t axis = view.shape.size(); axis-- > 0; stride *= static_cast<std::ptrdiff_t>(view.shape[axis]))
      view.strides[axis] = stride;
    view.data = numbers.data();
  }

  std::vector<float> from_file(const TempFolder& folder, std::size_t size, Colour colour) const {
    const auto path = folder.write("x.npy", encode_npy(view.type, view.shape, bytes_of(numbers)));
    return read_all_images(*open_images(path, params_of_size(size, colour)));
  }
};

std::vector<float> read_view(const ArrayView& view, std::size_t size, Colour colour = Colour::grey) {
  return read_all_images(*images_from_memory(view, params_of_size(size, colour)));
}

/// The same array with its numbers moved apart: axis `axis` first, and `gap` elements between neighbours.
template <class T>
std::pair<std::vector<T>, ArrayView> spread(const Block<T>& block, std::size_t axis, std::size_t gap) {
  const auto& shape = block.view.shape;
  ArrayView view = block.view;
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[0], order[axis]);
  auto stride = static_cast<std::ptrdiff_t>(gap * sizeof(T));
  for (std::size_t i = order.size(); i-- > 0; stride *= static_cast<std::ptrdiff_t>(shape[order[i]]))
    view.strides[order[i]] = stride;
  std::vector<T> memory(gap * block.numbers.size());
  std::vector<std::size_t> index(shape.size());
  for (const T number : block.numbers) {
    std::ptrdiff_t at = 0;
    for (std::size_t i = 0; i < index.size(); ++i) at += static_cast<std::ptrdiff_t>(index[i]) * view.strides[i];
    std::memcpy(reinterpret_cast<char*>(memory.data()) + at, &number, sizeof(T));
    for (std::size_t i = index.size(); i-- > 0 && ++index[i] == shape[i];) index[i] = 0;
  }
  view.data = memory.data();
  return {std::move(memory), view};
}

template <class T>
void expect_same_in_every_layout(const Block<T>& block, std::size_t size, Colour colour) {
  const TempFolder folder;
  const auto expected = block.from_file(folder, size, colour);
  EXPECT_EQ(read_view(block.view, size, colour), expected);
  for (std::size_t axis = 0; axis < block.view.shape.size(); ++axis)
    for (const std::size_t gap : {1, 2, 5}) {
      const auto [memory, view] = spread(block, axis, gap);
      EXPECT_EQ(read_view(view, size, colour), expected) << "axis " << axis << ", gap " << gap;
    }
}

TEST(ImagesInMemory, AreThoseOfTheFileInEveryLayout) {
  expect_same_in_every_layout(Block<std::uint8_t>("|u1", {7, 5, 9}), 12, Colour::grey);
  expect_same_in_every_layout(Block<float>("<f4", {7, 5, 9}), 12, Colour::grey);
  expect_same_in_every_layout(Block<float>("<f4", {1, 1, 9}), 4, Colour::grey);
  expect_same_in_every_layout(Block<std::uint8_t>("|u1", {4, 6, 5, 3}), 8, Colour::grey);
  expect_same_in_every_layout(Block<double>("<f8", {4, 6, 5, 3}), 4, Colour::channels);
  expect_same_in_every_layout(Block<std::int16_t>("<i2", {1, 1, 1}), 3, Colour::grey);
}

TEST(ImagesInMemory, MayLieBackwards) {
  Block<float> block("<f4", {3, 4, 5});
  const auto forwards = read_view(block.view, 5);
  std::ranges::reverse(block.numbers);
  block.view.data = block.numbers.data() + block.numbers.size() - 1;
  for (auto& stride : block.view.strides) stride = -stride;
  EXPECT_EQ(read_view(block.view, 5), forwards);
}

TEST(ImagesInMemory, ReadSomeAtATime) {
  const Block<float> block("<f4", {300, 17, 13});
  const auto [memory, view] = spread(block, 2, 3);
  const auto set = images_from_memory(view, params_of_size(17));
  EXPECT_EQ(set->name(), "the array");
  EXPECT_EQ(set->id(299), "299");
  const auto all = read_all_images(*set);
  std::vector<float> some(3 * 17 * 17);
  std::vector<BrokenImage> broken;
  set->read(211, 214, some, broken);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + 211 * 17 * 17));
  std::vector<float> rows(2 * 17 * 13);
  read_rows(view, 5, 7, rows);
  EXPECT_TRUE(std::equal(rows.begin(), rows.end(), block.numbers.begin() + 5 * 17 * 13));
}

TEST(ImagesInMemory, RefuseWhatIsNoImage) {
  const auto refused = [](ArrayView view, const std::vector<std::string>& words) {
    expect_input_error([&] { images_from_memory(view, params_of_size(4)); }, words);
  };
  Block<float> block("<f4", {2, 3, 4});
  refused({block.numbers.data(), "<f2", {2, 3, 4}, {24, 8, 2}}, {"the array", "<f2", "uint8 or float32"});
  refused({block.numbers.data(), "<f4", {24}, {4}}, {"the array", "[24]"});
  refused({block.numbers.data(), "<f4", {0, 3, 4}, {48, 16, 4}}, {"no images"});
  refused({block.numbers.data(), "<f4", {2, 3, 4}, {4}}, {"3 axes and 1 strides"});
  block.numbers[13] = std::numeric_limits<float>::quiet_NaN();
  refused(block.view, {"NaN", "image 1"});
}

TEST(ImagesInFiles, OfAListOfPaths) {
  const TempFolder folder;
  const auto first = folder.write("a.pgm", encode_pnm(gradient(4, 4, 1)));
  const auto second = folder.write("b.txt", "no image");
  const auto set = images_from_files({first, second}, params_of_size(4));
  EXPECT_EQ(set->count(), 2u);
  EXPECT_EQ(set->id(0), first);
  std::vector<BrokenImage> broken;
  read_all_images(*set, &broken);
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].index, 1u);
  expect_input_error([&] { images_from_files({"none", "neither"}, params_of_size(4)); }, {"none of the 2 paths"});
}

}  // namespace
}  // namespace pssc::test
