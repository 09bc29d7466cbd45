// The page as a file: what is in it, and that nothing an input is called can get out of its place.
#include "report/base64.hpp"
#include "support/image_files.hpp"

#include <pssc/report.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace pssc {
namespace {

using Json = nlohmann::json;
using test::contents;
using test::TempFolder;

std::string base64_of(std::string_view text) {
  return report::base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

TEST(Base64, IsThatOfTheStandard) {  // RFC 4648, section 10
  EXPECT_EQ(base64_of(""), "");
  EXPECT_EQ(base64_of("f"), "Zg==");
  EXPECT_EQ(base64_of("fo"), "Zm8=");
  EXPECT_EQ(base64_of("foo"), "Zm9v");
  EXPECT_EQ(base64_of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_of("\xff\xfe\xfd"), "//79");
}

/// What stands in the script element with this id.
std::string element(const std::string& page, const std::string& id) {
  const std::size_t tag = page.find("id=\"" + id + "\">");
  if (tag == std::string::npos) return {};
  const std::size_t begin = page.find('>', tag) + 1;
  return page.substr(begin, page.find("</script>", begin) - begin);
}

/// The mean difference between an image's tile, read back, and the image itself.
double loss_of_a_tile(const ImageSet& images, std::size_t size) {
  const std::size_t which[] = {3, 5};
  const auto sheet =
      image_from_bytes(thumbnail_sheet(images, which, 2, size), "sheet.webp",
                       {.size = 2 * size, .colour = images.channels() == 3 ? Colour::channels : Colour::grey});
  std::vector<float> image(images.channels() * images.size() * images.size());
  std::vector<float> drawn(images.channels() * 4 * size * size);
  std::vector<BrokenImage> broken;
  images.read(which[1], which[1] + 1, image, broken);
  sheet->read(0, 1, drawn, broken);
  EXPECT_TRUE(broken.empty());
  double sum = 0;
  const std::size_t n = images.size();
  for (std::size_t c = 0; c < images.channels(); ++c)
    for (std::size_t y = 0; y < n; ++y)
      for (std::size_t x = 0; x < n; ++x) {
        // The sheet is twice as wide as high and is centred on its canvas.
        const std::size_t at = (c * 2 * size + size / 2 + y * size / n) * 2 * size + size + x * size / n;
        sum += std::abs(double{image[(c * n + y) * n + x]} - double{drawn[at]});
      }
  return sum / static_cast<double>(image.size());
}

TEST(Thumbnails, ShowTheImages) {
  EXPECT_LT(loss_of_a_tile(*open_images("synthetic:10", {}), 32), 4);
  EXPECT_LT(loss_of_a_tile(*open_images("synthetic:10", {.colour = Colour::channels}), 32), 4);
  EXPECT_LT(loss_of_a_tile(*open_images("synthetic:10", {}), 16), 20);  // halved, and read back twice as wide
}

Parameters ten_clusters(const char* name) {
  Parameters parameters = preset(name);
  parameters.clusters = 10;
  return parameters;
}

TEST(Report, HoldsTheFiguresOfTheRun) {
  const TempFolder folder;
  const auto images = open_images("synthetic:900", {});
  const Context context;
  for (const char* method : {"tuned", "paper"}) {
    const auto run = cluster(context, ten_clusters(method), *images);
    write_report(context, run, *images, "pssc cluster synthetic:900 -k 10", folder / "report.html");
    const std::string page = contents(folder / "report.html");
    const Json data = Json::parse(element(page, "pssc-report"));
    EXPECT_EQ(data["title"], "synthetic:900");
    EXPECT_EQ(data["count"], 900);
    EXPECT_EQ(data["command"], "pssc cluster synthetic:900 -k 10");
    EXPECT_TRUE(data["ids"].is_null());
    EXPECT_EQ(data["summary"]["metrics"]["accuracy"], run.metrics->accuracy);
    ASSERT_EQ(data["clusters"].size(), 10);
    std::size_t total = 0;
    for (const Json& c : data["clusters"]) {
      total += c["size"].get<std::size_t>();
      EXPECT_EQ(c["typical"].size(), 24);
      for (const std::size_t i : c["typical"].get<std::vector<std::size_t>>())
        EXPECT_EQ(run.clustering.labels[i], c["id"].get<int>());
    }
    EXPECT_EQ(total, 900);
    EXPECT_EQ(element(page, "pssc-points").size(), (900 * 10 + 2) / 3 * 4);
    EXPECT_EQ(element(page, "pssc-sheet-0").substr(0, 5), "UklGR");  // "RIFF", as WebP begins
    EXPECT_EQ(data["removed"]["directions"].empty(), run.removed.empty());
    EXPECT_EQ(data["ignored"].is_null(), method == std::string("paper"));
    for (const Json& d : data["removed"]["directions"]) EXPECT_EQ(d["images"].size(), 16);
  }
}

/// A sheet of pictures in base64, read back: grey planes side by side, as wide as the sheet.
std::vector<float> pixels_of_sheet(const std::string& base64, std::size_t width) {
  std::vector<std::uint8_t> bytes;
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : base64) {
    const std::size_t digit =
        std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((have += 6) >= 8) bytes.push_back(static_cast<std::uint8_t>(bits >> (have -= 8) & 255));
  }
  const auto sheet = image_from_bytes(bytes, "sheet.webp", {.size = width});
  std::vector<float> pixels(width * width);
  std::vector<BrokenImage> broken;
  sheet->read(0, 1, pixels, broken);
  EXPECT_TRUE(broken.empty());
  return pixels;
}

TEST(Report, ShowsWhatWasIgnored) {
  const TempFolder folder;
  const auto images = open_images("synthetic:300", {});
  const Context context;
  Parameters parameters = ten_clusters("tuned");
  parameters.ignored = parse_ignored("shift,thickness,flip");
  const auto run = cluster(context, parameters, *images);
  write_report(context, run, *images, "pssc", folder / "report.html");
  const Json ignored = Json::parse(element(contents(folder / "report.html"), "pssc-report"))["ignored"];
  EXPECT_EQ(ignored["kinds"], Json({"shift", "thickness", "flip"}));
  ASSERT_EQ(ignored["moves"].size(), 2);
  EXPECT_EQ(ignored["moves"][1]["kind"], "thickness");
  EXPECT_EQ(ignored["moves"][1]["move"], run.moves[1].size);
  const Json& pictures = ignored["pictures"];
  ASSERT_EQ(pictures["images"].size(), 3);
  ASSERT_EQ(pictures["columns"].size(), 4);
  EXPECT_EQ(pictures["columns"][0], Json({{"kind", "shift"}, {"variant", 0}}));
  EXPECT_EQ(pictures["columns"][1], Json({{"kind", "shift"}, {"variant", 3}}));
  // Behind the first image itself is the same image, shifted.
  const CanvasShape shape{images->size(), 1};
  const std::size_t n = shape.size, width = 5 * n;
  ASSERT_EQ(pictures["size"], n);
  std::vector<float> image(shape.numbers()), shifted(shape.numbers());
  std::vector<BrokenImage> broken;
  const auto first = pictures["images"][0].get<std::size_t>();
  EXPECT_EQ(run.clustering.labels[first], 0);
  images->read(first, first + 1, image, broken);
  apply_change(Change::shift, 0, shape, image, shifted);
  const std::vector<float> sheet = pixels_of_sheet(pictures["sheet"], width);
  double loss = 0, moved = 0;
  for (std::size_t y = 0; y < n; ++y)
    for (std::size_t x = 0; x < n; ++x) {  // 5 tiles across and 3 down, centred on a square
      const float drawn = sheet[(n + y) * width + n + x];
      loss += std::abs(double{drawn - shifted[y * n + x]});
      moved += std::abs(double{drawn - image[y * n + x]});
    }
  EXPECT_LT(loss / static_cast<double>(n * n), 4);
  EXPECT_GT(moved, 2 * loss);
}

TEST(Report, SaysHowStableClustersAre) {
  const TempFolder folder;
  const auto images = open_images("synthetic:300", {});
  const Context context;
  auto run = cluster(context, ten_clusters("paper"), *images);
  const auto clusters = [&] {
    write_report(context, run, *images, "pssc", folder / "report.html");
    return Json::parse(element(contents(folder / "report.html"), "pssc-report"))["clusters"];
  };
  EXPECT_TRUE(clusters()[7]["stability"].is_null());
  run.clustering.stability.assign(10, 0.95);
  run.clustering.stability[7] = 0.43;
  EXPECT_EQ(clusters()[7]["stability"], 0.43);
  EXPECT_EQ(clusters()[6]["stability"], 0.95);
}

TEST(Report, HoldsTheTreeAndItsPictures) {
  const TempFolder folder;
  const auto images = open_images("synthetic:300", {});
  const Context context;
  auto run = cluster(context, ten_clusters("paper"), *images);
  const auto tree = [&] {
    write_report(context, run, *images, "pssc", folder / "report.html");
    return Json::parse(element(contents(folder / "report.html"), "pssc-report"))["tree"];
  };
  run.tree.reset();
  EXPECT_TRUE(tree().is_null());
  run.tree = ClusterTree{{{120, {5, 3, 9}}, {100, {}}, {80, {}}}, {{0, 2, 0.5}, {1, 3, 0.01}}};
  for (std::size_t i = 100; i < 140; ++i) run.tree->pieces[2].images.push_back(i);
  run.tree->pieces[1].images = {7, 1000, 8};  // one that was not clustered
  const Json data = tree();
  ASSERT_EQ(data["pieces"].size(), 3);
  EXPECT_EQ(data["pieces"][0], Json({{"size", 120}, {"images", {5, 3, 9}}}));
  EXPECT_EQ(data["pieces"][1]["images"], Json({7, 8}));
  EXPECT_EQ(data["pieces"][2]["images"].size(), 12);
  EXPECT_EQ(data["pieces"][2]["images"][0], 100);
  ASSERT_EQ(data["joins"].size(), 2);
  EXPECT_EQ(data["joins"][0], Json({{"one", 0}, {"other", 2}, {"tie", 0.5}}));
  EXPECT_EQ(data["joins"][1], Json({{"one", 1}, {"other", 3}, {"tie", 0.01}}));
}

TEST(Report, ShowsTheWaysThatWereTried) {
  const TempFolder folder;
  const auto images = open_images("synthetic:60", {.size = 16});
  pssc::Run run = cluster(Context(), ten_clusters("tuned"), *images);
  // Two ways on a sample of 20 images: one puts the odd ones together, the other parts them in fives.
  Adaptation found{.candidates = {Candidate{}, Candidate{.contrast = Contrast::local}}, .chosen = 1, .clusters = 4};
  for (std::size_t i = 0; i < 20; ++i) {
    found.images.push_back(3 * i);
    found.candidates[0].labels.push_back(i % 2 ? 3 : 1);
    found.candidates[1].labels.push_back(static_cast<Label>(i / 5));
  }
  run.adaptation = found;
  write_report(Context(), run, *images, "pssc", folder / "report.html");
  const Json data = Json::parse(element(contents(folder / "report.html"), "pssc-report"));
  EXPECT_EQ(data["summary"]["adapted"]["chosen"], 1);
  ASSERT_EQ(data["ways"].size(), 2);
  EXPECT_EQ(data["ways"][0], Json::parse("[[0,6,18,24,30,36,48,54],[3,9,21,27,33,39,51,57],[],[]]"));
  EXPECT_EQ(data["ways"][1], Json::parse("[[0,3,6,9,12],[15,18,21,24,27],[30,33,36,39,42],[45,48,51,54,57]]"));
}

TEST(Report, NamesOfImagesStayWhereTheyBelong) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "in");
  for (int i = 0; i < 60; ++i) {
    const std::string name = i % 2 ? "a'\"&lt;" + std::to_string(i) : "<script>alert(" + std::to_string(i) + ")<!--";
    std::ofstream pgm(folder / ("in/" + name + ".pgm"), std::ios::binary);
    pgm << "P5 8 8 255\n";
    for (int k = 0; k < 64; ++k) pgm.put(static_cast<char>((i % 2 ? k * 3 : 200 - k) + i % 7));
  }
  const auto images = open_images(folder.string("in"), {});
  Parameters parameters = preset("tuned");
  parameters.clusters = 2;
  const Context context;
  const auto run = cluster(context, parameters, *images);
  write_report(context, run, *images, "pssc cluster '</script><b>' -k 2", folder / "report.html");
  const std::string page = contents(folder / "report.html");
  EXPECT_EQ(page.find("<script>alert("), std::string::npos);
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  const Json data = Json::parse(element(page, "pssc-report"));
  EXPECT_EQ(data["ids"].size(), 60);
  EXPECT_EQ(data["command"], "pssc cluster '</script><b>' -k 2");
  bool seen = false;
  for (const Json& id : data["ids"]) seen |= id == "<script>alert(0)<!--.pgm";
  EXPECT_TRUE(seen);
}

TEST(Report, TheMapKeepsClustersApart) {
  const auto images = open_images("synthetic:1500", {});
  const auto run = cluster(Context(), ten_clusters("tuned"), *images);
  ASSERT_EQ(run.positions.rows(), 1500);
  // The middle of each cluster on the map; an image lies nearest to that of its own.
  std::vector<double> x(10), y(10), n(10);
  for (std::size_t i = 0; i < 1500; ++i) {
    const auto c = static_cast<std::size_t>(run.clustering.labels[i]);
    ASSERT_TRUE(run.positions(i, 0) >= 0 && run.positions(i, 0) <= 1 && run.positions(i, 1) >= 0 &&
                run.positions(i, 1) <= 1);
    x[c] += run.positions(i, 0);
    y[c] += run.positions(i, 1);
    n[c] += 1;
  }
  std::size_t at_home = 0;
  for (std::size_t i = 0; i < 1500; ++i) {
    std::size_t best = 0;
    double least = INFINITY;
    for (std::size_t c = 0; c < 10; ++c) {
      const double d = std::hypot(run.positions(i, 0) - x[c] / n[c], run.positions(i, 1) - y[c] / n[c]);
      if (d < least) least = d, best = c;
    }
    at_home += best == static_cast<std::size_t>(run.clustering.labels[i]);
  }
  EXPECT_GT(at_home, 1450);
}

TEST(Report, ClusterersWithoutAGraphHaveOneToo) {
  const TempFolder folder;
  const auto images = open_images("synthetic:400", {});
  for (const Clusterer clusterer : {Clusterer::kmeans, Clusterer::spectral, Clusterer::dbscan}) {
    Parameters parameters = ten_clusters("paper");
    parameters.clusterer = clusterer;
    const Context context;
    const auto run = cluster(context, parameters, *images);
    write_report(context, run, *images, "pssc", folder / "report.html");
    EXPECT_FALSE(element(contents(folder / "report.html"), "pssc-report").empty());
  }
}

/// Whatever kind of run it is, the explorer takes its page's data.
TEST(PageData, IsReadAsItWasWritten) {
  const TempFolder folder;
  const Context context;
  const auto images = open_images("synthetic:400", {});
  const auto written = [&](const pssc::Run& run) {
    const RunFolder taken(folder.string());
    write_run(context, run, taken);
    write_pages(context, run, *images, "pssc </script>", taken);
    const PageData data = PageData::read(folder / "explore.pssc");
    EXPECT_EQ(data.bytes(), contents(folder / "explore.pssc"));
    EXPECT_EQ(data.rows.size(), 400U);
    const std::string page = contents(folder / "report.html");
    EXPECT_EQ(element(page, "pssc-points"), report::base64(data.points));
    Json of_report = Json::parse(element(page, "pssc-report"));
    for (const char* key : {"thumbs", "ways"}) of_report.erase(key);
    Json of_explorer = Json::parse(data.json);
    for (Json* json : {&of_report, &of_explorer}) (*json)["summary"].erase("peak_memory_bytes");
    EXPECT_EQ(of_explorer, of_report);
  };
  Parameters automatic = ten_clusters("tuned");
  automatic.clusters = Parameters::automatic;
  automatic.tree = true;
  for (const Parameters& p : {ten_clusters("tuned"), ten_clusters("paper"), ten_clusters("authors"), automatic})
    written(cluster(context, p, *images));
  for (const Clusterer clusterer : {Clusterer::kmeans, Clusterer::spectral, Clusterer::dbscan}) {
    Parameters p = ten_clusters("paper");
    p.clusterer = clusterer;
    written(cluster(context, p, *images));
    p.features = Features::pixels;
    written(cluster(context, p, *images));
  }
}

TEST(Report, LetsNoScriptRunButItsOwn) {
  const TempFolder folder;
  const auto images = open_images("synthetic:60", {.size = 16});
  const pssc::Run run = cluster(Context(), ten_clusters("paper"), *images);
  write_report(Context(), run, *images, "pssc", folder / "report.html");
  const std::string page = contents(folder / "report.html");
  const std::size_t policy = page.find("<meta http-equiv=\"Content-Security-Policy\"");
  ASSERT_NE(policy, std::string::npos);
  const std::string text = page.substr(policy, page.find('>', policy) - policy);
  EXPECT_LT(policy, page.find("<script"));
  EXPECT_LT(policy, page.find("<style"));
  EXPECT_NE(text.find("script-src 'sha256-"), std::string::npos) << text;
  EXPECT_NE(text.find("style-src 'sha256-"), std::string::npos) << text;
  EXPECT_EQ(text.find("unsafe-inline"), std::string::npos) << text;
}

}  // namespace
}  // namespace pssc
