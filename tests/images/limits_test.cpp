// Bombs: little input that asks for much. Each is really made, refused in one line, and read where the limit allows it.
#include "support/image_files.hpp"

#include <zlib.h>

#include <algorithm>

namespace pssc::test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

ImageParams with_limits(const ImageLimits& limits) {
  ImageParams params = params_of_size(1);
  params.limits = limits;
  return params;
}

struct Read {
  Names ids, reasons;  ///< an empty reason: it was read
};

Read read_folder(const std::string& folder, const ImageLimits& limits = {}) {
  const auto set = open_images(folder, with_limits(limits));
  std::vector<BrokenImage> broken;
  read_all_images(*set, &broken);
  Read read;
  for (std::size_t i = 0; i < set->count(); ++i) read.ids.push_back(set->id(i));
  read.reasons.resize(set->count());
  for (const BrokenImage& b : broken) read.reasons[b.index] = b.reason;
  return read;
}

void expect_words(const std::string& text, const Names& words) {
  for (const auto& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " is not in: " << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

void append_chunk(Bytes& png, const std::string& type, const Bytes& content) {
  const auto number = [&](std::size_t n) {
    for (int shift = 24; shift >= 0; shift -= 8) png.push_back(static_cast<std::uint8_t>(n >> shift));
  };
  number(content.size());
  const std::size_t begin = png.size();
  png.insert(png.end(), type.begin(), type.end());
  png.insert(png.end(), content.begin(), content.end());
  number(crc32_z(0, png.data() + begin, png.size() - begin));
}

/// A whole PNG, all black, of one bit a pixel: 20,000 x 20,000 pixels are 50 KB.
Bytes black_png(std::uint32_t side) {
  Bytes rows((side / 8 + 1) * std::size_t{side}), packed(compressBound(rows.size()));
  uLongf length = packed.size();
  EXPECT_EQ(compress(packed.data(), &length, rows.data(), rows.size()), Z_OK);
  packed.resize(length);
  Bytes header;
  for (int axis = 0; axis < 2; ++axis)
    for (int shift = 24; shift >= 0; shift -= 8) header.push_back(static_cast<std::uint8_t>(side >> shift));
  header.insert(header.end(), {1, 0, 0, 0, 0});
  Bytes png{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", packed);
  append_chunk(png, "IEND", {});
  return png;
}

TEST(Limits, AnImageOver100MegapixelsIsBrokenAndTheOthersAreRead) {
  const TempFolder folder;
  const Bytes bomb = black_png(20000);
  EXPECT_LT(bomb.size(), 60000u);
  folder.write("a.png", black_png(64));
  folder.write("bomb.png", bomb);
  const Read read = read_folder(folder.string());
  EXPECT_EQ(read.reasons[0], "");
  expect_words(read.reasons[1], {"20000 x 20000", "limit of 100000000 pixels", "--max-pixels"});
}

TEST(Limits, EveryFormatKeepsToTheNumberOfPixels) {
  const TempFolder folder;
  const Raster image = gradient(20, 20, 3);
  folder.write("a.png", encode_png(image));
  folder.write("b.jpg", encode_jpeg(image));
  folder.write("c.webp", encode_webp(image));
  folder.write("d.tif", encode_tiff(image));
  folder.write("e.bmp", encode_bmp24(image));
  folder.write("f.ppm", encode_pnm(image));
  for (const auto& reason : read_folder(folder.string(), {.pixels = 400}).reasons) EXPECT_EQ(reason, "");
  for (const auto& reason : read_folder(folder.string(), {.pixels = 399}).reasons)
    expect_words(reason, {"20 x 20", "limit of 399 pixels", "--max-pixels"});
  const auto array = folder.write("a.npy", encode_npy("|u1", {1, 20, 20}, counting(400)));
  expect_input_error([&] { open_images(array, with_limits({.pixels = 399})); }, {"a.npy", "--max-pixels"});
  EXPECT_EQ(open_images(array, with_limits({.pixels = 400}))->count(), 1u);
}

TEST(Limits, AFileMuchLongerThanItsPixelsIsNotTakenIntoMemory) {
  const TempFolder folder;
  folder.write("a.png", encode_png(gradient(4, 4, 1)));
  folder.write("long.png", std::string());
  fs::resize_file(folder / "long.png", std::uintmax_t{1} << 40);  // a terabyte that takes no room on the disk
  const Read read = read_folder(folder.string());
  EXPECT_EQ(read.reasons[0], "");
  expect_words(read.reasons[1], {"1099511627776 bytes", "limit of", "--max-pixels"});
}

TEST(Limits, AGzipFileThatUnfoldsToTooMuchIsRefused) {
  const TempFolder folder;
  Bytes one = gzip(encode_idx(0x08, {1024, 32, 32}, Bytes(std::size_t{1} << 20)));
  EXPECT_LT(one.size(), 1200u);
  const auto small = folder.write("small-idx3.gz", one);
  EXPECT_EQ(open_images(small, with_limits({.unfolded = (1 << 20) + 16}))->count(), 1024u);
  expect_input_error([&] { open_images(small, with_limits({.unfolded = (1 << 20) + 15})); },
                     {"small-idx3.gz", "limit of 1048591 bytes", "--max-unfolded"});
  // A thousand members, one after another: a gigabyte, refused after the first megabytes.
  Bytes many;
  for (int i = 0; i < 1000; ++i) many.insert(many.end(), one.begin(), one.end());
  const auto large = folder.write("large-idx3.gz", many);
  expect_input_error([&] { open_images(large, with_limits({.unfolded = 4 << 20})); },
                     {"large-idx3.gz", "--max-unfolded"});
  expect_input_error([&] { read_labels(large, {.unfolded = 4 << 20}); }, {"large-idx3.gz", "--max-unfolded"});
}

void put(Bytes& bytes, std::size_t at, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

/// A compressed npz of one array whose directory says that it unfolds to so many bytes.
Bytes npz_claiming(std::uint64_t size) {
  Bytes zip = encode_npz({{"x", encode_npy("|u1", {1, 2, 2}, counting(4))}}, true);
  const std::string signature = "PK\x01\x02";
  const auto entry = std::search(zip.begin(), zip.end(), signature.begin(), signature.end());
  const std::size_t at = static_cast<std::size_t>(entry - zip.begin());
  put(zip, at + 24, 0xffffffff, 4);
  put(zip, at + 30, 12, 2);
  Bytes extra{1, 0, 8, 0};
  extra.resize(12);
  put(extra, 4, size, 8);
  zip.insert(zip.begin() + static_cast<std::ptrdiff_t>(at + 46 + std::string("x.npy").size()), extra.begin(),
             extra.end());
  put(zip, zip.size() - 10, 46 + 5 + 12, 4);
  return zip;
}

TEST(Limits, AnNpzThatUnfoldsToTooMuchIsRefused) {
  const TempFolder folder;
  const Bytes zip = npz_claiming(std::uint64_t{1} << 40);
  EXPECT_LT(zip.size(), 1024u);
  const auto claims = folder.write("claims.npz", zip);
  expect_input_error([&] { open_images(claims, params_of_size(1)); },
                     {"claims.npz", "unfolds to 1099511627776 bytes", "limit of 8589934592", "--max-unfolded"});
  // Below the limit it is only a lie, and costs no memory either.
  const auto lies = folder.write("lies.npz", npz_claiming(std::uint64_t{7} << 30));
  expect_input_error([&] { open_images(lies, params_of_size(1)); }, {"lies.npz", "damaged"});
  const Bytes npy = encode_npy("|u1", {1024, 32, 32}, Bytes(std::size_t{1} << 20));
  const auto real = folder.write("real.npz", encode_npz({{"x", npy}}, true));
  expect_input_error([&] { open_images(real, with_limits({.unfolded = 1 << 20})); }, {"real.npz", "--max-unfolded"});
  EXPECT_EQ(open_images(real, with_limits({.unfolded = 2 << 20}))->count(), 1024u);
}

TEST(Limits, HeadersThatOverflowAreRefused) {
  const TempFolder folder;
  const auto npy = folder.write("a.npy", encode_npy("|u1", {std::size_t{1} << 40, std::size_t{1} << 40, 2}, {}));
  expect_input_error([&] { open_images(npy, params_of_size(1)); }, {"a.npy", "more than any memory holds"});
  const auto idx = folder.write("a-idx3", encode_idx(0x0e, {0xffffffff, 0xffffffff, 0xffffffff}, {}));
  expect_input_error([&] { open_images(idx, params_of_size(1)); }, {"a-idx3", "more than any memory holds"});
  const TempFolder images;
  Bytes bmp = encode_bmp24(gradient(2, 2, 3));
  put(bmp, 18, 0x7fffffff, 4);
  put(bmp, 22, 0x80000000, 4);
  images.write("a.bmp", bmp);
  images.write("b.pgm", std::string("P5 4294967296 4294967297 255\n"));
  images.write("c.pgm", std::string("P5 99999999999999999999 1 255\n"));
  for (const auto& reason : read_folder(images.string()).reasons) EXPECT_NE(reason, "");
}

TEST(Limits, ListsThatLoopAreRefused) {
  const TempFolder folder;
  folder.write("a.png", encode_png(gradient(2, 2, 1)));
  const auto itself = folder.write("itself.txt", std::string("a.png\n./itself.txt\n"));
  expect_input_error([&] { open_images(itself, params_of_size(1)); },
                     {"itself.txt names itself in line 2", "not of lists"});
  // Lists are not followed, so that two of them cannot go round; one is told as what it is not.
  folder.write("b.txt", std::string("a.txt\n"));
  const auto first = folder.write("a.txt", std::string("b.txt\na.png\nround.png\n"));
  fs::create_symlink("round.png", folder / "round.png");
  const Read read = read_folder(first);
  expect_words(read.reasons[0], {"not a PNG"});
  EXPECT_EQ(read.reasons[1], "");
  expect_words(read.reasons[2], {"Too many levels of symbolic links"});
}

/// Images in a folder, and outside of it what links lead to.
struct Linked {
  Linked() {
    const Bytes png = encode_png(gradient(2, 2, 1));
    all.write("in/a.png", png);
    all.write("in/sub/b.png", png);
    all.write("out/c.png", png);
    all.write("out/deep/d.png", png);
    fs::create_symlink("sub/b.png", all / "in/inner.png");
    fs::create_symlink("../out/c.png", all / "in/outer.png");
    fs::create_directory_symlink("../out", all / "in/outside");
    fs::create_directory_symlink("sub", all / "in/again");
    fs::create_symlink("round.png", all / "in/round.png");
    fs::create_directory_symlink("../in", all / "out/back");
    fs::create_directory_symlink("..", all / "out/deep/up");
  }
  TempFolder all;
};

TEST(Links, OutOfTheFolderAreToldAndNotRead) {
  const Linked linked;
  const Read read = read_folder(linked.all.string("in"));
  EXPECT_EQ(read.ids, (Names{"a.png", "inner.png", "outer.png", "outside/", "round.png", "sub/b.png"}));
  for (const std::size_t i : {0, 1, 5}) EXPECT_EQ(read.reasons[i], "") << read.ids[i];
  for (const std::size_t i : {2, 3}) expect_words(read.reasons[i], {"link out of the folder", "--follow-links"});
  expect_words(read.reasons[4], {"leads nowhere", "Too many levels"});
}

TEST(Links, AreFollowedWhereThatIsAskedForEachFolderOnce) {
  const Linked linked;
  const Read read = read_folder(linked.all.string("in"), {.follow_links = true});
  EXPECT_EQ(read.ids, (Names{"a.png", "inner.png", "outer.png", "outside/c.png", "outside/deep/d.png", "round.png",
                             "sub/b.png"}));
  for (std::size_t i = 0; i < read.ids.size(); ++i) EXPECT_EQ(read.reasons[i].empty(), i != 5) << read.reasons[i];
}

TEST(Links, AFolderThatIsGivenMayBeOne) {
  const Linked linked;
  fs::create_directory_symlink("in", linked.all / "name");
  EXPECT_EQ(read_folder(linked.all.string("name")).ids, read_folder(linked.all.string("in")).ids);
}

TEST(Links, ThatDoubleAtEachStepEndSoon) {
  const TempFolder all;
  all.write("in/a.png", encode_png(gradient(2, 2, 1)));
  constexpr int depth = 30;  // two to the power of it ways through
  for (int i = 0; i < depth; ++i) {
    const std::string folder = "out/" + std::to_string(i);
    all.write(folder + "/x.png", encode_png(gradient(2, 2, 1)));
    for (const char* name : {"l", "r"})
      fs::create_directory_symlink("../" + std::to_string((i + 1) % depth), all / (folder + "/" + name));
  }
  fs::create_directory_symlink("../out/0", all / "in/bomb");
  EXPECT_EQ(read_folder(all.string("in"), {.follow_links = true}).ids.size(), std::size_t{depth + 1});
  EXPECT_EQ(read_folder(all.string("in")).ids.size(), 2u);
}

}  // namespace
}  // namespace pssc::test
