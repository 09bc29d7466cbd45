// Pieces joined into groups so that as little as possible is lost of the mutual information between the piece of an
// image and the piece of the image one step of a random walk away (image, representative, image):
//   J_ab = w_ab / sum w,   I(J) = sum_ab f(J_ab) - 2 sum_a f(r_a),   f(x) = x log x,   r_a = sum_b J_ab
// J is symmetric, and both ends of a step are joined at once. Where two groups are joined, only terms of their rows and
// columns change; with h(x, y) = f(x + y) - f(x) - f(y) that is
//   I(joined) - I = 2 sum_{c != a,b} h(J_ac, J_bc) - 2 h(r_a, r_b)
//                   + f(J_aa + 2 J_ab + J_bb) - f(J_aa) - f(J_bb) - 2 f(J_ab)
#include <pssc/clustering.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pssc {

namespace {

double f(double x) {
  return x > 0 ? x * std::log(x) : 0;
}

double h(double x, double y) {
  return x > 0 && y > 0 ? f(x + y) - f(x) - f(y) : 0;
}

std::vector<double> row_sums(const Matrix<double>& J) {
  std::vector<double> sums(J.rows());
  for (std::size_t a = 0; a < J.rows(); ++a) sums[a] = std::accumulate(J.row(a).begin(), J.row(a).end(), 0.0);
  return sums;
}

Matrix<double> scaled_to_one(const Matrix<double>& weights) {
  Matrix<double> J = weights.copy();
  const double total = std::accumulate(J.data(), J.data() + J.size(), 0.0);
  if (total > 0)
    for (std::size_t i = 0; i < J.size(); ++i) J.data()[i] /= total;
  return J;
}

/// Joins two groups at a time. The sum over c is kept for every pair, and brought up to date when a join changes two of
/// its terms: m^3 steps in all.
class Joining {
 public:
  explicit Joining(const Matrix<double>& joint)
      : J_(joint.copy()), r_(row_sums(joint)), common_(J_.rows(), J_.rows()), alive_(J_.rows()), group_(J_.rows()) {
    std::iota(alive_.begin(), alive_.end(), 0);
    std::iota(group_.begin(), group_.end(), 0);
    for (std::size_t a = 0; a < J_.rows(); ++a)
      for (std::size_t b = a + 1; b < J_.rows(); ++b) common_(a, b) = common_(b, a) = common(a, b);
  }

  std::size_t left() const { return alive_.size(); }

  void join_cheapest() {
    std::size_t into = alive_[0], from = alive_[1];
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < alive_.size(); ++i)
      for (std::size_t j = i + 1; j < alive_.size(); ++j)
        if (const double gain = change(alive_[i], alive_[j]); gain > best)
          best = gain, into = alive_[i], from = alive_[j];
    join(into, from);
  }

  /// The group of each piece, numbered from 0 by their first pieces.
  std::vector<std::size_t> groups() const {
    std::vector<std::size_t> number(J_.rows()), result;
    for (std::size_t i = 0; i < alive_.size(); ++i) number[alive_[i]] = i;
    for (const std::size_t g : group_) result.push_back(number[g]);
    return result;
  }

 private:
  double common(std::size_t a, std::size_t b) const {
    double sum = 0;
    for (const std::size_t c : alive_) sum += h(J_(a, c), J_(b, c));
    return sum;
  }

  /// I(joined) - I, which is never above 0 but for rounding.
  double change(std::size_t a, std::size_t b) const {
    const double aa = J_(a, a), ab = J_(a, b), bb = J_(b, b);
    return 2 * (common_(a, b) - h(aa, ab) - h(ab, bb)) + f(aa + 2 * ab + bb) - f(aa) - f(bb) - 2 * f(ab) -
           2 * h(r_[a], r_[b]);
  }

  void join(std::size_t into, std::size_t from) {
    std::erase(alive_, from);
    for (const std::size_t c : alive_)
      for (const std::size_t d : alive_)
        if (c < d && c != into && d != into)
          common_(c, d) = common_(d, c) += h(J_(c, into) + J_(c, from), J_(d, into) + J_(d, from)) -
                                           h(J_(c, into), J_(d, into)) - h(J_(c, from), J_(d, from));
    for (std::size_t c = 0; c < J_.cols(); ++c) J_(into, c) += J_(from, c);
    for (std::size_t c = 0; c < J_.rows(); ++c) J_(c, into) += J_(c, from);
    r_[into] += r_[from];
    for (const std::size_t c : alive_)
      if (c != into) common_(c, into) = common_(into, c) = common(into, c);
    for (std::size_t& g : group_)
      if (g == from) g = into;
  }

  Matrix<double> J_;
  std::vector<double> r_;
  Matrix<double> common_;           ///< sum_c h(J_ac, J_bc) over all c
  std::vector<std::size_t> alive_;  ///< groups, named by their first pieces
  std::vector<std::size_t> group_;  ///< of each piece
};

/// Moves single pieces to other groups while the information grows.
class Moving {
 public:
  Moving(const Matrix<double>& joint, std::vector<std::size_t>& group, std::size_t groups)
      : J_(joint), group_(group), G_(groups, groups), sizes_(groups) {
    for (std::size_t i = 0; i < J_.rows(); ++i) {
      ++sizes_[group_[i]];
      for (std::size_t j = 0; j < J_.cols(); ++j) G_(group_[i], group_[j]) += J_(i, j);
    }
    R_ = row_sums(G_);
  }

  /// Whether any piece moved.
  bool sweep() {
    constexpr double least_gain = 1e-10;
    bool moved = false;
    for (std::size_t i = 0; i < J_.rows(); ++i) {
      if (sizes_[group_[i]] < 2) continue;
      const std::vector<double> t = to_groups(i);
      std::size_t best = group_[i];
      double gain = least_gain;
      for (std::size_t b = 0; b < R_.size(); ++b)
        if (const double g = b == group_[i] ? 0 : change(i, t, b); g > gain) gain = g, best = b;
      if (best == group_[i]) continue;
      move(i, t, best);
      moved = true;
    }
    return moved;
  }

 private:
  /// sum over the pieces j of each group of J_ij
  std::vector<double> to_groups(std::size_t i) const {
    std::vector<double> t(R_.size());
    for (std::size_t j = 0; j < J_.cols(); ++j) t[group_[j]] += J_(i, j);
    return t;
  }

  /// I after piece i has gone to group b, less I.
  double change(std::size_t i, const std::vector<double>& t, std::size_t b) const {
    const std::size_t a = group_[i];
    const double own = J_(i, i), r = std::accumulate(t.begin(), t.end(), 0.0);
    double sum = f(G_(a, a) - 2 * t[a] + own) - f(G_(a, a)) + f(G_(b, b) + 2 * t[b] + own) - f(G_(b, b)) +
                 2 * (f(G_(a, b) + t[a] - own - t[b]) - f(G_(a, b)));
    for (std::size_t c = 0; c < t.size(); ++c)
      if (c != a && c != b && t[c] > 0)
        sum += 2 * (f(G_(a, c) - t[c]) - f(G_(a, c)) + f(G_(b, c) + t[c]) - f(G_(b, c)));
    return sum - 2 * (f(R_[a] - r) - f(R_[a]) + f(R_[b] + r) - f(R_[b]));
  }

  void move(std::size_t i, const std::vector<double>& t, std::size_t b) {
    const std::size_t a = group_[i];
    const double own = J_(i, i);
    for (std::size_t c = 0; c < t.size(); ++c) {
      if (c != a && c != b) G_(a, c) = G_(c, a) -= t[c], G_(b, c) = G_(c, b) += t[c];
      R_[a] -= t[c], R_[b] += t[c];
    }
    G_(a, b) = G_(b, a) += t[a] - own - t[b];
    G_(a, a) -= 2 * t[a] - own;
    G_(b, b) += 2 * t[b] + own;
    --sizes_[a], ++sizes_[b];
    group_[i] = b;
  }

  const Matrix<double>& J_;
  std::vector<std::size_t>& group_;
  Matrix<double> G_;       ///< the joint distribution of groups
  std::vector<double> R_;  ///< its row sums
  std::vector<std::size_t> sizes_;
};

}  // namespace

double mutual_information(const Matrix<double>& weights) {
  const Matrix<double> J = scaled_to_one(weights);
  double sum = 0;
  for (std::size_t i = 0; i < J.size(); ++i) sum += f(J.data()[i]);
  for (const double r : row_sums(J)) sum -= 2 * f(r);
  return sum;
}

std::vector<std::size_t> join_pieces(const Matrix<double>& weights, std::size_t groups) {
  constexpr int most_sweeps = 20;
  const Matrix<double> J = scaled_to_one(weights);
  Joining joining(J);
  while (joining.left() > std::max<std::size_t>(groups, 1)) joining.join_cheapest();
  std::vector<std::size_t> group = joining.groups();
  Moving moving(J, group, joining.left());
  for (int sweep = 0; sweep < most_sweeps && moving.sweep(); ++sweep) {
  }
  return group;
}

}  // namespace pssc
