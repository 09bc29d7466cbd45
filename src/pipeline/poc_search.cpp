#include "poc_search.hpp"

#include <pssc/core/random.hpp>
#include <pssc/core/spread.hpp>
#include <pssc/pipeline.hpp>

#include <algorithm>
#include <vector>

namespace pssc {

std::size_t search_poc_dims(const Context& context, USpecParams params, FloatView y) {
  constexpr std::size_t most = 3, sample = 3000, images_a_representative = 3;
  auto rows = Random(context.seed()).choose(sum_of_all(context, y.rows()), sample);
  std::ranges::sort(rows);
  const FloatMatrix picked = pick_rows(context, y, rows);
  params.representatives =
      std::min(params.representatives, std::max(params.clusters, rows.size() / images_a_representative));
  params.candidates = std::clamp(params.candidates, params.representatives, rows.size());
  params.neighbours = std::min(params.neighbours, params.representatives);
  if (params.clusters == 0) params.clusters = 10;  // the number is to be found later; any of its size will do here

  // The paper's number stands unless another is clearly better, as where few clusters lie in what it would drop.
  const std::size_t usual = preset("paper").poc_dims;
  constexpr double clearly = 0.03;
  std::vector<double> scores;
  for (std::size_t n = 0; n <= most && n < y.cols(); ++n) {
    const Clustering trial = uspec(context, params, picked.view().col_range(n, y.cols()));
    scores.push_back(trial.eigenvalues[std::min(params.clusters, trial.eigenvalues.size()) - 1]);
  }
  const auto best = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
  return usual < scores.size() && scores[usual] + clearly > scores[best] ? usual : best;
}

}  // namespace pssc
