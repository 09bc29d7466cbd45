#include "support/image_files.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/folder_lock.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace pssc {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using Use = FolderLock::Use;

/// What a second one is told, or nothing where it gets the folder.
std::string refusal(const TempFolder& folder, Use use) {
  try {
    const FolderLock lock(folder / "", use);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::failed);
    return error.what();
  }
}

TEST(FolderLock, OneAtATimeAndNothingIsLeft) {
  const TempFolder folder;
  for (const Use second : {Use::write, Use::explore}) {
    {
      const FolderLock lock(folder / "", Use::write);
      EXPECT_NE(refusal(folder, second).find("is being written by another run"), std::string::npos);
    }
    {
      const FolderLock lock(folder / "", Use::explore);
      EXPECT_NE(refusal(folder, second).find("is being explored already"), std::string::npos);
    }
    EXPECT_EQ(refusal(folder, second), "");
    EXPECT_TRUE(fs::is_empty(folder / ""));
  }
}

TEST(FolderLock, GoesWithTheProcessThatHasIt) {
  const TempFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(folder / "", Use::write);
    folder.write("taken", std::string("x"));
    for (;;) pause();
  }
  while (!fs::exists(folder / "taken")) usleep(1000);
  EXPECT_NE(refusal(folder, Use::write), "");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(folder / FolderLock::name));
  EXPECT_EQ(refusal(folder, Use::write), "");
  EXPECT_FALSE(fs::exists(folder / FolderLock::name));
}

TEST(FolderLock, DoesNotFollowALink) {
  const TempFolder folder, elsewhere;
  const std::string victim = elsewhere.write("victim", std::string("mine"));
  fs::create_symlink(victim, folder / FolderLock::name);
  EXPECT_NE(refusal(folder, Use::write), "");
  EXPECT_EQ(test::contents(victim), "mine");
}

TEST(FolderLock, IsGrantedWhereNobodyCanWrite) {
  if (geteuid() == 0) GTEST_SKIP() << "skipped: root can write everywhere";
  const TempFolder folder;
  fs::permissions(folder / "", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(refusal(folder, Use::explore), "");
  fs::permissions(folder / "", fs::perms::owner_all);
}

}  // namespace
}  // namespace pssc
