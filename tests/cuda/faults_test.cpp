// What the command does where the GPU, its driver or its libraries fail: it falls back or says what to do in one line,
// and never hangs. Faults are put in by faulty_driver.cpp, with the real driver behind it, where the real thing cannot
// be made without harm to others; memory is really taken by another process.
#include "on_device.hpp"
#include "support/child.hpp"
#include "support/image_files.hpp"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace pssc {
namespace {

using test::CommandResult;
using test::run_pssc;
using test::ScopedVariable;

std::string faulty_driver() {
  const char* path = std::getenv("PSSC_FAULTY_DRIVER");
  return path ? path : PSSC_FAULTY;
}

/// Libraries for LD_PRELOAD: that one, behind the address sanitizer's where there is one, which must be the first.
std::string preloaded(const std::string& library) {
  Dl_info sanitizer{};
  void* const start = dlsym(RTLD_DEFAULT, "__asan_init");
  return start && dladdr(start, &sanitizer) ? std::string(sanitizer.dli_fname) + ":" + library : library;
}

/// While it lives, the command meets that fault.
struct Fault {
  ScopedVariable fault, driver;
  explicit Fault(const std::string& name)
      : fault("PSSC_FAULT", name.c_str()), driver("LD_PRELOAD", preloaded(faulty_driver()).c_str()) {}
};

std::vector<std::string> on(const char* device, std::size_t images = 60) {
  return {"cluster", "synthetic:" + std::to_string(images), "-k", "3", "--json", "--device", device};
}

/// Insisting on the GPU: exit code 1 and one line with these words in it.
void expect_one_line(const CommandResult& result, const std::string& words) {
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("--device cpu"), std::string::npos) << result.err;
}

/// The GPU cannot be started: auto does without it, cuda says why.
void expect_fallback(const std::string& words) {
  const CommandResult info = run_pssc({"info"});
  EXPECT_EQ(info.code, 0);
  EXPECT_NE(info.out.find("device   cpu ("), std::string::npos) << info.out;
  EXPECT_NE(info.out.find(words), std::string::npos) << info.out;
  const CommandResult automatic = run_pssc(on("auto"));
  EXPECT_EQ(automatic.code, 0) << automatic.err;
  EXPECT_EQ(automatic.err, "");
  EXPECT_NE(automatic.out.find(R"("device": "cpu")"), std::string::npos);
  expect_one_line(run_pssc(on("cuda")), words);
}

TEST(CudaFaults, OldDriver) {
  const Fault fault("old");
  expect_fallback("the NVIDIA driver is for CUDA 11.4, this build for ");
}

TEST(CudaFaults, NoDevice) {
  {
    const Fault fault("none");
    const ScopedVariable all("CUDA_VISIBLE_DEVICES", nullptr);
    expect_fallback("no GPU was found");
  }
  const ScopedVariable hidden("CUDA_VISIBLE_DEVICES", "");
  expect_fallback("no GPU was found");
}

using CudaFaultsOnDevice = test::OnDevice;

TEST_F(CudaFaultsOnDevice, Busy) {
  const Fault fault("busy");
  expect_fallback("the GPU is busy, or set aside for another process");
}

TEST_F(CudaFaultsOnDevice, NoMemoryToStart) {
  const Fault fault("full");
  expect_fallback("the GPU's memory is taken by other processes");
}

TEST_F(CudaFaultsOnDevice, NoLibraries) {
  const auto library = std::filesystem::path(faulty_driver()).parent_path() / "libno_libraries.so";
  const ScopedVariable absent("LD_PRELOAD", preloaded(library).c_str());
  expect_fallback("install the CUDA toolkit's libraries");
}

TEST_F(CudaFaultsOnDevice, Lost) {
  {
    const Fault never("lost:1000000000");
    const CommandResult unharmed = run_pssc(on("cuda"));
    if (unharmed.code != 0) GTEST_SKIP() << "skipped: nothing can stand before this driver: " << unharmed.err;
  }
  for (const int launches : {0, 1, 7, 40, 150}) {
    const test::TempFolder folder;  // a new one: the next run would continue the last, and say so
    const Fault fault("lost:" + std::to_string(launches));
    std::vector<std::string> command = on("cuda", 1500);
    command.insert(command.end(), {"-o", folder.string("run")});
    expect_one_line(run_pssc(command), "the GPU failed to ");
    EXPECT_FALSE(std::filesystem::exists(folder.string("run/labels.csv"))) << launches;
  }
}

TEST_F(CudaFaultsOnDevice, MemoryOfAnotherProcess) {
  EXPECT_EQ(run_pssc(on("cuda", 3000)).code, 0);
  {  // little: smaller batches, and the processor unless the GPU is asked for
    const auto taken = test::all_memory_but(std::size_t{7} << 28);
    EXPECT_NE(run_pssc(on("auto")).out.find(R"("device": "cpu")"), std::string::npos);
    const CommandResult insisted = run_pssc(on("cuda", 3000));
    EXPECT_EQ(insisted.code, 0) << insisted.err;
  }
  {  // far too little
    const auto taken = test::all_memory_but(std::size_t{3} << 28);
    expect_one_line(run_pssc({"cluster", "synthetic:20000", "-k", "10", "--device", "cuda"}), "GPU");
  }
  {  // nothing at all
    const auto taken = test::all_memory_but(std::size_t{1} << 26);
    EXPECT_EQ(run_pssc(on("auto")).code, 0);
    expect_one_line(run_pssc(on("cuda")), "GPU");
  }
}

TEST_F(CudaFaultsOnDevice, ForkedProcess) {
  const pid_t child = fork();
  if (child == 0) _exit(find_accelerator().usable ? 1 : 0);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(find_accelerator().usable);
}

}  // namespace
}  // namespace pssc
