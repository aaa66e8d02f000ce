// How well two limits tell a value: the words for it, the same whoever found the limits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/scale.h"
#include "estimation/optimizers/objective.h"

namespace stiffit::internal {

struct Limits {
  double low = 0, high = 0;  // NaN: that side is open
  bool closed() const { return low <= high; }
};

// Ascending, and what overlaps made one.
std::vector<Limits> joined_stretches(std::vector<Limits> stretches);
// "1 to 2 and 5 to 7", open ends as "up to 2" and "from 5".
std::string stretches_words(const std::vector<Limits>& stretches);

enum class Identifiability {
  determined,          // within a factor of 1.5
  roughly_determined,  // within a factor of 3
  poorly_determined,   // limits on both sides, but further away
  one_sided,           // one of its limits is beyond a bound
  in_combination,      // with the others held it is determined, with them free it is not
  not_determined,
  at_bound,
  not_judged,  // there is no minimum around which to judge
};
const char* identifiability_name(Identifiability identifiability);

// Limits on both sides, to whatever factor.
bool has_both_limits(Identifiability identifiability);

constexpr double determined_factor = 1.5, roughly_factor = 3;

// The factor between a value and the farther one of its limits. NaN: these have different signs.
double factor_of(double value, const Limits& limits);

// Of closed limits. Where zero lies between them no factor says anything, and the width beside what
// the bounds allow does.
Identifiability grade_of(double value, const Limits& limits, const EstimatedParameter& bounds);

// "determined, within 3 %", "poorly determined: known to a factor of 23".
std::string grade_words(Identifiability grade, double value, const Limits& limits, Scale scale);
// "determined: 1.2 to 1.4".
std::string range_words(Identifiability grade, double value, const Limits& limits);

}  // namespace stiffit::internal
