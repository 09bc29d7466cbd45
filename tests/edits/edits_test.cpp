// What a person changes after a run: kept at once, beside the run, and written out in three forms.
#include "support/image_files.hpp"

#include <pssc/core/error.hpp>
#include <pssc/edits.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace pssc {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::TempFolder;

/// A finished run of 8 images in 3 clusters, made of 8 files whose names are a trial.
class FinishedRun {
 public:
  FinishedRun() {
    std::string labels = "id,cluster,confidence,outlier\n";
    for (int i = 0; i < 8; ++i) {
      folder.write("in/" + names[static_cast<std::size_t>(i)], "P5 2 2 255\n" + std::string(4, static_cast<char>(i)));
      std::string quoted = names[static_cast<std::size_t>(i)];
      for (std::size_t at = 0; (at = quoted.find('"', at)) != std::string::npos; at += 2) quoted.insert(at, 1, '"');
      labels += "\"" + quoted + "\"," + std::to_string(i % 3) + ",0.5000," + std::to_string(i == 7) + "\n";
    }
    folder.write("out/labels.csv", labels);
    const nlohmann::json summary = {{"input", {{"name", "in"}, {"path", folder.string("in")}, {"channels", 1}}},
                                    {"parameters", {{"size", 8}}},
                                    {"seed", 0}};
    folder.write("out/summary.json", summary.dump());
  }
  std::vector<std::string> names{"a.pgm", "b, c.pgm", "d\"e.pgm", "sub/a.pgm", "z1.pgm", "z2.pgm", "z3.pgm", "z4.pgm"};
  TempFolder folder;
  fs::path out = folder / "out";
};

Edit named(Label cluster, std::string text) {
  return {.kind = Edit::Kind::name, .cluster = cluster, .text = std::move(text)};
}
Edit merged(Label cluster, Label to) {
  return {.kind = Edit::Kind::merge, .cluster = cluster, .to = to};
}
Edit moved(std::vector<std::size_t> images, Label to) {
  return {.kind = Edit::Kind::move, .to = to, .images = std::move(images)};
}

std::vector<Label> labels_of(const EditedRun& run) {
  std::vector<Label> labels;
  for (std::size_t i = 0; i < run.count(); ++i) labels.push_back(run.label(i));
  return labels;
}

TEST(Edits, AreThereAgainWhenTheRunIsOpenedAgain) {
  const FinishedRun run;
  const std::string before = contents(run.out / "labels.csv");
  {
    EditedRun edited(run.out);
    edited.apply(named(0, "zéro \"0\""));
    edited.apply(merged(2, 1));
    edited.apply(moved({0, 3}, 3));  // a new one
  }
  const EditedRun again(run.out);
  EXPECT_EQ(labels_of(again), (std::vector<Label>{3, 1, 1, 3, 1, 1, 0, 1}));
  EXPECT_EQ(again.clusters(), 4);
  EXPECT_EQ(again.name(0), "zéro \"0\"");
  EXPECT_EQ(again.name(1), "cluster 1");
  EXPECT_EQ(contents(run.out / "labels.csv"), before);
}

TEST(Edits, AreUndoneAndRedoneAlsoAfterOpeningAgain) {
  const FinishedRun run;
  {
    EditedRun edited(run.out);
    EXPECT_FALSE(edited.undo());
    edited.apply(merged(2, 1));
    edited.apply(merged(1, 0));
    EXPECT_TRUE(edited.undo());
    EXPECT_FALSE(labels_of(edited) == std::vector<Label>(8, 0));
  }
  EditedRun again(run.out);
  EXPECT_EQ(labels_of(again), (std::vector<Label>{0, 1, 1, 0, 1, 1, 0, 1}));
  EXPECT_TRUE(again.redo());
  EXPECT_FALSE(again.redo());
  EXPECT_EQ(labels_of(again), std::vector<Label>(8, 0));
  EXPECT_TRUE(again.undo());
  again.apply(named(1, "one"));  // what was undone is gone
  EXPECT_FALSE(again.redo());
  EXPECT_EQ(EditedRun(run.out).name(1), "one");
}

TEST(Edits, ASplitMakesNewClustersAndIsUndoneAsOne) {
  const FinishedRun run;
  {
    EditedRun edited(run.out);
    edited.apply({.kind = Edit::Kind::split, .cluster = 0, .parts = {{3}, {6}}});
    EXPECT_EQ(labels_of(edited), (std::vector<Label>{0, 1, 2, 3, 1, 2, 4, 1}));
    EXPECT_EQ(edited.original(3), 0);
  }
  EditedRun again(run.out);
  EXPECT_EQ(labels_of(again), (std::vector<Label>{0, 1, 2, 3, 1, 2, 4, 1}));
  EXPECT_EQ(again.clusters(), 5);
  EXPECT_TRUE(again.undo());
  EXPECT_EQ(labels_of(again), (std::vector<Label>{0, 1, 2, 0, 1, 2, 0, 1}));
  EXPECT_EQ(again.clusters(), 3);
}

TEST(Edits, WhatWasConfirmedOrMovedIsReviewed) {
  const FinishedRun run;
  {
    EditedRun edited(run.out);
    edited.apply({.kind = Edit::Kind::confirm, .images = {2}});
    edited.apply(moved({5}, 0));
  }
  EditedRun again(run.out);
  std::vector<bool> reviewed;
  for (std::size_t i = 0; i < again.count(); ++i) reviewed.push_back(again.reviewed(i));
  EXPECT_EQ(reviewed, (std::vector<bool>{false, false, true, false, false, true, false, false}));
  again.undo();
  EXPECT_FALSE(again.reviewed(5));
}

TEST(Edits, OfOtherLabelsAreRefused) {
  const FinishedRun run;
  EditedRun(run.out).apply(named(0, "zero"));
  run.folder.write("out/labels.csv", std::string("id,cluster,confidence,outlier\na.pgm,0,0.5,0\n"));
  try {
    EditedRun edited(run.out);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find("edits.jsonl"), std::string::npos);
  }
}

TEST(Edits, AreReadBackFromTheirText) {
  for (const Edit& edit : {named(1, "a \"b\"\n"), merged(2, 0), moved({0, 7}, 3),
                           Edit{.kind = Edit::Kind::split, .cluster = 1, .parts = {{1, 4}}},
                           Edit{.kind = Edit::Kind::confirm, .images = {5}}}) {
    const Edit read = edit_from_json(edit_to_json(edit));
    EXPECT_EQ(edit_to_json(read), edit_to_json(edit));
    EXPECT_EQ(read.kind, edit.kind);
    EXPECT_EQ(read.text, edit.text);
    EXPECT_EQ(read.images, edit.images);
    EXPECT_EQ(read.parts, edit.parts);
  }
  for (const char* text : {"", "{", "3", "[]", "{}", R"({"do":"dance"})", R"({"do":"move","images":"all"})",
                           R"({"do":"merge","cluster":1e20,"to":0})", R"({"do":"merge","cluster":1.5,"to":0})",
                           R"({"do":"merge","cluster":99999999999,"to":0})", R"({"do":"confirm","images":[-1]})",
                           R"({"do":"split","cluster":0,"parts":[[0.5]]})"})
    EXPECT_THROW(edit_from_json(text), Error) << text;
}

TEST(Edits, ALineCutShortByAKillIsPassedOver) {
  const FinishedRun run;
  EditedRun(run.out).apply(named(0, "kept"));
  const std::string whole = contents(run.out / "edits.jsonl");
  std::ofstream(run.out / "edits.jsonl", std::ios::app) << R"({"do":"merge","clus)";
  EXPECT_EQ(EditedRun(run.out).name(0), "kept");
  EditedRun(run.out).apply(named(1, "after"));
  const EditedRun again(run.out);
  EXPECT_EQ(again.name(0), "kept");
  EXPECT_EQ(again.name(1), "after");
  EXPECT_EQ(contents(run.out / "edits.jsonl").substr(0, whole.size()), whole);
}

/// What an edit of an open run is told.
std::string refusal_of_an_edit(EditedRun& edited) {
  const std::string name = edited.name(0);
  try {
    edited.apply(named(0, "lost"));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::failed);
    EXPECT_EQ(edited.name(0), name);
    return error.what();
  }
  return "";
}

TEST(Edits, OfARunThatHasChangedAreRefusedAndNotKept) {
  const FinishedRun run;
  EditedRun edited(run.out);
  edited.apply(named(0, "kept"));
  const std::string journal = contents(run.out / "edits.jsonl"), labels = contents(run.out / "labels.csv");
  std::string others = labels;
  others.replace(others.rfind(",1\n"), 3, ",0\n");
  run.folder.write("out/labels.csv", others);
  EXPECT_NE(refusal_of_an_edit(edited).find("labels.csv has changed"), std::string::npos);
  EXPECT_THROW(edited.undo(), Error);
  EXPECT_TRUE(edited.can_undo());
  EXPECT_EQ(contents(run.out / "edits.jsonl"), journal);
  run.folder.write("out/labels.csv", labels);  // touched, but the same
  edited.apply(named(1, "kept as well"));

  EditedRun(run.out).apply(named(2, "of somebody else"));
  EXPECT_NE(refusal_of_an_edit(edited).find("edits.jsonl has changed"), std::string::npos);
  EXPECT_EQ(EditedRun(run.out).name(2), "of somebody else");
  fs::remove(run.out / "labels.csv");
  EXPECT_NE(refusal_of_an_edit(edited).find("labels.csv has changed"), std::string::npos);
}

TEST(Edits, ThatFindTheDiskFullLeaveNothingAndTheNextOneIsKept) {
  const FinishedRun run;
  EditedRun edited(run.out);
  edited.apply(named(0, "kept"));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const std::string journal = contents(run.out / "edits.jsonl");
  const rlimit little{journal.size() + 10, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  EXPECT_NE(refusal_of_an_edit(edited).find("cannot write"), std::string::npos);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(contents(run.out / "edits.jsonl"), journal);
  edited.apply(named(1, "after"));
  EXPECT_EQ(EditedRun(run.out).name(1), "after");
}

TEST(Edits, AreNotWrittenThroughALink) {
  const FinishedRun run;
  run.folder.write("profile", std::string());
  fs::create_symlink(run.folder / "profile", run.out / "edits.jsonl");
  EditedRun edited(run.out);
  EXPECT_NE(refusal_of_an_edit(edited), "");
  EXPECT_EQ(contents(run.folder / "profile"), "");
}

TEST(Edits, OfWhatIsNotThereAreRefusedAndNotKept) {
  const FinishedRun run;
  EditedRun edited(run.out);
  for (const Edit& edit :
       {named(3, "x"), named(-1, "x"), merged(0, 0), merged(0, 3), moved({8}, 0), moved({0}, 5),
        Edit{.kind = Edit::Kind::confirm, .images = {8}}, Edit{.kind = Edit::Kind::split, .cluster = 3, .parts = {{0}}},
        Edit{.kind = Edit::Kind::split, .cluster = 0, .parts = {{1}}}}) {
    try {
      edited.apply(edit);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
  }
  EXPECT_FALSE(fs::exists(run.out / "edits.jsonl"));
}

TEST(Edits, ForeignFilesAreRefusedInOneLine) {
  const FinishedRun run;
  const auto message = [&](const char* file, const char* text) {
    run.folder.write(std::string("out/") + file, std::string(text));
    try {
      EditedRun edited(run.out);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("edits.jsonl", "{\"do\":\"merge\",\"cluster\":77,\"to\":0}\n"), "");
  EXPECT_NE(message("edits.jsonl", "{\"do\":\"dance\"}\n"), "");
  EXPECT_NE(message("edits.jsonl", "[1]\n"), "");
  EXPECT_EQ(message("edits.jsonl", ""), "");
  EXPECT_NE(message("labels.csv", "id,cluster,confidence,outlier\na,b,c,d\n"), "");
  EXPECT_NE(message("labels.csv", "something else\n"), "");
}

TEST(Export, CsvAndJsonHoldNamesAndEveryImage) {
  const FinishedRun run;
  EditedRun edited(run.out);
  edited.apply(named(1, "one, \"1\""));
  export_run(edited, ExportForm::csv, run.folder / "x.csv", false);
  const std::string csv = contents(run.folder / "x.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "id,cluster,name,confidence,outlier");
  EXPECT_NE(csv.find("\"b, c.pgm\",1,\"one, \"\"1\"\"\",0.5000,0\n"), std::string::npos) << csv;
  export_run(edited, ExportForm::json, run.folder / "x.json", false);
  const auto json = nlohmann::json::parse(contents(run.folder / "x.json"));
  ASSERT_EQ(json["clusters"].size(), 3);
  EXPECT_EQ(json["clusters"][1]["name"], "one, \"1\"");
  EXPECT_EQ(json["clusters"][0]["size"], 3);
  EXPECT_THROW(export_run(edited, ExportForm::csv, run.folder / "x.csv", false), Error);
}

TEST(Export, FoldersHoldLinksOrCopies) {
  const FinishedRun run;
  EditedRun edited(run.out);
  edited.apply(named(0, "../../escape"));
  edited.apply(named(1, "ones"));
  for (const bool copy : {false, true}) {
    const fs::path to = run.folder / (copy ? "copies" : "links");
    export_run(edited, ExportForm::folders, to, copy);
    EXPECT_EQ(std::distance(fs::directory_iterator(to), {}), 3);
    // Two files of the same name, from two folders of the input, in one cluster.
    const fs::path escaped = to / "_.._.._escape";
    EXPECT_EQ(contents(escaped / "a.pgm"), contents(run.folder / "in/a.pgm"));
    EXPECT_EQ(contents(escaped / "a-2.pgm"), contents(run.folder / "in/sub/a.pgm"));
    EXPECT_EQ(fs::is_symlink(escaped / "a.pgm"), !copy);
    EXPECT_TRUE(fs::exists(to / "ones" / "b, c.pgm"));
    EXPECT_TRUE(fs::exists(to / "cluster 2"));
  }
}

TEST(Export, ClustersOfOneNameStayApart) {
  const FinishedRun run;
  EditedRun edited(run.out);
  edited.apply(named(0, "cluster 1"));
  export_run(edited, ExportForm::folders, run.folder / "one", true);
  EXPECT_EQ(std::distance(fs::directory_iterator(run.folder / "one"), {}), 3);
  EXPECT_TRUE(fs::exists(run.folder / "one/cluster 1 (0)/a.pgm"));
  EXPECT_TRUE(fs::exists(run.folder / "one/cluster 1 (1)/b, c.pgm"));
  edited.apply(named(0, "a/b"));
  edited.apply(named(1, "A_b"));
  edited.apply(named(2, "a_b (0)"));
  export_run(edited, ExportForm::folders, run.folder / "other", true);
  std::size_t images = 0;
  for (const auto& folder : fs::directory_iterator(run.folder / "other"))
    images += static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), {}));
  EXPECT_EQ(std::distance(fs::directory_iterator(run.folder / "other"), {}), 3);
  EXPECT_EQ(images, 8U);
}

TEST(Export, DeletesNothingThatItDidNotMake) {
  const FinishedRun run;
  run.folder.write("exp/x.unfinished/thesis.txt", std::string("years"));
  export_run(EditedRun(run.out), ExportForm::folders, run.folder / "exp/x", true);
  EXPECT_EQ(contents(run.folder / "exp/x.unfinished/thesis.txt"), "years");
  EXPECT_EQ(std::distance(fs::directory_iterator(run.folder / "exp"), {}), 2);
  export_run(EditedRun(run.out), ExportForm::folders, run.folder / "new/parents/y/", true);
  EXPECT_TRUE(fs::exists(run.folder / "new/parents/y/cluster 0"));
}

TEST(Export, OfWhatIsGoneLeavesNothingBehind) {
  const FinishedRun run;
  const EditedRun edited(run.out);
  fs::remove(run.folder / "in/z2.pgm");
  EXPECT_THROW(export_run(edited, ExportForm::folders, run.folder / "folders", true), Error);
  EXPECT_FALSE(fs::exists(run.folder / "folders"));
  for (const auto& entry : fs::directory_iterator(run.folder / ""))
    EXPECT_EQ(entry.path().string().find("unfinished"), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace pssc
