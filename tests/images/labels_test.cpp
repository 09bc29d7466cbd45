#include "support/image_files.hpp"

namespace pssc::test {
namespace {

using Names = std::vector<std::string>;
using Values = std::vector<std::int32_t>;

Labels csv(const TempFolder& folder, const std::string& text) {
  return read_labels(folder.write("labels.csv", text));
}

TEST(Labels, OneALine) {
  const TempFolder folder;
  const Labels labels = csv(folder, "cat\ndog\ncat\n");
  EXPECT_EQ(labels.names, (Names{"cat", "dog"}));
  EXPECT_EQ(labels.values, (Values{0, 1, 0}));
  EXPECT_EQ(csv(folder, "3\r\n10\r\n\r\n-1").names, (Names{"-1", "3", "10"}));
}

TEST(Labels, NumbersSortAsNumbersAndTextAsText) {
  const TempFolder folder;
  EXPECT_EQ(csv(folder, "10\n9\n2.5\n").names, (Names{"2.5", "9", "10"}));
  EXPECT_EQ(csv(folder, "10\n9\nten\n").names, (Names{"10", "9", "ten"}));
}

TEST(Labels, AColumnByItsHeader) {
  const TempFolder folder;
  const Labels ours = csv(folder, "id,cluster,confidence,outlier\na.png,4,0.5,0\nb.png,2,0.25,1\n");
  EXPECT_EQ(ours.names, (Names{"2", "4"}));
  EXPECT_EQ(ours.values, (Values{1, 0}));
  EXPECT_EQ(csv(folder, "cluster,label\n1,x\n2,y\n").names, (Names{"x", "y"}));
  EXPECT_EQ(csv(folder, "label\n1\n").names, (Names{"1"}));
  EXPECT_EQ(csv(folder,
                "\xef\xbb\xbf"
                "id , class\n1, z \n")
                .names,
            (Names{"z"}));
}

TEST(Labels, QuotesOfRfc4180) {
  const TempFolder folder;
  const Labels labels = csv(folder, "id,label\n\"a,\"\"b\"\"\nc\",\"x,1\"\nd,\"say \"\"no\"\"\"\n");
  EXPECT_EQ(labels.names, (Names{"say \"no\"", "x,1"}));
  EXPECT_EQ(labels.values, (Values{1, 0}));
}

TEST(Labels, Arrays) {
  const TempFolder folder;
  EXPECT_EQ(read_labels(folder.write("a", encode_idx(0x08, {3}, {9, 1, 9}))).values, (Values{1, 0, 1}));
  EXPECT_EQ(read_labels(folder.write("a.gz", gzip(encode_idx(0x08, {3}, {9, 1, 9})))).names, (Names{"1", "9"}));
  const Bytes longs = bytes_of(std::vector<std::int64_t>{10, -3});
  EXPECT_EQ(read_labels(folder.write("a.npy", encode_npy("<i8", {2}, longs))).names, (Names{"-3", "10"}));
  EXPECT_EQ(read_labels(folder.write("a.npy", encode_npy("<i8", {2, 1}, longs))).values, (Values{1, 0}));
  const Bytes floats = bytes_of(std::vector<float>{2, 0, 2});
  EXPECT_EQ(read_labels(folder.write("f.npy", encode_npy("<f4", {3}, floats))).names, (Names{"0", "2"}));
}

TEST(Labels, BadFilesAreRefused) {
  const TempFolder folder;
  const auto refused = [&](const std::string& name, const Bytes& bytes, std::vector<std::string> words) {
    words.push_back(name);
    const auto file = folder.write(name, bytes);
    expect_input_error([&] { read_labels(file); }, words);
  };
  const auto text = [](const std::string& t) { return Bytes(t.begin(), t.end()); };
  refused("empty.csv", {}, {"no labels"});
  refused("header.csv", text("id,label\n"), {"no labels"});
  refused("columns.csv", text("a,b\n1,2\n"), {"2 columns", "label, cluster or class"});
  refused("ragged.csv", text("id,label\n1,2\n3\n"), {"line 3", "no label"});
  refused("quote.csv", text("id,label\n1,\"2\n3,4\n"), {"line 2", "quote"});
  refused("binary.csv", {'1', 0, '2'}, {"neither"});
  refused("rank.npy", encode_npy("|u1", {2, 2}, counting(4)), {"[2, 2]"});
  refused("none.npy", encode_npy("|u1", {0}, {}), {"no labels"});
  refused("half.npy", encode_npy("<f8", {2}, bytes_of(std::vector<double>{1, 1.5})), {"1.5", "whole"});
  refused("nan.npy", encode_npy("<f4", {1}, bytes_of(std::vector<float>{__builtin_nanf("")})), {"whole"});
  refused("short.npy", Bytes(50), {"not an npy"});
  expect_input_error([&] { read_labels(folder.string("absent.csv")); }, {"absent.csv", "No such file"});
  expect_input_error([&] { read_labels(folder.string()); }, {"is a folder"});
}

TEST(Labels, TheirCountMustBeTheImages) {
  const TempFolder folder;
  const auto images = folder.write("images", encode_idx(0x08, {3, 2, 2}, counting(12)));
  ImageParams params = params_of_size(2);
  params.labels = folder.write("labels.csv", std::string("a\nb\na\n"));
  const auto set = open_images(images, params);
  ASSERT_TRUE(set->labels());
  EXPECT_EQ(set->labels()->values, (Values{0, 1, 0}));
  params.labels = folder.write("few.csv", std::string("a\nb\n"));
  expect_input_error([&] { open_images(images, params); },
                     {"few.csv holds 2 labels", "holds 3 images", "one label an image"});
}

}  // namespace
}  // namespace pssc::test
