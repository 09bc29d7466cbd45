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
  CLI::App app;
  command::add_config(app);
  CLI::App* cluster = app.add_subcommand("cluster");
  cluster->fallthrough();
  const command::StageOptions options(*cluster);
  fuzz::unless_refused([&] {
    try {
      app.parse(std::vector<std::string>{"photos", "cluster", file.path(), "--config"});  // the last is the first
    } catch (const CLI::ParseError&) {
      return;  // the command tells it in one line
    }
    options.parameters();
    options.images();
  });
  return 0;
}
