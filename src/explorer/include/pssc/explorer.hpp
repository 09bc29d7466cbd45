#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace pssc {

struct ExplorerParams {
  std::string host = "127.0.0.1";  ///< the address to listen at; the default cannot be reached from other machines
  int port = 0;                    ///< 0: any that is free
};

/// Serves a finished run as a page on which its clusters can be looked through, named, mended and exported. Who asks
/// must know the token in the address, which is new each time.
class Explorer {
 public:
  /// Opens the run and begins to listen. Throws Error(input) where the folder holds no finished run or its images are
  /// gone, Error(failed) where the port is taken or somebody else explores the run.
  Explorer(const std::filesystem::path& folder, const ExplorerParams& params);
  ~Explorer();

  std::string address() const;  ///< with the token
  void serve();                 ///< until `stop`
  void stop();                  ///< from any thread

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pssc
