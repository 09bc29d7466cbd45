#pragma once

#include <pssc/core/context.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace pssc {

/// A file that appears whole or not at all: bytes go to a hidden neighbour, `commit` renames it into place. Without
/// `commit` the neighbour is removed. A link stays, and the file that it leads to is replaced; a pipe or a terminal
/// gets the bytes as they come. Throws Error(failed) naming the file when the disk refuses.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* bytes, std::size_t size);
  void write(const std::string& text) { write(text.data(), text.size()); }
  const std::filesystem::path& temporary() const { return temporary_; }
  bool is_stream() const { return stream_; }  ///< a pipe or a terminal: there is no neighbour
  /// Whether the bytes are on the disk before the file appears, or go there when the system sees fit: then a loss of
  /// power, and nothing else, can leave a file that is not whole.
  enum class Durability { disk, system };
  void commit(Durability durability = Durability::disk);

  /// Whether a file is such a neighbour, of any process.
  static bool is_unfinished(const std::filesystem::path& path);

  /// Removes the neighbours of all files that are being written. Safe inside a signal handler.
  static void remove_unfinished() noexcept;

 private:
  std::filesystem::path path_, temporary_;
  int descriptor_ = -1;
  int slot_ = -1;
  bool stream_ = false;
};

/// A hidden name beside `path` that nobody can foresee, for what is not finished.
std::filesystem::path unfinished_neighbour(const std::filesystem::path& path);

/// Writes a file of which each rank has a part, the parts in the order of the ranks: all at once, each into its place,
/// on a file system that all of them share. It appears whole or not at all.
void write_parts(const Context& context, const std::filesystem::path& path, const std::string& part);

/// Writes one whole file.
void write_file(const std::filesystem::path& path, const std::string& text);

/// Makes sure the folder exists and can be written to, before the work begins rather than after it.
void require_writable_folder(const std::filesystem::path& folder);

/// The header of a version 1.0 .npy file of shape `shape`; `descr` as NumPy writes it, "<f4" for instance.
std::string npy_header(const std::string& descr, const std::vector<std::size_t>& shape);

}  // namespace pssc
