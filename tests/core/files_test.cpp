#include "support/image_files.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

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

TEST(OutputFile, ALinkStaysAndLeadsToTheNewFile) {
  const TempFolder folder, elsewhere;
  write_file(elsewhere / "real.txt", "old");
  fs::create_symlink(elsewhere / "real.txt", elsewhere / "second");
  fs::create_symlink(elsewhere / "second", folder / "link");
  fs::create_symlink("not yet", folder / "dangling");
  write_file(folder / "link", "new");
  write_file(folder / "dangling", "first");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::is_symlink(elsewhere / "second"));
  EXPECT_EQ(contents(elsewhere / "real.txt"), "new");
  EXPECT_TRUE(fs::is_symlink(folder / "dangling"));
  EXPECT_EQ(contents(folder / "not yet"), "first");
  fs::create_symlink("round", folder / "round");
  EXPECT_THROW(write_file(folder / "round", "x"), Error);
}

TEST(OutputFile, APipeGetsTheBytesAndStaysAPipe) {
  const TempFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = contents(folder / "pipe"); });
  {
    OutputFile file(folder / "pipe");
    EXPECT_TRUE(file.is_stream());
    file.write("first ");
    file.write("second");
    file.commit();
  }
  reader.join();
  EXPECT_EQ(got, "first second");
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.string()), {}), 1);
  write_file("/dev/null", "nothing");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(OutputFile, SocketsAreRefused) {
  const TempFolder folder;
  const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder.string("socket");
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_THROW(write_file(folder / "socket", "x"), Error);
  EXPECT_TRUE(fs::is_socket(folder / "socket"));
  close(descriptor);
}

TEST(OutputFile, NobodyCanForeseeItsNeighbour) {
  const TempFolder folder;
  write_file(folder / "victim", "mine");
  fs::create_symlink(folder / "victim", folder / (".a.txt.unfinished." + std::to_string(getpid())));
  write_file(folder / "a.txt", "new");
  EXPECT_EQ(contents(folder / "victim"), "mine");
  EXPECT_EQ(contents(folder / "a.txt"), "new");
  const OutputFile one(folder / "a.txt"), other(folder / "a.txt");
  EXPECT_NE(one.temporary(), other.temporary());
  EXPECT_TRUE(OutputFile::is_unfinished(one.temporary()));
  for (const char* name :
       {"a.unfinished.1", ".a.unfinished.1", ".a.unfinished.x.0123456789abcdef", "a.txt", ".unfinished.1.2"})
    EXPECT_FALSE(OutputFile::is_unfinished(folder.write(name, std::string("mine")))) << name;
}

TEST(OutputFile, KeepsThePermissionsOfTheFileBefore) {
  const TempFolder folder;
  write_file(folder / "private", "old");
  fs::permissions(folder / "private", fs::perms::owner_read | fs::perms::owner_write);
  write_file(folder / "private", "new");
  EXPECT_EQ(fs::status(folder / "private").permissions(), fs::perms::owner_read | fs::perms::owner_write);
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
