#include "poc_search.hpp"

#include <pssc/core/random.hpp>

#include <algorithm>

namespace pssc {

std::size_t search_poc_dims(const Context& context, USpecParams params, FloatView y) {
  constexpr std::size_t most = 5, sample = 10000;
  auto rows = Random(context.seed()).choose(y.rows(), sample);
  std::ranges::sort(rows);
  const FloatMatrix picked = gather_rows(y, rows);
  if (params.clusters == 0) params.clusters = 10;  // the number is to be found later; any of its size will do here

  std::size_t best = 0;
  double best_score = -1;
  for (std::size_t n = 0; n <= most && n < y.cols(); ++n) {
    const Clustering trial = uspec(context, params, picked.view().col_range(n, y.cols()));
    const double score = trial.eigenvalues[std::min(params.clusters, trial.eigenvalues.size()) - 1];
    if (score > best_score) {
      best = n;
      best_score = score;
    }
  }
  return best;
}

}  // namespace pssc
