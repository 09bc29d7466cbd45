// Lists of paths, beside a folder with a few files.
#include "images/path_list.hpp"

#include "images.hpp"
#include "temporary.hpp"

using namespace pssc;

namespace {

const fuzz::TemporaryFolder& folder_with_files() {
  static const fuzz::TemporaryFolder folder;
  static const bool once = [] {
    folder.write("a.pgm", "P2 2 2 255 0 80 160 240 ");
    folder.write("b.pgm", "P2 2 2 255 0 80 ");
    std::filesystem::create_symlink("loop.pgm", folder.path() / "loop.pgm");
    std::filesystem::create_directory(folder.path() / "folder");
    return true;
  }();
  static_cast<void>(once);
  return folder;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::TemporaryFolder& folder = folder_with_files();
  const auto list = folder.write("list.txt", fuzz::text_of(data, size));
  fuzz::unless_refused([&] {
    const auto bytes = images::from_memory({data, data + size}, "list.txt");
    fuzz::read_some(*images::open_path_list(*bytes, list, fuzz::small_images()), 16);
  });
  return 0;
}
