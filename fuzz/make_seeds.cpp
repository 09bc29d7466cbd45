// Writes the seeds of the binary formats: `fuzz_seeds fuzz/seeds`. Those of text are written by hand.
#include "run_folder.hpp"
#include "support/image_files.hpp"

#include <pssc/core/archive.hpp>

#include <cstdio>
#include <fstream>

namespace pssc::test {
namespace {

std::filesystem::path root;

void seed(const std::string& name, const Bytes& bytes) {
  std::filesystem::create_directories((root / name).parent_path());
  std::ofstream(root / name, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void seed_images() {
  const Raster grey = gradient(5, 7, 1), colour = gradient(5, 7, 3), alpha = gradient(5, 7, 4);
  seed("png/grey.png", encode_png(grey));
  seed("png/grey_alpha.png", encode_png(gradient(5, 7, 2)));
  seed("png/colour.png", encode_png(colour));
  seed("png/alpha.png", encode_png(alpha));
  seed("png/16_bits.png", encode_png16(3, 4, std::vector<std::uint16_t>(12, 40000)));
  seed("jpeg/grey.jpg", encode_jpeg(grey, 80));
  seed("jpeg/colour.jpg", encode_jpeg(colour, 80));
  seed("jpeg/inks.jpg", encode_jpeg(alpha, 80));
  seed("webp/colour.webp", encode_webp(colour));
  seed("webp/alpha.webp", encode_webp(alpha));
  seed("tiff/grey.tif", encode_tiff(grey));
  seed("tiff/colour.tif", encode_tiff(colour));
  seed("tiff/16_bits.tif", encode_tiff16(4, std::vector<std::uint16_t>(12, 40000)));
  seed("pnm/grey.pgm", encode_pnm(grey));
  seed("pnm/colour.ppm", encode_pnm(colour));
}

/// A header of 40 bytes, then what is given.
Bytes bmp(std::uint8_t depth, std::uint8_t compression, const Bytes& rest, std::uint8_t begin) {
  Bytes out{'B', 'M', 0, 0, 0, 0, 0, 0, 0, 0, begin, 0, 0,     0, 40,         0,
            0,   0,   4, 0, 0, 0, 2, 0, 0, 0, 1,     0, depth, 0, compression};
  out.resize(54);
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

void seed_bmps() {
  Bytes palette(1024);
  for (std::size_t i = 0; i < palette.size(); ++i) palette[i] = static_cast<std::uint8_t>(i / 4);
  Bytes with_masks{0, 0xf8, 0, 0, 0xe0, 7, 0, 0, 0x1f, 0, 0, 0};
  const Bytes pixels = counting(32);
  with_masks.insert(with_masks.end(), pixels.begin(), pixels.end());
  palette.resize(64);
  palette.insert(palette.end(), pixels.begin(), pixels.end());
  seed("bmp/colour.bmp", encode_bmp24(gradient(5, 7, 3)));
  seed("bmp/palette_4.bmp", bmp(4, 0, palette, 54 + 64));
  seed("bmp/palette_1.bmp", bmp(1, 0, palette, 54 + 64));
  seed("bmp/palette_8.bmp", bmp(8, 0, palette, 54 + 64));
  seed("bmp/masks.bmp", bmp(16, 3, with_masks, 54 + 12));
  seed("bmp/32_bits.bmp", bmp(32, 0, pixels, 54));
}

void seed_arrays() {
  const Bytes images = encode_npy("|u1", {3, 4, 4}, counting(48)), labels = encode_npy("<i8", {3}, Bytes(24, 0));
  seed("idx/images", encode_idx(0x08, {3, 4, 4}, counting(48)));
  seed("idx/floats", encode_idx(0x0d, {2, 2, 2}, Bytes(32, 0x42)));
  seed("idx/labels", encode_idx(0x0c, {3}, Bytes(12, 0)));
  seed("idx/images.gz", gzip(encode_idx(0x08, {3, 4, 4}, counting(48))));
  seed("npy/bytes.npy", images);
  seed("npy/colour.npy", encode_npy("|u1", {2, 3, 3, 3}, counting(54)));
  seed("npy/floats.npy", encode_npy("<f4", {2, 2, 2}, Bytes(32, 0x3e)));
  seed("npy/doubles.npy", encode_npy(">f8", {1, 2, 2}, Bytes(32, 0x3f)));
  seed("npy/shorts.npy", encode_npy("<u2", {2, 2, 2}, counting(16)));
  seed("npy/labels.npy", labels);
  seed("npz/stored.npz", encode_npz({{"x", images}, {"y", labels}}, false));
  seed("npz/deflated.npz", encode_npz({{"x", images}, {"y", labels}}, true));
  seed("npz/unnamed.npz", encode_npz({{"arr_0", images}, {"arr_1", labels}}, true));
}

void seed_model(const std::string& name, Parameters p) {
  p.clusters = 3;
  p.scales = 1;
  p.angles = 2;
  p.order = 1;
  p.pca_dims = 6;
  p.candidates = 20;
  p.representatives = 8;
  const auto images = open_images("synthetic:24", params_of_size(8));
  const std::string bytes = cluster(Context(1), p, *images).model->bytes();
  seed("model/" + name, Bytes(bytes.begin(), bytes.end()));
}

void seed_models() {
  Parameters tuned = preset("tuned"), paper = preset("paper"), kmeans = paper, pixels = paper, hnsw = paper;
  kmeans.clusterer = Clusterer::kmeans;
  pixels.features = Features::pixels;
  hnsw.search = Search::hnsw;
  seed_model("tuned.pssc", tuned);
  seed_model("hnsw.pssc", hnsw);
  seed_model("paper.pssc", paper);
  seed_model("kmeans.pssc", kmeans);
  seed_model("pixels.pssc", pixels);
}

/// Of the very run that the target makes.
void seed_page_data() {
  const fuzz::TemporaryFolder folder;
  fuzz::make_run(folder.path());
  const std::string file = contents(folder.path() / "explore.pssc");
  const std::string body = "x" + std::string(unsealed(file)), json = "j" + PageData::from_bytes(file, "").json;
  seed("run_folder/page_file", Bytes(body.begin(), body.end()));
  seed("run_folder/page_data", Bytes(json.begin(), json.end()));
}

}  // namespace
}  // namespace pssc::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
    return 2;
  }
  pssc::test::root = argv[1];
  pssc::test::seed_images();
  pssc::test::seed_bmps();
  pssc::test::seed_arrays();
  pssc::test::seed_models();
  pssc::test::seed_page_data();
}
