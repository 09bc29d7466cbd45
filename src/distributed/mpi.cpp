#include "watch.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/distributed.hpp>

#include <mpi.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>

namespace pssc::distributed {

namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 27;  // MPI counts in int
constexpr int tag = 7;

bool started = false;
std::atomic<bool> failing{false};   // and has told, or leaves that to another
MPI_Comm failures = MPI_COMM_NULL;  // for those that have failed, apart from what the others are waiting for

void check(int code) {
  if (code == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  throw run_error("the ranks cannot speak to each other: " + text);
}

class MpiRanks final : public Communicator {
 public:
  MpiRanks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t ranks() const override { return static_cast<std::size_t>(ranks_); }

  void sum(std::span<std::int64_t> values) override {
    for_each_portion(values, [&](auto some) {
      check(MPI_Allreduce(MPI_IN_PLACE, some.data(), count(some), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    });
    sent(values.size_bytes());
  }

  void sum_at_first(std::span<std::int64_t> values) override {
    for_each_portion(values, [&](auto some) {
      check(MPI_Reduce(rank_ == 0 ? MPI_IN_PLACE : some.data(), some.data(), count(some), MPI_INT64_T, MPI_SUM, 0,
                       MPI_COMM_WORLD));
    });
    sent(rank_ != 0 ? values.size_bytes() : 0);
  }

  void largest(std::span<double> values) override {
    for_each_portion(values, [&](auto some) {
      check(MPI_Allreduce(MPI_IN_PLACE, some.data(), count(some), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
    });
    sent(values.size_bytes());
  }

  void broadcast(std::span<std::byte> bytes, std::size_t from) override {
    for_each_portion(bytes, [&](auto some) {
      check(MPI_Bcast(some.data(), count(some), MPI_BYTE, static_cast<int>(from), MPI_COMM_WORLD));
    });
    sent(rank() == from ? bytes.size() : 0);
  }

  std::vector<Bytes> gather(std::span<const std::byte> mine) override {
    std::vector<Bytes> all = room_for(mine.size());
    std::copy(mine.begin(), mine.end(), all[rank()].begin());
    const std::size_t total = std::accumulate(all.begin(), all.end(), std::size_t{0},
                                              [](std::size_t n, const Bytes& b) { return n + b.size(); });
    sent(mine.size());
    if (total > most_at_once) {
      for (std::size_t r = 0; r < all.size(); ++r)
        for_each_portion(std::span(all[r]), [&](auto some) {
          check(MPI_Bcast(some.data(), count(some), MPI_BYTE, static_cast<int>(r), MPI_COMM_WORLD));
        });
      return all;
    }
    std::vector<int> lengths, places;
    int place = 0;
    for (const Bytes& b : all) {
      lengths.push_back(static_cast<int>(b.size()));
      places.push_back(place);
      place += lengths.back();
    }
    Bytes together(total);
    check(MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, together.data(), lengths.data(),
                         places.data(), MPI_BYTE, MPI_COMM_WORLD));
    for (std::size_t r = 0; r < all.size(); ++r)
      std::copy_n(together.begin() + places[r], all[r].size(), all[r].begin());
    return all;
  }

  std::vector<Bytes> gather_at_first(std::span<const std::byte> mine) override {
    std::vector<Bytes> all = room_for(mine.size());
    sent(rank_ != 0 ? mine.size() : 0);
    if (rank_ == 0) {
      std::copy(mine.begin(), mine.end(), all[0].begin());
      for (int r = 1; r < ranks_; ++r)
        for_each_portion(std::span(all[static_cast<std::size_t>(r)]), [&](auto some) {
          check(MPI_Recv(some.data(), count(some), MPI_BYTE, r, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        });
      return all;
    }
    for_each_portion(mine,
                     [&](auto some) { check(MPI_Send(some.data(), count(some), MPI_BYTE, 0, tag, MPI_COMM_WORLD)); });
    return {};
  }

  std::vector<Bytes> exchange(std::vector<Bytes> to) override {
    std::vector<std::uint64_t> sizes, coming(ranks());
    for (const Bytes& b : to) sizes.push_back(b.size());
    check(MPI_Alltoall(sizes.data(), 1, MPI_UINT64_T, coming.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD));
    std::vector<Bytes> came(ranks());
    std::vector<MPI_Request> requests;
    for (int r = 0; r < ranks_; ++r) {
      const auto i = static_cast<std::size_t>(r);
      if (r == rank_) {
        came[i] = std::move(to[i]);
        continue;
      }
      came[i].resize(coming[i]);
      for_each_portion(std::span(came[i]), [&](auto some) {
        check(MPI_Irecv(some.data(), count(some), MPI_BYTE, r, tag, MPI_COMM_WORLD, &requests.emplace_back()));
      });
      for_each_portion(std::span(to[i]), [&](auto some) {
        check(MPI_Isend(some.data(), count(some), MPI_BYTE, r, tag, MPI_COMM_WORLD, &requests.emplace_back()));
      });
      counts.bytes += to[i].size() + sizeof(std::uint64_t);
    }
    sent(0);
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    return came;
  }

  void barrier() override {
    sent(0);
    check(MPI_Barrier(MPI_COMM_WORLD));
  }

 private:
  template <class T>
  static int count(std::span<T> some) {
    return static_cast<int>(some.size());
  }
  template <class T, class Body>
  static void for_each_portion(std::span<T> all, Body&& body) {
    for (std::size_t begin = 0; begin < all.size(); begin += most_at_once)
      body(all.subspan(begin, std::min(most_at_once, all.size() - begin)));
  }
  /// For as many bytes as each rank says it has.
  std::vector<Bytes> room_for(std::uint64_t mine) {
    std::vector<std::uint64_t> sizes(ranks());
    check(MPI_Allgather(&mine, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD));
    sent(sizeof mine);
    std::vector<Bytes> room;
    for (const std::uint64_t size : sizes) room.emplace_back(size);
    return room;
  }

  void sent(std::size_t bytes) {
    counts.bytes += bytes;
    ++counts.messages;
  }

  int rank_ = 0, ranks_ = 1;
};

}  // namespace

std::string library() {
#ifdef OMPI_MAJOR_VERSION
  return "Open MPI " + std::to_string(OMPI_MAJOR_VERSION) + "." + std::to_string(OMPI_MINOR_VERSION) + "." +
         std::to_string(OMPI_RELEASE_VERSION);
#else
  return "MPI " + std::to_string(MPI_VERSION);
#endif
}

std::shared_ptr<Communicator> start() {
  if (!launch().launched) return std::make_shared<Communicator>();
  int threads = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &threads) != MPI_SUCCESS)
    throw run_error("MPI does not start");
  started = true;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_WORLD, &failures);
  auto ranks = std::make_shared<MpiRanks>();
  start_watching(*ranks);
  return ranks;
}

void finish() {
  if (!started) return;
  MPI_Barrier(MPI_COMM_WORLD);
  stop_watching();
  MPI_Finalize();
  started = false;
}

void fail(int code, void (*say)(const std::string& line), const std::string& line) {
  failing.store(true);
  if (!started) {  // of the command line, the same on every rank
    if (launch().rank == 0)
      say(line);
    else  // whoever ends first has the launcher stop the others: the one that tells is to be it
      poll(nullptr, 0, 1000);
    return;
  }
  constexpr auto patience = std::chrono::milliseconds(500);  // for the others to fail too, of the same thing
  int rank = 0, ranks = 1, failed = 1, lowest = 0;
  MPI_Comm_rank(failures, &rank);
  MPI_Comm_size(failures, &ranks);
  lowest = rank;
  for (int r = 0; r < ranks; ++r) {
    MPI_Request request;
    if (r != rank) MPI_Isend(&code, 1, MPI_INT, r, tag, failures, &request);
  }
  const auto end = std::chrono::steady_clock::now() + patience;
  while (failed < ranks && std::chrono::steady_clock::now() < end) {
    int there = 0, theirs = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, failures, &there, &status);
    if (!there) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    MPI_Recv(&theirs, 1, MPI_INT, status.MPI_SOURCE, tag, failures, MPI_STATUS_IGNORE);
    lowest = std::min(lowest, status.MPI_SOURCE);
    ++failed;
  }
  if (lowest == rank) say(line);
  OutputFile::remove_unfinished();
  stop_watching(true);
  if (failed == ranks) {
    MPI_Finalize();
    started = false;
    return;
  }
  if (lowest != rank) std::this_thread::sleep_for(std::chrono::seconds(2));  // the one that speaks ends all
  _exit(code);
}

bool told_why_stopped() noexcept {
  return failing.load() || (started && tell_of_the_dead()) || launch().rank > 0;
}

}  // namespace pssc::distributed
