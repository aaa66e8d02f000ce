// Small SBML models of our own, and their simulation, for the tests of what SBML means.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stiffit::internal {

// An SBML document of that level and version around the lists of a model.
std::string sbml_text(int level, int version, const std::string& lists);
std::string mathml(const std::string& inside);

// The quantities of those names ("[S]", "amount(S)", "k") at that time. Throws InputError.
std::vector<double> simulate_sbml(const std::string& text, const std::vector<std::string>& names,
                                  double time, int seed = 1);

}  // namespace stiffit::internal
