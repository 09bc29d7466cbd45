#pragma once

#include <pssc/clustering.hpp>

namespace pssc {

/// sigma of A_ij = exp(-d^2 / (2 sigma^2)): the mean of all kept distances d. The authors' program squares the squared
/// distances again: exp(-d^4 / (2 m^2)), m the mean of d^2.
double kernel_width(const Context& context, const Neighbours& neighbours, bool as_published_code);

/// Rows of D_X^-1 A; and the diagonal of D_X, where it is asked for. An image so far away that its row vanished is tied
/// to its nearest representative alone.
Ties make_ties(const Context& context, Neighbours neighbours, double width, bool as_published_code,
               std::vector<double>* degrees = nullptr);

}  // namespace pssc
