#pragma once

// The figures of the paper: "Scattering Transform Based Image Clustering using Projection onto Orthogonal Complement",
// A. Villar-Corrales and V. I. Morgenshtern. Copied from its tables; nothing here is computed.

#include <array>
#include <limits>
#include <string_view>

namespace pssc::paper {

constexpr double out_of_memory = std::numeric_limits<double>::quiet_NaN();  // the paper prints a dash

struct AccuracyAndNmi {
  double accuracy = out_of_memory, nmi = out_of_memory;
  constexpr bool given() const { return accuracy == accuracy; }
};

/// The columns of the table of results.
constexpr std::array<std::string_view, 4> datasets{"mnist", "mnist-test", "usps", "fashion-mnist"};

struct ResultRow {
  std::string_view method;
  std::array<AccuracyAndNmi, 4> cells;
};

/// Table "Results of the compared methods for the benchmark datasets", shallow methods. DBSCAN as it is printed.
constexpr std::array<ResultRow, 4> shallow{{
    {"k-means", {{{.584, .497}, {.596, .505}, {.735, .613}, {.474, .512}}}},
    {"SC", {{{}, {.705, .715}, {.818, .819}, {}}}},
    {"DBSCAN", {{{}, {.114, .167}, {.000, .000}, {}}}},
    {"PSSC", {{{.965, .913}, {.967, .919}, {.957, .898}, {.628, .644}}}},
}};

/// The same table, deep methods: quoted, not computed by us.
constexpr std::array<ResultRow, 8> deep{{
    {"DEC", {{{.863, .834}, {.856, .830}, {.762, .767}, {.518, .546}}}},
    {"IDEC", {{{.881, .867}, {.846, .802}, {.761, .758}, {.529, .557}}}},
    {"JULE", {{{.964, .913}, {.961, .915}, {.950, .913}, {.563, .608}}}},
    {"DCN", {{{.830, .810}, {.802, .786}, {.688, .683}, {.501, .558}}}},
    {"DEPICT", {{{.965, .917}, {.963, .915}, {.964, .927}, {.392, .392}}}},
    {"DDC", {{{.965, .932}, {.965, .916}, {.967, .918}, {.619, .682}}}},
    {"N2D", {{{.979, .942}, {.948, .882}, {.958, .901}, {.672, .684}}}},
    {"ADEC", {{{.986, .961}, {.985, .957}, {.981, .948}, {.586, .662}}}},
}};

struct Time {
  std::string_view method;
  double seconds;
};

/// Table "Time required to cluster the MNIST dataset".
constexpr std::array<Time, 5> times{{{"PSSC", 182}, {"DEC", 613}, {"JULE", 12500}, {"DEPICT", 9561}, {"N2D", 1080}}};
constexpr std::string_view hardware =
    "scattering on an Nvidia GeForce GTX 1080 Ti, all else on an Intel Xeon Silver 4114; the deep methods' hardware is "
    "not given";

struct AblationRow {
  std::string_view blocks;
  double accuracy, nmi, seconds;
};

/// Table "Results of the ablation study", on MNIST.
constexpr std::array<AblationRow, 6> ablation{{
    {"Scat + POC + U-SPEC", .965, .913, 182},
    {"POC + U-SPEC", .750, .687, 107},
    {"Scat + U-SPEC", .942, .881, 121},
    {"U-SPEC", .757, .711, 43},
    {"Scat + POC + k-means", .838, .718, 173},
    {"Scat + k-means", .601, .538, 187},
}};

/// Table "Principal angles between subspaces spanned by MNIST classes containing digits 0 and 2", degrees.
constexpr std::array<double, 5> image_angles{63.0, 63.8, 65.5, 68.7, 69.5};
constexpr std::array<double, 5> scattering_angles{36.2, 36.9, 44.2, 60.9, 66.5};

/// Figure "Eigenvalue distribution", of the MNIST test set.
constexpr std::string_view scattering_eigenvalues = "the 4 largest hold over 50 %";
constexpr std::string_view image_eigenvalues = "close to 50 are needed for 50 %";

}  // namespace pssc::paper
