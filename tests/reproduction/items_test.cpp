#include "reproduction/items.hpp"

#include "reproduction/document.hpp"
#include "reproduction/paper.hpp"
#include "support/image_files.hpp"

#include <pssc/core/error.hpp>
#include <pssc/reproduction.hpp>

#include <gtest/gtest.h>

#include <filesystem>

namespace pssc::reproduction {
namespace {

using test::contents;
using test::ScopedVariable;
using test::TempFolder;

/// A machine without MNIST and USPS. (Debian's Fashion-MNIST lies where no variable can hide it.)
struct WithoutData {
  TempFolder folder;
  ScopedVariable data{"PSSC_DATA", nullptr}, cache{"XDG_CACHE_HOME", folder.string("cache").c_str()};
};

TEST(Methods, AreThePresetsWithAPartLeftOut) {
  EXPECT_EQ(method("authors").parameters.poc_dims, 2);
  EXPECT_EQ(method("authors-no-poc").parameters.poc_dims, 0);
  EXPECT_TRUE(method("authors-no-poc").parameters.as_published_code);
  EXPECT_FALSE(method("paper-pixels").parameters.as_published_code);
  EXPECT_EQ(method("paper-pixels-no-poc").parameters.features, Features::pixels);
  EXPECT_EQ(method("paper-pixels-no-poc").parameters.poc_dims, 0);
  EXPECT_EQ(method("authors-kmeans-no-poc").parameters.clusterer, Clusterer::kmeans);
  EXPECT_EQ(method("tuned").way, Method::Way::whole);
  EXPECT_THROW(method("nonsense"), Error);
}

TEST(OverSeeds, TakesMeanAndSpread) {
  const Json f = over_seeds({{{"nmi", 0.5}}, {{"nmi", 0.7}}, {{"nmi", 0.9}}}, "nmi", 5);
  EXPECT_NEAR(f["mean"].get<double>(), 0.7, 1e-12);
  EXPECT_NEAR(f["spread"].get<double>(), 0.2, 1e-12);
  EXPECT_EQ(f["least"], 0.5);
  EXPECT_EQ(f["greatest"], 0.9);
  EXPECT_EQ(f["seeds"], 3);
  EXPECT_EQ(f["wanted"], 5);
}

TEST(Results, SayWhatIsQuotedWhatHasNoDataAndWhatDoesNotFit) {
  const WithoutData none;
  const Context context(1);
  const Cells cells(none.folder / "cells");
  const Workshop workshop(context, cells, {});
  const Json table = results(workshop, 5);
  ASSERT_EQ(table["rows"].size(), 6 + paper::deep.size());
  for (const Json& row : table["rows"]) ASSERT_EQ(row["cells"].size(), 4);
  EXPECT_EQ(table["rows"][0]["cells"][0]["state"], "no data");  // k-means on MNIST
  for (const std::size_t method : {1, 2})                       // SC and DBSCAN
    for (const std::size_t dataset : {0, 3}) {
      const Json& cell = table["rows"][method]["cells"][dataset];
      EXPECT_EQ(cell["state"], "out of memory");
      EXPECT_NEAR(cell["gibibytes"].get<double>(), 70000.0 * 70000 * 4 / 0x1p30, 1e-9);
      EXPECT_TRUE(cell["paper"].is_null());
    }
  EXPECT_EQ(table["rows"][6]["method"], "DEC");
  EXPECT_EQ(table["rows"][6]["cells"][0]["paper"]["accuracy"], .863);
  for (const Wanted& w : wanted_for_results(workshop, 5))
    EXPECT_FALSE((w.method == "spectral" || w.method == "dbscan") && w.dataset == "mnist");
}

TEST(Results, OfMuchMemoryIncludeAllPairs) {
  Context context(1);
  context.memory = std::size_t{64} << 30;
  const TempFolder folder;
  const Cells cells(folder / "cells");
  const Workshop workshop(context, cells, {});
  bool spectral = false;
  for (const Wanted& w : wanted_for_results(workshop, 1)) spectral |= w.method == "spectral" && w.dataset == "mnist";
  EXPECT_TRUE(spectral);
}

TEST(Reproduce, WithoutDataTellsSoAndGoesOn) {
  const WithoutData none;
  const std::vector<PaperItem> items{PaperItem::timing, PaperItem::ablation, PaperItem::angles, PaperItem::eigenvalues,
                                     PaperItem::poc};
  reproduce(Context(2), {.items = items, .seeds = 1}, none.folder / "out");
  const Json whole = Json::parse(contents(none.folder / "out/reproduction.json"));
  EXPECT_FALSE(whole["items"].contains("results"));
  EXPECT_TRUE(whole["items"]["ablation"]["rows"][0]["authors"].is_null());
  EXPECT_GT(whole["items"]["poc"]["toys"][0]["after"]["accuracy"], 0.95);
  const std::string text = contents(none.folder / "out/reproduction.md"),
                    page = contents(none.folder / "out/reproduction.html");
  EXPECT_NE(text.find("no data"), std::string::npos);
  EXPECT_NE(text.find("12500"), std::string::npos);  // JULE's time, quoted
  EXPECT_NE(page.find("id=\"pssc-reproduction\""), std::string::npos);
  EXPECT_EQ(page.find("<!--PSSC-DATA-->"), std::string::npos);
}

TEST(Reproduce, KeepsTheItemsOfEarlierRuns) {
  const WithoutData none;
  std::size_t told = 0;
  const auto count = [&](const std::string&) { ++told; };
  reproduce(Context(1), {.items = {PaperItem::poc}, .told = count}, none.folder / "out");
  EXPECT_GT(told, 0);
  told = 0;
  reproduce(Context(1), {.items = {PaperItem::angles, PaperItem::poc}, .told = count}, none.folder / "out");
  EXPECT_EQ(told, 0);  // nothing was computed again
  reproduce(Context(1), {.items = {PaperItem::timing}, .told = count}, none.folder / "out");
  const Json whole = Json::parse(contents(none.folder / "out/reproduction.json"));
  for (const char* item : {"timing", "angles", "poc"}) EXPECT_TRUE(whole["items"].contains(item)) << item;
}

TEST(Reproduce, TellsWhatIsFinishedWithoutComputing) {
  const TempFolder folder;
  const std::vector<PaperItem> all{PaperItem::results, PaperItem::timing,      PaperItem::ablation,
                                   PaperItem::angles,  PaperItem::eigenvalues, PaperItem::poc};
  std::size_t told = 0;
  reproduce(Context(1), {.items = {PaperItem::poc}}, folder / "out");
  reproduce(Context(1), {.items = all, .compute = false, .told = [&](const std::string&) { ++told; }}, folder / "out");
  EXPECT_EQ(told, 0);
  const Json items = Json::parse(contents(folder / "out/reproduction.json"))["items"];
  EXPECT_EQ(items.size(), 6);
  EXPECT_EQ(items["poc"]["toys"].size(), 2);
  for (const Json& row : items["results"]["rows"])
    for (const Json& cell : row["cells"]) EXPECT_NE(cell["state"], "computed");
  reproduce(Context(1), {.items = {PaperItem::poc}, .compute = false}, folder / "other");
  EXPECT_FALSE(Json::parse(contents(folder / "other/reproduction.json"))["items"].contains("poc"));
}

TEST(Poc, TakesOutWhatTheClustersShare) {
  const TempFolder folder;
  const Context context(1);
  const Cells cells(folder / "cells");
  Workshop workshop(context, cells, {});
  const Json toys = poc(workshop)["toys"];
  EXPECT_LT(toys[0]["before"]["accuracy"], 0.7);
  EXPECT_GT(toys[0]["after"]["accuracy"], 0.98);
  // In the authors' own toy the direction of largest variance is not the shared one.
  EXPECT_LT(toys[1]["after"]["accuracy"], toys[1]["before"]["accuracy"]);
  EXPECT_GT(toys[1]["after_by_one_class"]["accuracy"], 0.98);
}

TEST(Angles, AreThePapers) {
  const TempFolder folder;
  const Context context;
  const Cells cells(folder / "cells");
  Workshop workshop(context, cells, {});
  if (!workshop.has("mnist-test")) GTEST_SKIP() << "skipped: no mnist";
  const Json found = angles(workshop);
  for (const Json& row : found["domains"])
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(row["greedy"][i].get<double>(), row["paper"][i].get<double>(), 0.2) << row["domain"];
}

TEST(Workshop, SharesFeaturesAndGivesWhatAWholeRunGives) {
  const TempFolder folder;
  const Context context;
  const Cells cells(folder / "cells");
  Workshop workshop(context, cells, {});
  if (!workshop.has("usps")) GTEST_SKIP() << "skipped: no usps";
  workshop.cluster({{"usps", "paper", 1}, {"usps", "authors", 1}});
  const auto shared = workshop.clustered({"usps", "authors", 1});
  ASSERT_TRUE(shared);
  const Context seeded(0, 1);
  const pssc::Run whole = pssc::cluster(seeded, preset("authors"), workshop.images("usps"));
  EXPECT_NEAR((*shared)["purity"].get<double>(), whole.metrics->purity, 2e-4);
  EXPECT_NEAR((*shared)["nmi"].get<double>(), whole.metrics->nmi, 5e-4);
  EXPECT_GE((*shared)["purity"].get<double>(), 0.957);
}

}  // namespace
}  // namespace pssc::reproduction
