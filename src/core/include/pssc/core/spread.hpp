#pragma once

#include <pssc/core/context.hpp>
#include <pssc/core/grid.hpp>
#include <pssc/core/matrix.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace pssc {

// Rows that are spread over the ranks of a run. Each rank holds some that follow each other, the first ranks the first
// ones, and a rank's rows begin at a multiple of `row_unit` among all: blocks of at most so many rows, counted from the
// first row a rank holds, are then the same for any number of ranks, and with them every product of matrices to the
// last bit. Sums over all rows are taken on a Grid. With one rank all of this does nothing.

constexpr std::size_t row_unit = 1024;

/// Which of all rows a rank holds.
struct RowShare {
  std::size_t first = 0;  ///< its first among all
  std::size_t total = 0;  ///< of all ranks
};
RowShare share_of_rows(const Context& context, std::size_t own);

/// [begin, end) of `total` that a rank takes when they are cut evenly in blocks of `unit`.
struct Part {
  std::size_t begin = 0, end = 0;
};
Part part_of(std::size_t total, std::size_t unit, std::size_t rank, std::size_t ranks);
Part own_part(const Context& context, std::size_t total, std::size_t unit = row_unit);

/// Numbers added up over all ranks.
std::size_t sum_of_all(const Context& context, std::size_t mine);
/// The largest size |x| of any number of all ranks' rows.
double largest_size(const Context& context, FloatView x);
double largest_of_all(const Context& context, double mine);
/// The sum of all ranks' values, none below 0.
double sum_of_values(const Context& context, std::span<const float> values);

/// Plain numbers from one rank to all, of the length that rank has.
template <class T>
void broadcast(const Context& context, std::vector<T>& values, std::size_t from = 0);
template <class T>
void broadcast(const Context& context, Matrix<T>& matrix, std::size_t from = 0);
void broadcast(const Context& context, std::string& text, std::size_t from = 0);

/// Runs on rank 0 alone. An Error thrown there is thrown on all ranks.
void once(const Context& context, const std::function<void()>& work);
/// The same with a context that knows of no other rank.
void once_alone(const Context& context, const std::function<void(const Context&)>& work);

/// Each rank's values one after the other: on all ranks, or on rank 0 alone (nothing elsewhere).
template <class T>
std::vector<T> gather(const Context& context, const std::vector<T>& mine);
template <class T>
std::vector<T> gather_at_first(const Context& context, const std::vector<T>& mine);
std::vector<std::string> gather_at_first(const Context& context, const std::vector<std::string>& mine);

/// All rows, on all ranks or on rank 0 alone (no rows elsewhere); on the host.
FloatMatrix gather_matrix(const Context& context, FloatView mine);
FloatMatrix gather_matrix_at_first(const Context& context, FloatView mine);

/// Moves rows so that each rank holds `own` of them, without changing their order. The sum of `own` is that of the
/// rows.
FloatMatrix spread_rows(const Context& context, FloatView rows, std::size_t own);
template <class T>
std::vector<T> spread_values(const Context& context, const std::vector<T>& values, std::size_t own);
/// As many to each as `own_part` says. Nothing is moved where they lie so.
FloatMatrix spread_evenly(const Context& context, FloatMatrix rows, std::size_t unit = row_unit);

/// The named rows of all, which rise, spread evenly; every rank names the same ones.
FloatMatrix pick_rows(const Context& context, FloatView rows, std::span<const std::size_t> named);
/// The named rows of all, in that order, on every rank, where the rows lie.
FloatMatrix rows_for_all(const Context& context, FloatView rows, std::span<const std::size_t> named);

/// Rows that belong at places of `total`, any to any: afterwards each rank holds the places of its `own_part`.
void send_to_places(const Context& context, FloatView rows, std::span<const std::size_t> places, std::size_t total,
                    const std::function<void(FloatView rows, std::span<const std::size_t> places)>& receive);

// ---- bytes ----------------------------------------------------------------------------------------------------------

void broadcast_bytes(const Context& context, std::vector<std::byte>& bytes, std::size_t from);
std::vector<std::byte> spread_bytes(const Context& context, std::span<const std::byte> rows, std::size_t row_bytes,
                                    std::size_t own);

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::as_bytes(std::span<const T>(values));
}

template <class T>
void append_from_bytes(std::span<const std::byte> bytes, std::vector<T>& values) {
  const std::size_t before = values.size();
  values.resize(before + bytes.size() / sizeof(T));
  std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<std::byte*>(values.data() + before));
}

template <class T>
void broadcast(const Context& context, std::vector<T>& values, std::size_t from) {
  if (context.ranks().ranks() == 1) return;
  std::vector<std::byte> bytes(bytes_of(values).begin(), bytes_of(values).end());
  broadcast_bytes(context, bytes, from);
  values.clear();
  append_from_bytes<T>(bytes, values);
}

template <class T>
void broadcast(const Context& context, Matrix<T>& matrix, std::size_t from) {
  if (context.ranks().ranks() == 1) return;
  std::vector<std::size_t> shape{matrix.rows(), matrix.cols()};
  broadcast(context, shape, from);
  if (context.ranks().rank() != from) matrix = Matrix<T>(shape[0], shape[1]);
  context.ranks().broadcast(std::as_writable_bytes(std::span<T>(matrix.data(), matrix.size())), from);
}

template <class T>
std::vector<T> gather(const Context& context, const std::vector<T>& mine) {
  if (context.ranks().ranks() == 1) return mine;
  std::vector<T> all;
  for (const auto& part : context.ranks().gather(bytes_of(mine))) append_from_bytes<T>(part, all);
  return all;
}

template <class T>
std::vector<T> gather_at_first(const Context& context, const std::vector<T>& mine) {
  if (context.ranks().ranks() == 1) return mine;
  std::vector<T> all;
  for (const auto& part : context.ranks().gather_at_first(bytes_of(mine))) append_from_bytes<T>(part, all);
  return all;
}

template <class T>
std::vector<T> spread_values(const Context& context, const std::vector<T>& values, std::size_t own) {
  if (context.ranks().ranks() == 1) return values;
  std::vector<T> result;
  append_from_bytes<T>(spread_bytes(context, bytes_of(values), sizeof(T), own), result);
  return result;
}

}  // namespace pssc
