// Figure "Illustration of the POC step for clustering": two elongated clusters, k-means before and after the direction
// of largest variance is taken out. Of the toy there are two: the authors', where that direction leads from one cluster
// to the other, and whose figure comes out because their program takes the direction from one cluster alone; and one
// with the clusters closer together, where it is the direction they share, as the text has it.
#include "items.hpp"

#include <pssc/core/random.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace pssc::reproduction {

namespace {

constexpr std::size_t count = 500;

using Centres = std::array<std::array<double, 2>, 2>;
constexpr Centres authors_centres{{{-5.83, -0.37}, {-1.59, 7.18}}}, close_centres{{{-1.8, -1.8}, {1.8, 1.8}}};

struct Toy {
  FloatMatrix points{count, 2};
  std::vector<Label> truth = std::vector<Label>(count);
};

/// Round Gaussian clusters, drawn out by the map of the authors' program.
Toy draw_toy(const Centres& centres) {
  constexpr std::array<std::array<double, 2>, 2> map{{{0.60834549, -0.63667341}, {-0.40887718, 0.85253229}}};
  Toy toy;
  Random random(0);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t c = i % 2;
    toy.truth[i] = static_cast<Label>(c);
    const double x = centres[c][0] + random.normal(), y = centres[c][1] + random.normal();
    for (std::size_t j = 0; j < 2; ++j) toy.points(i, j) = static_cast<float>(x * map[0][j] + y * map[1][j]);
  }
  return toy;
}

/// Components of one cluster's points.
Projection components_of_first(const Context& context, const Toy& toy) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < count; ++i)
    if (toy.truth[i] == 0) rows.push_back(i);
  return fit_pca(context, gather_rows(toy.points.view(), rows), 2);
}

/// Each point moved along the removed direction onto the line through the mean: what is left of it.
FloatMatrix on_the_line(const Projection& components, FloatView along) {
  FloatMatrix points(along.rows(), 2);
  for (std::size_t i = 0; i < along.rows(); ++i)
    for (std::size_t j = 0; j < 2; ++j) points(i, j) = components.mean[j] + along(i, 1) * components.directions(1, j);
  return points;
}

Json list(FloatView points) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < points.rows(); ++i)
    rows.push_back({std::round(1e4 * double{points(i, 0)}) / 1e4, std::round(1e4 * double{points(i, 1)}) / 1e4});
  return rows;
}

/// POC by these components, then k-means.
Json after(const Context& context, const Toy& toy, const Projection& components) {
  const FloatMatrix y = project(context, components, toy.points);
  const Clustering found = cluster_kmeans(context, {.clusters = 2}, y.view().col_range(1, 2));
  return {{"projected", list(on_the_line(components, y))},
          {"labels", found.labels},
          {"accuracy", evaluate(found.labels, toy.truth).accuracy}};
}

Json compute(const Context& context, const char* name, const Centres& centres) {
  const Toy toy = draw_toy(centres);
  const Projection of_all = fit_pca(context, toy.points, 2);
  const Clustering before = cluster_kmeans(context, {.clusters = 2}, toy.points);
  return {{"name", name},
          {"points", list(toy.points)},
          {"truth", toy.truth},
          {"largest_share", of_all.variances[0] / of_all.total_variance},
          {"before", {{"labels", before.labels}, {"accuracy", evaluate(before.labels, toy.truth).accuracy}}},
          {"after", after(context, toy, of_all)},
          {"after_by_one_class", after(context, toy, components_of_first(context, toy))}};
}

}  // namespace

Json poc(Workshop& workshop) {
  return workshop.cells().get("poc", {{"points", count}, {"authors", authors_centres}, {"close", close_centres}}, [&] {
    const Context context = workshop.with_seed(0);
    Json toys = Json::array();
    toys.push_back(compute(context, "close together", close_centres));
    toys.push_back(compute(context, "the authors' toy", authors_centres));
    for (const Json& t : toys)
      workshop.tell(fmt::format("poc, {}: k-means {:.3f} before, {:.3f} after, {:.3f} after POC by one class",
                                t["name"].get<std::string>(), t["before"]["accuracy"].get<double>(),
                                t["after"]["accuracy"].get<double>(),
                                t["after_by_one_class"]["accuracy"].get<double>()));
    return Json{{"toys", toys}};
  });
}

}  // namespace pssc::reproduction
