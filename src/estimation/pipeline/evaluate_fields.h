// The options of a problem's objective, and of its evaluation at one point, each stated once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "estimation/objective/problem_objective.h"
#include "stiffit/options.h"

namespace stiffit {

const FieldTable<api::ObjectiveOptions>& objective_fields();
const FieldTable<api::EvaluateOptions>& evaluate_fields();

// Each field by its rule, and all of them together. Throws OptionError.
void check_options(const api::ObjectiveOptions& options);
void check_options(const api::EvaluateOptions& options);

// One that gives sensitivities; empty: the usual one.
FieldRule<std::string> integrator_rule();

// What the rooms make of them.
ObjectiveOptions objective_options(const api::ObjectiveOptions& options);

}  // namespace stiffit
