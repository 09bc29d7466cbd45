#include "support/image_files.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <iterator>

namespace pssc {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::TempFolder;

TEST(OutputFile, AppearsWholeOnCommitAndNotBefore) {
  const TempFolder folder;
  {
    OutputFile file(folder / "a.txt");
    file.write("first ");
    EXPECT_FALSE(fs::exists(folder / "a.txt"));
    file.write("second");
    file.commit();
  }
  EXPECT_EQ(contents(folder / "a.txt"), "first second");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.string()), {}), 1);
}

TEST(OutputFile, WithoutCommitTheOldFileStays) {
  const TempFolder folder;
  write_file(folder / "a.txt", "old");
  { OutputFile(folder / "a.txt").write("new"); }
  EXPECT_EQ(contents(folder / "a.txt"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.string()), {}), 1);
}

TEST(OutputFile, UnfinishedOnesAreRemovedOnASignal) {
  const TempFolder folder;
  OutputFile file(folder / "a.txt");
  file.write("half");
  OutputFile::remove_unfinished();
  EXPECT_TRUE(fs::is_empty(folder.string()));
}

TEST(OutputFile, ADiskThatRefusesIsAFailedRunAndLeavesNothing) {
  const TempFolder folder;
  write_file(folder / "a.bin", "old");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  try {
    write_file(folder / "a.bin", std::string(100000, 'x'));
    ADD_FAILURE() << "wrote past the limit";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::failed);
    EXPECT_NE(std::string(error.what()).find("a.bin"), std::string::npos);
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(contents(folder / "a.bin"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.string()), {}), 1);
}

TEST(NpyHeader, IsAlignedAndReadable) {
  for (const auto& shape : {std::vector<std::size_t>{5}, {3, 4}, {70000, 217, 4, 4}}) {
    const std::string header = npy_header("<f4", shape);
    EXPECT_EQ(header.size() % 64, 0);
    EXPECT_EQ(header.back(), '\n');
  }
  EXPECT_NE(npy_header("<f4", {5}).find("'shape': (5,)"), std::string::npos);
  EXPECT_NE(npy_header("<f4", {3, 4}).find("'shape': (3, 4)"), std::string::npos);
}

TEST(WritableFolder, IsMadeWhereItIsMissingAndRefusedWhereItIsAFile) {
  const TempFolder folder;
  require_writable_folder(folder / "a" / "b");
  EXPECT_TRUE(fs::is_directory(folder / "a" / "b"));
  write_file(folder / "file", "");
  EXPECT_THROW(require_writable_folder(folder / "file"), Error);
  EXPECT_THROW(require_writable_folder(folder / "file" / "below"), Error);
}

}  // namespace
}  // namespace pssc
