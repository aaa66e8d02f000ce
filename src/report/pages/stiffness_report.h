// What `stiffit stiffness` says: its table, its verdict, its pictures and its page.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/stiffness/stiffness.h"
#include "model/model.h"
#include "report/plots/plot.h"

namespace stiffit::internal {

// `names` of the states.
std::string stiffness_csv(const Stiffness& stiffness, const std::vector<std::string>& names);
// In words, several lines.
std::string stiffness_verdict(const Stiffness& stiffness, double span);

// The index over time; both ends of the spectrum; the eigenvalues at the worst moment, if known.
std::vector<Plot> stiffness_pictures(const std::string& model, const Stiffness& stiffness,
                                     double span);

// `verdict`, `csv` and `json` as the command gives them.
std::string stiffness_page(const std::string& model, const Stiffness& stiffness, double span,
                           const std::string& verdict, const std::string& csv,
                           const std::string& json);

}  // namespace stiffit::internal
