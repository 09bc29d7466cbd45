// What is asked of `pssc explore`: HTTP as it comes from a connection, one request after another.
#include "explorer/server.hpp"
#include "run_folder.hpp"

#include <cstring>

using namespace pssc;

namespace {

/// A connection that says `input` and then ends.
class Connection : public httplib::Stream {
 public:
  explicit Connection(std::string_view input) : rest_(input) {}
  bool is_readable() const override { return !rest_.empty(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, rest_.size());
    std::memcpy(to, rest_.data(), count);
    rest_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char*, std::size_t size) override { return static_cast<ssize_t>(size); }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip = "127.0.0.1", port = 1; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip = "127.0.0.1", port = 1; }
  socket_t socket() const override { return 0; }

 private:
  std::string_view rest_;
};

void forget_edits(const std::filesystem::path& folder) {
  std::filesystem::remove(folder / "edits.jsonl");
  std::filesystem::remove_all(folder / "folders");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::TemporaryFolder folder;
  static const bool made = (fuzz::make_run(folder.path()), true);
  static_cast<void>(made);
  static auto server = std::make_unique<explorer::Server>(folder.path(), "127.0.0.1");
  server->port = 8757;
  server->token = std::string(32, 'a');  // the seeds know it
  Connection connection(fuzz::text_of(data, size));
  for (int i = 0; i < 8 && connection.is_readable() && server->answer(connection); ++i) {
  }
  // What was edited would be there for the next.
  if (std::filesystem::exists(folder.path() / "edits.jsonl") || std::filesystem::exists(folder.path() / "folders")) {
    server.reset();
    forget_edits(folder.path());
    server = std::make_unique<explorer::Server>(folder.path(), "127.0.0.1");
  }
  return 0;
}
