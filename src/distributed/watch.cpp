#include "watch.hpp"

#include <pssc/core/files.hpp>
#include <pssc/core/folder_lock.hpp>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace pssc::distributed {

namespace {

constexpr char welcome = 'w', goodbye = 'b', failed_and_told = 'f';
constexpr int connect_ms = 2000, accept_ms = 5000, word_ms = 500;

using Clock = std::chrono::steady_clock;

int left_of(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return left > 0 ? static_cast<int>(left) : 0;
}

/// A socket to another rank, and what to say when it breaks. Filled before the watching begins and never moved, so that
/// a signal's handler can read it.
struct Peer {
  int socket = -1;
  bool speaks = false;  ///< it is this rank that tells of the peer's end
  std::array<char, 256> line{};
  std::atomic<bool> left{false};
};

struct Watch {
  std::vector<Peer> peers;
  std::thread thread;
  std::atomic<bool> ending{false}, told{false}, written{false};
};
Watch* watch = nullptr;  // lives until the process ends

/// How other machines may reach this one, the address of the machine itself last.
std::string own_addresses() {
  std::string found;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return "127.0.0.1";
  for (const ifaddrs* a = list; a; a = a->ifa_next) {
    if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET) continue;
    sockaddr_in address{};
    std::memcpy(&address, a->ifa_addr, sizeof address);
    if (ntohl(address.sin_addr.s_addr) >> 24 == 127) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
    found += std::string(text.data()) + " ";
  }
  freeifaddrs(list);
  return found + "127.0.0.1";
}

int connect_to(const std::string& address, std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  inet_pton(AF_INET, address.c_str(), &to.sin_addr);
  int error = connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd p{fd, POLLOUT, 0};
    socklen_t size = sizeof error;
    if (poll(&p, 1, connect_ms) != 1 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = ETIMEDOUT;
  }
  if (error == 0) return fd;
  close(fd);
  return -1;
}

std::string host_name() {
  std::array<char, 200> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::vector<std::string> gather_text(Communicator& ranks, const std::string& mine) {
  std::vector<std::string> all;
  for (const auto& part : ranks.gather(std::as_bytes(std::span(mine.data(), mine.size()))))
    all.emplace_back(reinterpret_cast<const char*>(part.data()), part.size());
  return all;
}

void describe(Peer& peer, std::size_t rank, const std::string& host) {
  std::snprintf(peer.line.data(), peer.line.size(), "pssc: rank %zu on %s has died; the run ends here\n", rank,
                host.c_str());
}

/// The number that a connected rank says it has; 0 where it is none of ours.
std::size_t caller(int fd, const std::vector<Peer>& peers) {
  std::uint32_t rank = 0;
  pollfd p{fd, POLLIN, 0};
  if (poll(&p, 1, word_ms) != 1 || recv(fd, &rank, sizeof rank, MSG_DONTWAIT) != sizeof rank) return 0;
  return rank <= peers.size() && rank > 0 && peers[rank - 1].socket < 0 ? rank : 0;
}

/// Rank 0 accepts the others, each of which says who it is and is told that it is watched. Whoever else calls is sent
/// away.
void accept_all(int listener, std::vector<Peer>& peers) {
  const auto end = Clock::now() + std::chrono::milliseconds(accept_ms);
  for (std::size_t there = 0; there < peers.size() && left_of(end) > 0;) {
    pollfd p{listener, POLLIN, 0};
    if (poll(&p, 1, left_of(end)) != 1) continue;
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      poll(nullptr, 0, 10);
      continue;
    }
    const std::size_t rank = caller(fd, peers);
    if (rank == 0 || send(fd, &welcome, 1, MSG_NOSIGNAL) != 1) {
      close(fd);
      continue;
    }
    peers[rank - 1].socket = fd;
    peers[rank - 1].speaks = true;
    ++there;
  }
}

/// Says who it is to the first rank, at whichever of the addresses it is found; a socket, or -1 where it is not
/// watched.
int call_first(std::size_t rank, std::uint16_t port, const std::string& addresses) {
  int fd = -1;
  for (std::size_t at = 0; fd < 0 && at < addresses.size();) {
    const std::size_t end = std::min(addresses.find(' ', at), addresses.size());
    fd = connect_to(addresses.substr(at, end - at), port);
    at = end + 1;
  }
  if (fd < 0) return -1;
  const auto number = static_cast<std::uint32_t>(rank);
  char answer = 0;
  pollfd p{fd, POLLIN, 0};
  if (send(fd, &number, sizeof number, MSG_NOSIGNAL) == sizeof number && poll(&p, 1, accept_ms + 2 * word_ms) == 1 &&
      recv(fd, &answer, 1, MSG_DONTWAIT) == 1 && answer == welcome)
    return fd;
  close(fd);
  return -1;
}

/// Whether the peer has gone without a word.
bool has_died(Peer& peer) {
  if (peer.socket < 0 || peer.left.load()) return false;
  char said = 0;
  const ssize_t n = recv(peer.socket, &said, 1, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return false;
  if (n == 1) {
    if (said == failed_and_told) watch->told.store(true), watch->written.store(true);
    peer.left.store(true);
    return false;
  }
  return n <= 0;
}

void say_goodbye(char last_word = goodbye) noexcept {
  for (Peer& peer : watch->peers)
    if (peer.socket >= 0) static_cast<void>(!send(peer.socket, &last_word, 1, MSG_NOSIGNAL | MSG_DONTWAIT));
}

/// True where one has died.
bool look_around() noexcept {
  for (Peer& peer : watch->peers) {
    if (!has_died(peer)) continue;
    if (peer.speaks && !watch->told.exchange(true)) {
      static_cast<void>(!write(STDERR_FILENO, peer.line.data(), std::strlen(peer.line.data())));
      watch->written.store(true);
    }
    return true;
  }
  return false;
}

void keep_watching() {
  std::vector<pollfd> fds;
  while (!watch->ending.load()) {
    fds.clear();
    for (const Peer& peer : watch->peers)
      if (peer.socket >= 0 && !peer.left.load()) fds.push_back({peer.socket, POLLIN, 0});
    poll(fds.data(), fds.size(), 200);
    if (watch->ending.load() || !look_around()) continue;
    // The launcher ends the others when it sees this one go.
    OutputFile::remove_unfinished();
    FolderLock::release_on_signal();
    say_goodbye();
    _exit(1);
  }
}

}  // namespace

void start_watching(Communicator& ranks) {
  if (ranks.ranks() == 1) return;
  watch = new Watch;
  const std::size_t rank = ranks.rank();
  const std::vector<std::string> hosts = gather_text(ranks, host_name());
  int listener = -1;
  std::string contact;
  if (rank == 0) {
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_ANY);
    socklen_t size = sizeof any;
    if (bind(listener, reinterpret_cast<sockaddr*>(&any), sizeof any) == 0 && listen(listener, 1024) == 0 &&
        getsockname(listener, reinterpret_cast<sockaddr*>(&any), &size) == 0)
      contact = std::to_string(ntohs(any.sin_port)) + " " + own_addresses();
  }
  contact = gather_text(ranks, contact).front();
  if (rank == 0) {
    watch->peers = std::vector<Peer>(hosts.size() - 1);
    for (std::size_t r = 1; r < hosts.size(); ++r) describe(watch->peers[r - 1], r, hosts[r]);
    if (!contact.empty()) accept_all(listener, watch->peers);
    close(listener);
  } else {
    watch->peers = std::vector<Peer>(1);
    Peer& first = watch->peers.front();
    describe(first, 0, hosts[0]);
    first.speaks = rank == 1;
    const std::size_t space = contact.find(' ');
    const auto port = static_cast<std::uint16_t>(std::atoi(contact.c_str()));
    std::string addresses = space == std::string::npos ? "" : contact.substr(space + 1);
    if (hosts[rank] == hosts[0]) addresses = "127.0.0.1 " + addresses;
    first.socket = call_first(rank, port, addresses);
  }
  ranks.barrier();
  watch->thread = std::thread(keep_watching);
}

void stop_watching(bool failed) noexcept {
  if (!watch || watch->ending.exchange(true)) return;
  say_goodbye(failed ? failed_and_told : goodbye);
  if (watch->thread.joinable()) watch->thread.join();
}

bool tell_of_the_dead() noexcept {
  if (!watch || watch->ending.load()) return false;
  const bool dead = look_around();
  // The thread may be about to write the line.
  for (int i = 0; i < 50 && watch->told.load() && !watch->written.load(); ++i) poll(nullptr, 0, 1);
  // One that is stopped by its user or the launcher has not died.
  if (!dead) say_goodbye();
  return dead || watch->told.load();
}

}  // namespace pssc::distributed
