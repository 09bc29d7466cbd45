#pragma once

#include "cells.hpp"

#include <string>

namespace pssc::reproduction {

/// What there is to know about the figures, in words: paragraphs an item, and "differences" between the paper and the
/// program that its authors published. Markdown's backticks and asterisks.
Json remarks();

/// reproduction.json told in tables and words.
std::string markdown(const Json& whole);

/// The same as one page with plots that opens from disk with no network.
std::string page(const Json& whole);

}  // namespace pssc::reproduction
