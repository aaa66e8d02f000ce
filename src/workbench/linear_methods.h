// The methods of `stiffit fit` that solve for rates along the data instead of searching: their
// names, their options, and their answer as a start for the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "estimation/direct/linear_fit.h"
#include "estimation/objective/problem_objective.h"

namespace stiffit {

// integral, derivative, rational, and combined, which is a start for a search.
std::vector<std::string> linear_method_names();
bool is_linear_method(const std::string& name);

// --quadrature, --bias-correction, --nonnegative, --weight, --point-weight.
std::vector<OptionSpec> linear_options();
std::vector<std::string> linear_option_names();
// Throws UsageError. `method` is a name of the above; that of `combined` is integral here.
LinearFitOptions read_linear_options(const Arguments& arguments, const std::string& method);

// The answer of one method (or of several, for combined) as points of theta inside the bounds. What
// the fit does not find, or finds outside of the bounds, stays at its own start. Throws InputError
// if the method does not apply, or if a start is missing.
std::vector<std::vector<double>> linear_starts(const FitProblem& problem,
                                               const std::vector<Unknown>& unknowns,
                                               const std::string& method);

}  // namespace stiffit
