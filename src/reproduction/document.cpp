#include "document.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace pssc::reproduction {

namespace {

std::string mean_and_spread(const Json& figure) {
  const std::size_t seeds = figure["seeds"];
  std::string text = fmt::format("{:.3f}", figure["mean"].get<double>());
  if (seeds > 1) text += fmt::format(" ± {:.3f}", figure["spread"].get<double>());
  if (figure["wanted"] != seeds) text += fmt::format(" ({} seed{})", seeds, seeds == 1 ? "" : "s");
  return text;
}

std::string two(double a, double b) {
  return fmt::format("{:.3f} / {:.3f}", a, b);
}

std::string signed_two(double a, double b) {
  return fmt::format("{:+.3f} / {:+.3f}", a, b);
}

std::string printed(const Json& paper) {
  return paper.is_null() ? "–" : two(paper["accuracy"], paper["nmi"]);
}

std::string result_line(const Json& row, const Json& cell) {
  const std::string method = row["method"], state = cell["state"];
  if (state == "quoted") return fmt::format("| {} (quoted) | | | | {} | | |\n", method, printed(cell["paper"]));
  if (state == "out of memory")
    return fmt::format("| {} | out of memory: {:.1f} GiB | | | {} | | |\n", method, cell["gibibytes"].get<double>(),
                       cell["paper"].is_null() ? "– (out of memory)" : printed(cell["paper"]));
  if (state != "computed") return fmt::format("| {} | {} | | | {} | | |\n", method, state, printed(cell["paper"]));
  const Json& d = cell.contains("difference") ? cell["difference"] : Json();
  return fmt::format("| {} | {} | {} | {} | {} | {} | {:.1f} |\n", method, mean_and_spread(cell["accuracy"]),
                     mean_and_spread(cell["purity"]), mean_and_spread(cell["nmi"]), printed(cell["paper"]),
                     d.is_object() ? signed_two(d["purity"], d["nmi"]) : "", cell["seconds"]["mean"].get<double>());
}

std::string results(const Json& item) {
  std::string text = fmt::format(
      "## Results\n\nMean and standard deviation over seeds 0..{}. *Difference* is ours minus the paper's: purity "
      "against "
      "its \"ACC\", which is purity in its program, and NMI. Seconds are from pixels to labels. What is quoted was "
      "copied from the paper, not computed.\n",
      item["seeds"].get<std::size_t>() - 1);
  for (std::size_t d = 0; d < item["datasets"].size(); ++d) {
    text += fmt::format(
        "\n### {}\n\n| method | accuracy | purity | NMI | paper: ACC / NMI | difference | s |\n"
        "|---|---|---|---|---|---|---|\n",
        item["datasets"][d].get<std::string>());
    for (const Json& row : item["rows"]) text += result_line(row, row["cells"][d]);
  }
  return text;
}

std::string timing(const Json& item) {
  std::string text = fmt::format(
      "## Time for MNIST\n\nFrom the files to the labels, one run each, on {} threads of the machine named above.\n\n"
      "| | s | accuracy | |\n|---|---|---|---|\n",
      item["threads"].get<unsigned>());
  if (item["ours"].empty())
    text += fmt::format("| pssc | {} | | |\n", item.value("data", false) ? "not computed" : "no data");
  for (const Json& o : item["ours"]) {
    std::string stages;
    for (const Json& s : o["stages"])
      stages += fmt::format("{}{} {:.1f}", stages.empty() ? "" : ", ", s["stage"].get<std::string>(),
                            s["seconds"].get<double>());
    text += fmt::format("| pssc, preset {} | {:.1f} | {:.3f} | {} |\n", o["preset"].get<std::string>(),
                        o["seconds"].get<double>(), o["accuracy"].get<double>(), stages);
  }
  for (const Json& p : item["paper"])
    text += fmt::format("| {} (quoted) | {:.0f} | | |\n", p["method"].get<std::string>(), p["seconds"].get<double>());
  return text + fmt::format(
                    "\nThe quoted times are of other machines: {}. They say how long it took then, not which "
                    "program is faster on the same machine.\n",
                    item["paper_hardware"].get<std::string>());
}

std::string ablation_line(std::size_t number, const Json& row) {
  const Json& p = row["paper"];
  const std::string head = fmt::format("| ({}) {} | {} | {:.0f} |", number, row["blocks"].get<std::string>(),
                                       printed(p), p["seconds"].get<double>());
  if (row["authors"].is_null()) return head + " no data | | | | | |\n";
  const Json &a = row["authors"], &t = row["text"], &d = row["difference"];
  return head + fmt::format(" {} | {} | {} | {:.1f} | {} | {} / {} |\n", mean_and_spread(a["accuracy"]),
                            mean_and_spread(a["purity"]), mean_and_spread(a["nmi"]), a["seconds"]["mean"].get<double>(),
                            signed_two(d["purity"], d["nmi"]), mean_and_spread(t["purity"]), mean_and_spread(t["nmi"]));
}

std::string ablation(const Json& item) {
  std::string text = fmt::format(
      "## Ablation\n\nOn {}, seeds 0..{}. *Ours* is preset `authors`, what the program does; *by the text* is preset "
      "`paper`. Rows that share features share their computation; the seconds of each are all of it, from pixels "
      "on.\n\n"
      "| | paper: ACC / NMI | paper: s | ours: accuracy | purity | NMI | s | difference (purity / NMI) | by the text: "
      "purity / NMI |\n|---|---|---|---|---|---|---|---|---|\n",
      item["dataset"].get<std::string>(), item["seeds"].get<std::size_t>() - 1);
  for (std::size_t r = 0; r < item["rows"].size(); ++r) text += ablation_line(r + 1, item["rows"][r]);
  return text;
}

std::string degrees(const Json& angles, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < std::min(count, angles.size()); ++i)
    text += fmt::format(" {:.1f} |", angles[i].get<double>());
  return text;
}

std::string angles(const Json& item) {
  std::string text = fmt::format(
      "## Angles\n\n{}, classes {} and {}: degrees between the subspaces of their {} leading eigenvectors, features "
      "z-scored within the class.\n\n| domain | | 1 | 2 | 3 | 4 | 5 | affinity of all {} "
      "|\n|---|---|---|---|---|---|---|---|\n",
      item["dataset"].get<std::string>(), item["classes"][0].get<std::string>(), item["classes"][1].get<std::string>(),
      item["dims"].get<std::size_t>(), item["dims"].get<std::size_t>());
  for (const Json& row : item["domains"]) {
    const std::string domain = row["domain"];
    text += fmt::format("| {} | the paper's table |{} |\n", domain, degrees(row["paper"], 5));
    if (!row.contains("greedy")) {
      text += fmt::format("| {} | no data | | | | | | |\n", domain);
      continue;
    }
    text += fmt::format("| {} | ours, matched greedily |{} {:.3f} |\n", domain, degrees(row["greedy"], 5),
                        row["greedy_affinity"].get<double>());
    text += fmt::format("| {} | ours, principal angles |{} {:.3f} |\n", domain, degrees(row["principal"], 5),
                        row["affinity"].get<double>());
  }
  return text;
}

std::string eigenvalues(const Json& item) {
  std::string text = fmt::format(
      "## Eigenvalues\n\nOf the covariance of {}'s features, z-scored, divided by their sum.\n\n| domain | paper | the "
      "four "
      "largest | needed for half | below a thousandth |\n|---|---|---|---|---|\n",
      item["dataset"].get<std::string>());
  for (const Json& row : item["domains"]) {
    text += fmt::format("| {} | {} |", row["domain"].get<std::string>(), row["paper"].get<std::string>());
    if (!row.contains("shares")) {
      text += " no data | | |\n";
      continue;
    }
    text += fmt::format(" {:.1f} % | {} of {} | {:.1f} % |\n", 100 * row["first_four"].get<double>(),
                        row["for_half"].get<std::size_t>(), row["count"].get<std::size_t>(),
                        100 * row["below_a_thousandth"].get<double>() / row["count"].get<double>());
  }
  return text;
}

std::string poc(const Json& item) {
  std::string text =
      "## POC on a toy\n\nTwo elongated clusters of 250 points each; accuracy of k-means.\n\n| | before | after POC | "
      "after "
      "POC by the directions of one cluster |\n|---|---|---|---|\n";
  for (const Json& t : item["toys"])
    text += fmt::format("| {} | {:.3f} | {:.3f} | {:.3f} |\n", t["name"].get<std::string>(),
                        t["before"]["accuracy"].get<double>(), t["after"]["accuracy"].get<double>(),
                        t["after_by_one_class"]["accuracy"].get<double>());
  return text;
}

}  // namespace

std::string markdown(const Json& whole) {
  const Json& m = whole["machine"];
  std::string text = fmt::format(
      "# The paper, reproduced\n\n*Scattering Transform Based Image Clustering using Projection onto Orthogonal "
      "Complement* (A. Villar-Corrales, V. I. Morgenshtern), every table and figure computed anew by `pssc reproduce`, "
      "version {}, on {}: {} cores, {:.0f} GiB, {} ({}). All that is told here took {:.1f} minutes to compute. "
      "`reproduction.html` shows the same with plots; `reproduction.json` holds every figure.\n",
      whole["version"].get<std::string>(), whole["date"].get<std::string>(), m["cores"].get<unsigned>(),
      m["memory_gib"].get<double>(), m["processor"].get<std::string>(), m["simd"].get<std::string>(),
      whole["seconds"].get<double>() / 60);
  const Json &items = whole["items"], &remarks = whole["remarks"];
  const auto tell = [&](const char* name, std::string (*told)(const Json&)) {
    if (!items.contains(name)) return;
    text += "\n" + told(items[name]);
    if (remarks.contains(name))
      for (const Json& r : remarks[name]) text += "\n" + r.get<std::string>() + "\n";
  };
  tell("results", results);
  tell("timing", timing);
  tell("ablation", ablation);
  tell("angles", angles);
  tell("eigenvalues", eigenvalues);
  tell("poc", poc);
  text += "\n## Where the paper and its published program differ\n";
  for (const Json& r : remarks["differences"]) text += "\n- " + r.get<std::string>();
  return text + "\n";
}

}  // namespace pssc::reproduction
