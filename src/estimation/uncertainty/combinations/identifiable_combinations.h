// Small expressions of the unknowns that the data determine though they do not determine the
// unknowns themselves: k1+k2, kf/kb, (k_1+k2)/k1. They are looked for along the valley of points
// that fit as well as the best one, and each that is named has been tested: with its value held,
// every unknown in it that is open was moved by a factor of 3, or to its bound, the others were
// fitted anew, and the data did not object; and the profile of its own value has limits on both
// sides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "estimation/uncertainty/combinations/small_expression.h"
#include "estimation/uncertainty/combinations/valley.h"
#include "estimation/uncertainty/grade.h"

namespace stiffit::internal {

struct IdentifiableCombination {
  std::string formula;
  std::vector<std::string> unknowns;  // in it
  double value = 0, low = 0, high = 0;
  Identifiability grade = Identifiability::determined;
  SmallExpression expression;
  std::vector<double> constants;  // what follows the unknowns in it
  std::string words;              // "k1+k2 = 0.3598, 0.3578 to 0.3618"

  double value_at(std::span<const double> values) const;  // of all unknowns
};
std::string combination_text(const IdentifiableCombination& combination);

// An unknown that goes its way along the valley.
struct OpenUnknown {
  std::size_t unknown = 0;
  std::vector<std::string> with;  // those that went along, the one that went furthest first
  double low = 0, high = 0;       // values that it has there
  bool felt = false;              // moved alone, the others held, it does not fit the data
};

struct CombinationSearch {
  std::vector<IdentifiableCombination> found;
  std::vector<OpenUnknown> open;
  long evaluations = 0;
  bool unfinished = false;  // out of evaluations or time
  bool better = false;      // a better fit was met; then nothing else counts
};

// `doubtful`: unknowns that may be open. `constants`: names and values that may stand in sums.
CombinationSearch find_combinations(const Objective& objective, const LocalFit& best,
                                    const std::vector<std::size_t>& doubtful,
                                    const std::vector<std::pair<std::string, double>>& constants,
                                    const ValleyOptions& options);

}  // namespace stiffit::internal
