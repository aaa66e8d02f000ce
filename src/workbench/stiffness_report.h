// The pictures of `stiffit stiffness`, and its page.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "picture/plot.h"
#include "stiffness/stiffness.h"

namespace stiffit {

// The index over time; both ends of the spectrum; the eigenvalues at the worst moment, if known.
std::vector<Plot> stiffness_pictures(const std::string& model, const Stiffness& stiffness,
                                     double span);

// `verdict`, `csv` and `json` as the command gives them.
std::string stiffness_page(const std::string& model, const Stiffness& stiffness, double span,
                           const std::string& verdict, const std::string& csv,
                           const std::string& json);

}  // namespace stiffit
