// Folders and lists of image files.
#include "support/image_files.hpp"

#include <algorithm>
#include <thread>

namespace pssc::test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

Names ids_of(const ImageSet& set) {
  Names ids;
  for (std::size_t i = 0; i < set.count(); ++i) ids.push_back(set.id(i));
  return ids;
}

const Bytes& dot() {
  static const Bytes png = encode_png({1, 1, 1, {200}});
  return png;
}

TEST(Folder, OrderIsThatOfThePathsBytes) {
  const TempFolder folder;
  for (const char* name :
       {"b.png", "a/z.PNG", "a.png", "B.Jpeg", "a/b/c.tiff", "10.bmp", "9.webp", "notes.txt", "x.gif"})
    folder.write(name, dot());
  const auto set = open_images(folder.string(), params_of_size(1));
  EXPECT_EQ(ids_of(*set), (Names{"10.bmp", "9.webp", "B.Jpeg", "a.png", "a/b/c.tiff", "a/z.PNG", "b.png"}));
  EXPECT_FALSE(set->labels());
  // What a file is, its first bytes tell: all of these are PNG.
  std::vector<BrokenImage> broken;
  EXPECT_EQ(read_all_images(*set, &broken), std::vector<float>(7, 200.0f));
  EXPECT_TRUE(broken.empty());
  EXPECT_EQ(ids_of(*open_images(folder.string() + "/", params_of_size(1))), ids_of(*set));
}

TEST(Folder, ClassFoldersGiveTheTruth) {
  const TempFolder folder;
  for (const char* name : {"10/a.png", "9/deep/b.png", "9/c.png"}) folder.write(name, dot());
  fs::create_directory(folder / "empty");
  const auto labels = open_images(folder.string(), params_of_size(1))->labels();
  ASSERT_TRUE(labels);
  EXPECT_EQ(labels->names, (Names{"9", "10"}));
  EXPECT_EQ(labels->values, (std::vector<std::int32_t>{1, 0, 0}));
  folder.write("loose.png", dot());
  EXPECT_FALSE(open_images(folder.string(), params_of_size(1))->labels());
}

TEST(Folder, OneSubfolderIsNoTruth) {
  const TempFolder folder;
  folder.write("only/a.png", dot());
  EXPECT_FALSE(open_images(folder.string(), params_of_size(1))->labels());
}

TEST(Folder, LinksToFoldersAndHiddenFilesArePassedOver) {
  const TempFolder folder;
  folder.write("a/b.png", dot());
  folder.write(".hidden.png", dot());
  folder.write(".thumbnails/c.png", dot());
  fs::create_directory_symlink("..", folder / "a/loop");
  fs::create_symlink("b.png", folder / "a/link.png");
  fs::create_symlink("nowhere.png", folder / "a/dangling.png");
  EXPECT_EQ(ids_of(*open_images(folder.string(), params_of_size(1))),
            (Names{"a/b.png", "a/dangling.png", "a/link.png"}));
}

TEST(Folder, SizesAndFormatsMix) {
  const TempFolder folder;
  const Raster white{8, 4, 3, Bytes(96, 255)};
  folder.write("a.png", encode_png(white));
  folder.write("b.jpg", encode_jpeg(white));
  folder.write("c.webp", encode_webp(white));
  folder.write("d.tif", encode_tiff(white));
  folder.write("e.bmp", encode_bmp24(white));
  folder.write("f.pgm", encode_pnm({2, 1, 1, {255, 255}}));
  std::vector<BrokenImage> broken;
  for (const Colour colour : {Colour::grey, Colour::channels}) {
    const auto set = open_images(folder.string(), params_of_size(4, colour));
    EXPECT_EQ(set->channels(), colour == Colour::grey ? 1u : 3u);
    const auto pixels = read_all_images(*set, &broken);
    ASSERT_TRUE(broken.empty()) << broken[0].id << ' ' << broken[0].reason;
    for (std::size_t plane = 0; plane < pixels.size() / 16; ++plane) {
      const bool dot_of_two = plane >= 5 * set->channels();
      for (std::size_t i = 0; i < 16; ++i) {
        const std::size_t y = i / 4, x = i % 4;
        const bool inside = dot_of_two ? (y == 1 || y == 2) && x == 1 : x == 1 || x == 2;
        EXPECT_NEAR(pixels[plane * 16 + i], inside ? 255 : 0, 1) << plane << ' ' << i;
      }
    }
  }
}

TEST(Folder, BrokenImagesAreNamedAndTheRestIsRead) {
  const TempFolder folder;
  const Bytes png = encode_png(gradient(20, 20, 1)), jpeg = encode_jpeg(gradient(40, 40, 3));
  folder.write("a.png", dot());
  folder.write("b.png", std::span(png).first(png.size() / 2));
  folder.write("c.jpg", std::span(jpeg).first(jpeg.size() - 40));
  folder.write("d.bmp", Bytes{});
  folder.write("e.png", std::string("no image at all"));
  folder.write("f.png", dot());
  folder.write("g.png", dot());
  const auto set = open_images(folder.string(), params_of_size(1));
  fs::remove(folder / "g.png");
  std::vector<BrokenImage> broken;
  EXPECT_EQ(read_all_images(*set, &broken), (std::vector<float>{200, 0, 0, 0, 0, 200, 0}));
  ASSERT_EQ(broken.size(), 5u);
  const Names words{"truncated", "truncated", "empty", "not a PNG", "No such file"};
  for (std::size_t i = 0; i < broken.size(); ++i) {
    EXPECT_EQ(broken[i].index, i < 4 ? i + 1 : 6u);
    EXPECT_EQ(broken[i].id, set->id(broken[i].index));
    EXPECT_NE(broken[i].reason.find(words[i]), std::string::npos) << broken[i].reason;
    EXPECT_EQ(broken[i].reason.find('\n'), std::string::npos);
  }
}

TEST(Folder, WithoutImagesIsRefused) {
  const TempFolder folder;
  fs::create_directory(folder / "empty");
  folder.write("texts/readme.txt", std::string("hello"));
  expect_input_error([&] { open_images(folder.string("empty"), {}); }, {folder.string("empty"), "is empty"});
  expect_input_error([&] { open_images(folder.string("texts"), {}); }, {folder.string("texts"), "holds no PNG"});
}

TEST(Folder, ReadsFromManyThreadsAgree) {
  const TempFolder folder;
  for (std::size_t i = 0; i < 12; ++i) {
    const Raster raster = gradient(30 + i, 50 - i, 3);
    const Bytes files[] = {encode_png(raster), encode_jpeg(raster), encode_webp(raster), encode_tiff(raster)};
    folder.write(std::to_string(i) + ".png", files[i % 4]);
  }
  const auto set = open_images(folder.string(), params_of_size(16));
  const auto expected = read_all_images(*set);
  std::vector<std::vector<float>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) threads.emplace_back([&] { result = read_all_images(*set); });
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

TEST(PathList, LinesAreIdsRelativeToTheList) {
  const TempFolder folder;
  folder.write("img/b.png", dot());
  folder.write("BM.png", dot());
  const auto list = folder.write(
      "list.txt", "BM.png\n\n# a comment\r\nimg/b.png\r\n  \n" + folder.string("img/b.png") + "\nabsent.png");
  const auto set = open_images(list, params_of_size(1));
  EXPECT_EQ(ids_of(*set), (Names{"BM.png", "img/b.png", folder.string("img/b.png"), "absent.png"}));
  std::vector<BrokenImage> broken;
  EXPECT_EQ(read_all_images(*set, &broken), (std::vector<float>{200, 200, 200, 0}));
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].id, "absent.png");
}

TEST(PathList, WithoutImagesIsRefused) {
  const TempFolder folder;
  const auto comments = folder.write("comments.txt", std::string("# nothing\n\n"));
  expect_input_error([&] { open_images(comments, {}); }, {"comments.txt", "lists no paths"});
  const auto prose = folder.write("prose.txt", std::string("It was a dark\nand stormy night\n"));
  expect_input_error([&] { open_images(prose, {}); }, {"prose.txt", "none of the 2 paths", "relative"});
}

TEST(Open, WhatIsNoInputIsRefused) {
  const TempFolder folder;
  expect_input_error([&] { open_images(folder.string("absent"), {}); }, {folder.string("absent"), "check the path"});
  const auto single = folder.write("one.png", dot());
  expect_input_error([&] { open_images(single, {}); }, {"one.png", "single image", "folder"});
  const auto binary = folder.write("blob.bin", Bytes{1, 2, 0, 3});
  expect_input_error([&] { open_images(binary, {}); }, {"blob.bin", "no known kind"});
  expect_input_error([&] { open_images("/dev/null", {}); }, {"/dev/null", "not a regular file"});
  expect_input_error([&] { open_images(folder.string("a\nb"), {}); }, {"a?b"});
  EXPECT_THROW(open_images(folder.string(), params_of_size(0)), Error);
}

}  // namespace
}  // namespace pssc::test
