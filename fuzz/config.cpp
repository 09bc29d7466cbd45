// The file of --config: what it sets is taken or refused.
#include "pssc/options.hpp"
#include "target.hpp"

#include <sys/mman.h>
#include <unistd.h>

using namespace pssc;

namespace {

/// A file that lies in memory alone.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : descriptor_(memfd_create("config", MFD_CLOEXEC)) {
    fuzz::require(descriptor_ >= 0 &&
                      ::write(descriptor_, content.data(), content.size()) == static_cast<ssize_t>(content.size()),
                  "no file in memory");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(fuzz::text_of(data, size));
  command::Program program("", "pssc", "", "");
  command::Command cluster = program.commands().add("cluster", "");
  cluster.takes_program_options();
  const command::StageOptions options(cluster);
  fuzz::unless_refused([&] {
    std::vector<std::string> words{"pssc", "--config", file.path(), "cluster", "photos"};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    program.parse(static_cast<int>(argv.size()), argv.data());
    options.parameters();
    options.images();
  });
  return 0;
}
