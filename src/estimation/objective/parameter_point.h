// A point in parameter space as a person gives it: `nominal`, `perturbed`, a file, or name=value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "estimation/objective/problem_objective.h"

namespace stiffit::internal {

// The text of a file. Throws InputError.
using FileReader = std::function<std::string(const std::string& path)>;

// The unknowns' thetas. Values given are values, not logarithms; what is not given stays nominal. A
// file has a header line with `parameterId` (or `name`) and `value`, `estimate` or `nominalValue`,
// separated by tabs, commas or semicolons. `perturbed` is up to a tenth (of a decade, on
// logarithmic scales) from nominal, by chance as `seed` says, within the bounds. `read`: may be
// empty where no file is given. Throws OptionError or InputError.
std::vector<double> parameter_point(const ProblemObjective& objective, const std::string& text,
                                    unsigned long long seed = 1, const FileReader& read = {});

}  // namespace stiffit::internal
