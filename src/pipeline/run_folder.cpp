#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/pipeline.hpp>

#include <fmt/format.h>

namespace pssc {

namespace {

void require_no_edits(const std::filesystem::path& folder) {
  if (std::filesystem::exists(folder / "edits.jsonl"))
    throw usage_error(fmt::format(
        "{} holds a person's edits of an earlier run (edits.jsonl); name another folder with -o, or move them away",
        folder.string()));
}

}  // namespace

RunFolder::RunFolder(std::filesystem::path path, bool first_rank) : path_(std::move(path)) {
  if (!first_rank) return;
  require_writable_folder(path_);
  require_no_edits(path_);  // said first: it stays so when the folder is free again
  lock_.emplace(path_, FolderLock::Use::write);
  require_no_edits(path_);
}

}  // namespace pssc
