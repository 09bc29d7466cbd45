// Table "Principal angles between subspaces spanned by MNIST classes containing digits 0 and 2" and figure "Eigenvalue
// distribution of the covariance matrix of the MNIST test set", in the image and in the scattering domain.
#include "items.hpp"
#include "paper.hpp"

#include <pssc/geometry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace pssc::reproduction {

namespace {

constexpr const char* measured_set = "mnist-test";
constexpr std::size_t dims = 10;  // of the subspaces; the paper tabulates the first five angles

/// "image" or "scattering": z-scoring undoes any equalisation, so there is none.
Parameters domain_parameters(const std::string& domain) {
  Parameters p = preset("paper");
  p.features = domain == "image" ? Features::pixels : Features::scattering;
  p.equalise = Equalisation::none;
  return p;
}

Json made_of(const std::string& domain) {
  return {{"dataset", measured_set},
          {"dims", dims},
          {"parameters", Json::parse(parameters_json(domain_parameters(domain), 32))}};
}

std::vector<std::size_t> members(const ImageSet& images, std::int32_t label) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < images.count(); ++i)
    if (images.labels()->values[i] == label) rows.push_back(i);
  return rows;
}

Json compute_angles(Workshop& workshop, const std::string& domain) {
  const Context context = workshop.with_seed(0);
  const ImageSet& images = workshop.images(measured_set);
  const Parameters p = domain_parameters(domain);
  const ClassSubspace zero = class_subspace(context, p, images, members(images, 0), dims),
                      two = class_subspace(context, p, images, members(images, 2), dims);
  const SubspaceAngles found = angles_between(zero, two);
  workshop.tell(fmt::format("angles, {} domain: {:.1f}", domain, fmt::join(found.greedy, " ")));
  return {{"greedy", found.greedy},
          {"principal", found.principal},
          {"greedy_affinity", found.greedy_affinity},
          {"affinity", found.affinity}};
}

double rounded(double value) {
  return std::round(1e9 * value) / 1e9;
}

Json compute_spectrum(Workshop& workshop, const std::string& domain) {
  const Context context = workshop.with_seed(0);
  std::vector<double> shares = feature_spectrum(context, domain_parameters(domain), workshop.images(measured_set));
  double first_four = 0, sum = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(4, shares.size()); ++i) first_four += shares[i];
  std::size_t half = 0;
  while (half < shares.size() && sum < 0.5) sum += shares[half++];
  const auto tiny = std::ranges::count_if(shares, [](double s) { return s < 1e-3; });
  workshop.tell(fmt::format("eigenvalues, {} domain: the first four hold {:.1f} %, {} hold half", domain,
                            100 * first_four, half));
  const std::size_t count = shares.size();
  for (double& s : shares) s = rounded(s);
  return {{"count", count},
          {"first_four", first_four},
          {"for_half", half},
          {"below_a_thousandth", tiny},
          {"shares", shares}};
}

}  // namespace

Json angles(Workshop& workshop) {
  Json domains = Json::array();
  for (const std::string domain : {"image", "scattering"}) {
    Json row = {{"domain", domain}};
    row["paper"] = domain == "image" ? paper::image_angles : paper::scattering_angles;
    if (workshop.has(measured_set)) {
      const Json found =
          workshop.cells().get("angles." + domain, made_of(domain), [&] { return compute_angles(workshop, domain); });
      if (!found.is_null()) row.update(found);
    }
    domains.push_back(row);
  }
  return {{"dataset", measured_set}, {"classes", {"0", "2"}}, {"dims", dims}, {"domains", domains}};
}

Json eigenvalues(Workshop& workshop) {
  Json domains = Json::array();
  for (const std::string domain : {"image", "scattering"}) {
    Json row = {{"domain", domain}};
    row["paper"] = domain == "image" ? paper::image_eigenvalues : paper::scattering_eigenvalues;
    if (workshop.has(measured_set)) {
      const Json found = workshop.cells().get("eigenvalues." + domain, made_of(domain),
                                              [&] { return compute_spectrum(workshop, domain); });
      if (!found.is_null()) row.update(found);
    }
    domains.push_back(row);
  }
  return {{"dataset", measured_set}, {"domains", domains}};
}

}  // namespace pssc::reproduction
