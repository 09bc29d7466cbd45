#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/pipeline.hpp>

#include <fmt/format.h>

namespace pssc {

RunFolder::RunFolder(std::filesystem::path path, bool first_rank) : path_(std::move(path)) {
  if (!first_rank) return;
  require_writable_folder(path_);
  lock_.emplace(path_, FolderLock::Use::write);
  if (std::filesystem::exists(path_ / "edits.jsonl"))
    throw usage_error(fmt::format(
        "{} holds a person's edits of an earlier run (edits.jsonl); name another folder with -o, or move them away",
        path_.string()));
}

}  // namespace pssc
