#include <pssc/core/error.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>

namespace pssc {

namespace {

using Bytes = Communicator::Bytes;

bool one_rank(const Context& context) {
  return context.ranks().ranks() == 1;
}

/// Where each rank's rows begin, and, last, where they end.
std::vector<std::size_t> begins_of(const Context& context, std::size_t own) {
  const std::vector<std::size_t> counts = gather(context, std::vector<std::size_t>{own});
  std::vector<std::size_t> begins(counts.size() + 1);
  std::partial_sum(counts.begin(), counts.end(), begins.begin() + 1);
  return begins;
}

/// The rows packed one behind the other, on the host.
Bytes packed(FloatView rows) {
  Bytes bytes(rows.rows() * rows.cols() * sizeof(float));
  copy_rows(rows.data(), rows.place(), rows.stride() * sizeof(float), bytes.data(), Place::host,
            rows.cols() * sizeof(float), rows.cols() * sizeof(float), rows.rows());
  return bytes;
}

FloatMatrix unpacked(const std::vector<Bytes>& parts, std::size_t cols) {
  std::size_t size = 0;
  for (const Bytes& part : parts) size += part.size();
  FloatMatrix matrix(cols == 0 ? 0 : size / (cols * sizeof(float)), cols);
  std::byte* at = reinterpret_cast<std::byte*>(matrix.data());
  for (const Bytes& part : parts) at = std::copy(part.begin(), part.end(), at);
  return matrix;
}

}  // namespace

RowShare share_of_rows(const Context& context, std::size_t own) {
  if (one_rank(context)) return {0, own};
  const std::vector<std::size_t> begins = begins_of(context, own);
  return {begins[context.ranks().rank()], begins.back()};
}

Part part_of(std::size_t total, std::size_t unit, std::size_t rank, std::size_t ranks) {
  const std::size_t blocks = (total + unit - 1) / unit;
  return {std::min(total, blocks * rank / ranks * unit), std::min(total, blocks * (rank + 1) / ranks * unit)};
}

Part own_part(const Context& context, std::size_t total, std::size_t unit) {
  return part_of(total, unit, context.ranks().rank(), context.ranks().ranks());
}

std::size_t sum_of_all(const Context& context, std::size_t mine) {
  std::int64_t sum = static_cast<std::int64_t>(mine);
  context.ranks().sum({&sum, 1});
  return static_cast<std::size_t>(sum);
}

double largest_of_all(const Context& context, double mine) {
  context.ranks().largest({&mine, 1});
  return mine;
}

double largest_size(const Context& context, FloatView x) {
  // Without their signs, numbers rise as their bits do, and all that are not numbers lie above infinity. So compared,
  // many fit into a vector.
  constexpr std::uint32_t without_sign = 0x7fffffff;
  constexpr std::size_t block = 256;
  std::vector<std::uint32_t> largest((x.rows() + block - 1) / block);
  parallel_blocks(context, x.rows(), block, [&](std::size_t begin, std::size_t end) {
    std::uint32_t most = 0;
    for (std::size_t i = begin; i < end; ++i)
      for (const float v : x.row(i)) most = std::max(most, std::bit_cast<std::uint32_t>(v) & without_sign);
    largest[begin / block] = most;
  });
  const auto size = std::bit_cast<float>(largest.empty() ? 0 : std::ranges::max(largest));
  return largest_of_all(context, std::isnan(size) ? INFINITY : double{size});
}

double sum_of_values(const Context& context, std::span<const float> values) {
  double largest = 0;
  for (const float v : values) largest = std::max(largest, double{v});
  const Grid grid(largest_of_all(context, largest), sum_of_all(context, values.size()));
  std::int64_t sum = 0;
  for (const float v : values) sum += grid(double{v});
  context.ranks().sum({&sum, 1});
  return grid.value(sum);
}

void broadcast_bytes(const Context& context, std::vector<std::byte>& bytes, std::size_t from) {
  std::size_t size = bytes.size();
  context.ranks().broadcast(std::as_writable_bytes(std::span(&size, 1)), from);
  bytes.resize(size);
  context.ranks().broadcast(bytes, from);
}

void broadcast(const Context& context, std::string& text, std::size_t from) {
  std::vector<char> characters(text.begin(), text.end());
  broadcast(context, characters, from);
  text.assign(characters.begin(), characters.end());
}

void once(const Context& context, const std::function<void()>& work) {
  if (one_rank(context)) return work();
  std::string failure;
  std::vector<int> kind{0};
  const auto start = std::chrono::steady_clock::now();
  if (context.ranks().rank() == 0) try {
      work();
    } catch (const Error& error) {
      kind[0] = static_cast<int>(error.kind());
      failure = error.what();
    }
  context.ranks().counts.alone_seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  broadcast(context, kind);
  if (kind[0] == 0) return;
  broadcast(context, failure);
  throw Error(static_cast<ErrorKind>(kind[0]), failure);
}

void once_alone(const Context& context, const std::function<void(const Context&)>& work) {
  once(context, [&] { work(context.alone()); });
}

std::vector<std::string> gather_at_first(const Context& context, const std::vector<std::string>& mine) {
  if (one_rank(context)) return mine;
  std::vector<std::size_t> lengths;
  std::vector<char> text;
  for (const std::string& s : mine) {
    lengths.push_back(s.size());
    text.insert(text.end(), s.begin(), s.end());
  }
  lengths = gather_at_first(context, lengths);
  text = gather_at_first(context, text);
  std::vector<std::string> all;
  auto at = text.begin();
  for (const std::size_t length : lengths) {
    all.emplace_back(at, at + static_cast<std::ptrdiff_t>(length));
    at += static_cast<std::ptrdiff_t>(length);
  }
  return all;
}

FloatMatrix gather_matrix(const Context& context, FloatView mine) {
  return unpacked(context.ranks().gather(packed(mine)), mine.cols());
}

FloatMatrix gather_matrix_at_first(const Context& context, FloatView mine) {
  return unpacked(context.ranks().gather_at_first(packed(mine)), mine.cols());
}

std::vector<std::byte> spread_bytes(const Context& context, std::span<const std::byte> rows, std::size_t row_bytes,
                                    std::size_t own) {
  const std::size_t rank = context.ranks().rank(), have = row_bytes == 0 ? 0 : rows.size() / row_bytes;
  const std::vector<std::size_t> from = begins_of(context, have), to = begins_of(context, own);
  std::vector<Bytes> sent(context.ranks().ranks());
  for (std::size_t r = 0; r < sent.size(); ++r) {
    const std::size_t begin = std::max(from[rank], to[r]), end = std::min(from[rank + 1], to[r + 1]);
    if (begin >= end) continue;
    const auto some = rows.subspan((begin - from[rank]) * row_bytes, (end - begin) * row_bytes);
    sent[r].assign(some.begin(), some.end());
  }
  Bytes all;
  for (const Bytes& part : context.ranks().exchange(std::move(sent))) all.insert(all.end(), part.begin(), part.end());
  return all;
}

FloatMatrix spread_rows(const Context& context, FloatView rows, std::size_t own) {
  if (one_rank(context)) return copy_to(rows.place(), rows);
  return unpacked({spread_bytes(context, packed(rows), rows.cols() * sizeof(float), own)}, rows.cols());
}

FloatMatrix spread_evenly(const Context& context, FloatMatrix rows, std::size_t unit) {
  if (one_rank(context)) return rows;
  const Part part = own_part(context, sum_of_all(context, rows.rows()), unit);
  const std::size_t own = part.end - part.begin;
  if (sum_of_all(context, own != rows.rows()) == 0) return rows;
  return spread_rows(context, rows, own);
}

FloatMatrix pick_rows(const Context& context, FloatView rows, std::span<const std::size_t> named) {
  if (one_rank(context)) return gather_rows(rows, named);
  const RowShare share = share_of_rows(context, rows.rows());
  std::vector<std::size_t> own;
  for (const std::size_t r : named)
    if (r >= share.first && r < share.first + rows.rows()) own.push_back(r - share.first);
  return spread_evenly(context, gather_rows(rows, own));
}

FloatMatrix rows_for_all(const Context& context, FloatView rows, std::span<const std::size_t> named) {
  if (one_rank(context)) return gather_rows(rows, named);
  const RowShare share = share_of_rows(context, rows.rows());
  std::vector<std::size_t> own, places;
  for (std::size_t i = 0; i < named.size(); ++i)
    if (named[i] >= share.first && named[i] < share.first + rows.rows()) {
      own.push_back(named[i] - share.first);
      places.push_back(i);
    }
  const FloatMatrix found = gather_matrix(context, gather_rows(rows, own));
  places = gather(context, places);
  FloatMatrix ordered(named.size(), rows.cols());
  for (std::size_t i = 0; i < places.size(); ++i) std::ranges::copy(found.row(i), ordered.row(places[i]).begin());
  return ordered;
}

void send_to_places(const Context& context, FloatView rows, std::span<const std::size_t> places, std::size_t total,
                    const std::function<void(FloatView rows, std::span<const std::size_t> places)>& receive) {
  if (one_rank(context)) return receive(rows, places);
  const std::size_t ranks = context.ranks().ranks();
  std::vector<std::vector<std::size_t>> own(ranks);
  std::vector<Bytes> places_sent(ranks), rows_sent(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const Part part = part_of(total, row_unit, r, ranks);
    std::vector<std::size_t> theirs;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i] >= part.begin && places[i] < part.end) {
        own[r].push_back(i);
        theirs.push_back(places[i]);
      }
    const auto bytes = bytes_of(theirs);
    places_sent[r].assign(bytes.begin(), bytes.end());
    rows_sent[r] = packed(gather_rows(rows, own[r]));
  }
  const std::vector<Bytes> places_came = context.ranks().exchange(std::move(places_sent));
  const std::vector<Bytes> rows_came = context.ranks().exchange(std::move(rows_sent));
  for (std::size_t r = 0; r < ranks; ++r) {
    std::vector<std::size_t> here;
    append_from_bytes<std::size_t>(places_came[r], here);
    if (!here.empty()) receive(unpacked({rows_came[r]}, rows.cols()), here);
  }
}

}  // namespace pssc
