// What a run keeps under DIR/.partial (docs/runs.md): `run.json` tells which run, one file for each finished stage and
// for each part of the images that is placed. Nothing in them depends on the number of threads or processes.
#pragma once

#include "archive.hpp"

#include <pssc/core/checksum.hpp>
#include <pssc/core/files.hpp>
#include <pssc/pipeline.hpp>

#include <functional>
#include <string>
#include <vector>

namespace pssc {

/// Bytes into a file, and their checksum.
class SummedFile {
 public:
  explicit SummedFile(const std::filesystem::path& path) : file_(path) {}
  void write(const void* bytes, std::size_t size) {
    sum_.add(bytes, size);
    file_.write(bytes, size);
  }
  /// Not forced onto the disk: that takes long, and a file the machine lost with its power is told by its checksum.
  void commit() {
    const std::uint64_t sum = sum_.value();
    file_.write(&sum, sizeof sum);
    file_.commit(OutputFile::Durability::system);
  }

 private:
  OutputFile file_;
  Checksum sum_;
};

/// Images [begin, end) of the input as they were placed; broken ones have no row.
struct PlacedPart {
  std::size_t begin = 0, end = 0;
  Clustering placed;  ///< labels, confidence, outliers and distances; clusters before they are ordered
  FloatMatrix positions;
  std::vector<BrokenImage> broken;
};

struct Checkpoints::State {
  State(const std::filesystem::path& output, Say say_to, bool first_rank);
  ~State();

  /// Tells which run this is; what another one has left goes. Here all ranks come together; of what follows, the first
  /// alone saves, loads and drops stages, and each keeps the images that it places in files of its own.
  void begin(const Context& context, const Parameters& parameters, const ImageSet& images);

  /// Hands read(Reader&) what was kept of a stage. False where there is nothing, or it is damaged.
  bool load(const std::string& stage, const std::function<void(Reader&)>& read);

  /// Keeps what write(archive) lists. A disk that refuses is told of once; the run goes on.
  template <class Write>
  void save(const std::string& stage, Write&& write) {
    attempt(stage, [&] {
      SummedFile file(folder / stage);
      WriterTo archive([&](const void* bytes, std::size_t size) { file.write(bytes, size); });
      head(archive);
      write(archive);
      file.commit();
    });
  }

  /// All whole parts of images [begin, end) that were kept, in any order.
  std::vector<PlacedPart> load_placed(std::size_t begin, std::size_t end);
  void save_placed(PlacedPart& part);
  void drop_placed();

  void finish();
  void tell(const std::string& line) const {
    if (say) say(line);
  }

 private:
  template <class Archive>
  void head(Archive& archive);
  void attempt(const std::string& what, const std::function<void()>& write);
  void identify(const Context& context, const Parameters& parameters, const ImageSet& images);
  void remove_files(bool all);

 public:
  RunFolder taken;               ///< goes last: until then nobody else is at work here
  std::filesystem::path folder;  ///< .partial itself

 private:
  Say say;
  bool first_rank_;
  std::string identity_, fingerprint_;  ///< of run.json: its text, and the SHA-256 of it
  bool told_of_disk_ = false, wrote_identity_ = false;
};

template <class Archive>
void Checkpoints::State::head(Archive& archive) {
  constexpr std::string_view magic = "PSSCPART";
  std::string begins(magic);
  begins += fingerprint_;
  if constexpr (Archive::reads) {
    std::string found(begins.size(), ' ');
    archive.array(found.data(), found.size());
    if (found != begins) throw input_error("it is of another run");
  } else {
    archive.array(begins.data(), begins.size());
  }
}

}  // namespace pssc
