// The options of a problem's objective, and of its evaluation at one point, each stated once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "base/fields.h"
#include "estimation/objective/problem_objective.h"
#include "stiffit/options.h"

namespace stiffit::internal {

const FieldTable<api::ObjectiveOptions>& objective_fields();
const FieldTable<api::EvaluateOptions>& evaluate_fields();

// Each field by its rule, and all of them together. Throws OptionError.
void check_options(const api::ObjectiveOptions& options);
void check_options(const api::EvaluateOptions& options);

// One that gives sensitivities; empty: the usual one.
FieldRule<std::string> integrator_rule();

// What they and the options of fits say of integrations.
template <class Options>
ObjectiveOptions accuracy_in(const Options& options) {
  ObjectiveOptions o;
  if (!options.integrator.empty()) o.integration.method = options.integrator;
  o.integration.rtol = options.rtol;
  o.integration.atol = options.atol;
  if (!std::isnan(options.max_step)) o.integration.max_step = options.max_step;
  o.integration.max_steps = options.max_steps;
  return o;
}

// What the rooms make of them.
ObjectiveOptions objective_options(const api::ObjectiveOptions& options);

}  // namespace stiffit::internal
