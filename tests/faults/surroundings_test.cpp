// Images that go away, files that may not be read, memory that runs out, pipes that nobody reads.
#include "support/child.hpp"
#include "support/image_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

namespace pssc::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

void write_images(const TempFolder& folder, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    folder.write(fmt::format("in/{}/{:04}.pgm", i % 2 ? "disc" : "ring", i), encode_pnm(disc_or_ring(i)));
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// ---- a folder that loses images while it is read --------------------------------------------------------------------

std::vector<std::string> cluster_folder(const TempFolder& folder) {
  return {"cluster", folder.string("in"), "-k",  "2", "-o", folder.string("out"), "--device", "cpu", "--fit-images",
          "1000",    "--sample-images",   "1000"};
}

TEST(FolderLosingImages, ThoseThatWereNotReadYetAreSkippedAndNamed) {
  const TempFolder folder;
  write_images(folder, 1500);
  // As slow as a folder on a slow disk: it is stopped before it reads, while the images go.
  Child run(cluster_folder(folder));
  ASSERT_TRUE(run.wait_for(folder / "out/.pssc-lock"));
  run.signal(SIGSTOP);
  for (std::size_t i = 100; i < 1500; i += 3)
    fs::remove(folder / fmt::format("in/{}/{:04}.pgm", i % 2 ? "disc" : "ring", i));
  run.signal(SIGCONT);
  const CommandResult ended = run.wait();
  // Which had been read by then is a matter of luck: those cannot be read a second time, which is told.
  if (ended.code == 0) {
    EXPECT_NE(contents(folder / "out/summary.json").find("cannot open"), std::string::npos);
  } else {
    EXPECT_EQ(ended.code, 3);
    EXPECT_NE(ended.err.find("did the input change during the run?"), std::string::npos) << ended.err;
    EXPECT_EQ(lines(ended.err), 1u);
  }
}

TEST(FolderLosingImages, ThoseThatWereReadBeforeEndTheRunAndTheNextStartsAfresh) {
  const TempFolder folder;
  write_images(folder, 1500);
  {
    Child run(cluster_folder(folder));
    ASSERT_TRUE(run.wait_for(folder / "out/.partial/components"));
    fs::remove_all(folder / "in/disc");
    const CommandResult ended = run.wait();
    EXPECT_EQ(ended.code, 3) << ended.err;
    EXPECT_NE(ended.err.find("did the input change during the run?"), std::string::npos) << ended.err;
    EXPECT_EQ(lines(ended.err), 1u) << ended.err;
    EXPECT_FALSE(fs::exists(folder / "out/labels.csv"));
  }
  const CommandResult again = Child(cluster_folder(folder)).wait();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.err, "pssc: starting afresh: the input has changed\n");
  EXPECT_EQ(lines(contents(folder / "out/labels.csv")), 751u);
}

// ---- files that may not be read -------------------------------------------------------------------------------------

TEST(UnreadableFile, IsSkippedAndNamed) {
  const mode_t before = umask(022);  // another user is to read the images
  const TempFolder folder;
  write_images(folder, 60);
  fs::create_directories(folder / "out");
  umask(before);
  fs::create_symlink("nowhere.pgm", folder / "in/ring/dangling.pgm");
  fs::permissions(folder / "in/disc/0001.pgm", fs::perms::none);
  const auto as_nobody = [&] {  // the superuser may read everything
    if (getuid() != 0) return;
    if (chown(folder.string("out").c_str(), 65534, 65534) != 0 || setgid(65534) != 0 || setuid(65534) != 0) _exit(126);
  };
  fs::permissions(folder / "", fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec |
                                   fs::perms::group_read | fs::perms::others_read);
  const CommandResult ended = Child(cluster_folder(folder), as_nobody).wait();
  if (ended.code == 126 || ended.code == 127) GTEST_SKIP() << "skipped: cannot become another user here";
  EXPECT_EQ(ended.code, 0) << ended.err;
  const std::string summary = contents(folder / "out/summary.json");
  EXPECT_NE(summary.find("disc/0001.pgm"), std::string::npos);
  EXPECT_NE(summary.find("Permission denied"), std::string::npos) << summary.substr(0, 1000);
}

TEST(UnreadableFile, AsTheInputItselfIsRefused) {
  const TempFolder folder;
  const std::string path = folder.write("digits.npy", std::string("no array"));
  const CommandResult ended = Child({"cluster", path, "-k", "2"}).wait();
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(lines(ended.err), 1u) << ended.err;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

TEST(MemoryLimit, ReachedAnywhereEndsInOneLine) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "skipped: sanitizers take memory of their own";
#endif
  std::size_t failed = 0, done = 0;
  // With less than the first of these the libraries themselves cannot be loaded.
  for (rlim_t megabytes = 250; megabytes <= 1050; megabytes += 100) {
    const TempFolder folder;
    const CommandResult ended = Child({"cluster", "synthetic:4000", "-k", "10", "-o", folder.string("out"), "--threads",
                                       "2", "--device", "cpu"},
                                      [&] {
                                        const rlimit most{megabytes << 20, megabytes << 20};
                                        setrlimit(RLIMIT_AS, &most);
                                      })
                                    .wait();
    if (ended.code == 0) {
      ++done;
      continue;
    }
    ++failed;
    EXPECT_EQ(ended.code, 1) << megabytes << " MB: " << ended.err;
    EXPECT_EQ(lines(ended.err), 1u) << megabytes << " MB: " << ended.err;
    EXPECT_TRUE(ended.err.starts_with("pssc: ")) << megabytes << " MB: " << ended.err;
    if (!fs::exists(folder / "out")) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder / "out"))
      EXPECT_EQ(entry.path().string().find("unfinished"), std::string::npos) << entry.path();
  }
  EXPECT_GT(failed, 0u);
  EXPECT_GT(done, 0u);
}

TEST(MemoryLimit, AskedForTooLittleStillGivesAResult) {
  for (const char* memory : {"1", "1MiB", "16MiB"}) {
    const CommandResult ended = Child({"cluster", "synthetic:1500", "-k", "5", "--size", "16", "--memory", memory,
                                       "--quiet", "--device", "cpu"})
                                    .wait();
    EXPECT_EQ(ended.code, 0) << memory << ": " << ended.err;
  }
}

// ---- pipes ----------------------------------------------------------------------------------------------------------

TEST(Pipe, ThatNobodyReadsAnyMoreEndsTheCommandQuietly) {
  const TempFolder folder;
  const std::vector<std::string> cluster{"cluster", "synthetic:3000",     "-k",     "3",        "--size", "16",
                                         "-o",      folder.string("out"), "--json", "--device", "cpu"};
  for (const auto& arguments :
       {cluster, std::vector<std::string>{"predict", folder.string("out/model.pssc"), "synthetic:8000"}}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    Child run(arguments, [&] {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
    });
    close(ends[1]);
    close(ends[0]);
    const CommandResult ended = run.wait();
    EXPECT_EQ(ended.code, 128 + SIGPIPE) << arguments[0];
    EXPECT_EQ(ended.err, "");
  }
  EXPECT_TRUE(fs::exists(folder / "out/labels.csv"));
  EXPECT_FALSE(fs::exists(folder / "out/.partial"));
}

TEST(Pipe, ThatIsSlowGetsEverything) {
  const TempFolder folder;
  ASSERT_EQ(
      Child({"cluster", "synthetic:1000", "-k", "3", "--size", "16", "-o", folder.string("out"), "--device", "cpu"})
          .wait()
          .code,
      0);
  const std::string model = folder.string("out/model.pssc");
  ASSERT_EQ(Child({"predict", model, "synthetic:8000", "-o", folder.string("placed.csv")}).wait().code, 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  fcntl(ends[1], F_SETPIPE_SZ, 4096);
  Child run({"predict", model, "synthetic:8000"}, [&] {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
  });
  close(ends[1]);
  std::string text(1 << 20, ' ');
  std::size_t size = 0;
  for (ssize_t n; (n = read(ends[0], text.data() + size, 3000)) > 0;) {
    size += static_cast<std::size_t>(n);
    std::this_thread::sleep_for(3ms);
  }
  close(ends[0]);
  EXPECT_EQ(run.wait().code, 0);
  EXPECT_TRUE(text.substr(0, size) == contents(folder / "placed.csv"));
}

}  // namespace
}  // namespace pssc::test
