// What `stiffit stiffness` says: its table, its verdict, its pictures and its page.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/plots/plot.h"
#include "stiffit/results.h"

namespace stiffit::internal {

std::string stiffness_csv(const api::Stiffness& stiffness);
// In words, several lines.
std::string stiffness_verdict(const api::Stiffness& stiffness);

// The index over time; both ends of the spectrum; the eigenvalues at the worst moment, if known.
std::vector<Plot> stiffness_pictures(const std::string& model, const api::Stiffness& stiffness);

// `verdict`, `csv` and `json` as the command gives them.
std::string stiffness_page(const std::string& model, const api::Stiffness& stiffness,
                           const std::string& verdict, const std::string& csv,
                           const std::string& json);

}  // namespace stiffit::internal
