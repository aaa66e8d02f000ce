// The model of a fitting problem before its equations are made: with the problem's values in it,
// and with everything that conditions set made a plain number that can be set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/fit_problem.h"
#include "symbolic/system.h"

namespace stiffit::internal {

struct PreparedModel {
  std::shared_ptr<Model> model;
  // What is computed at the start unless the experiment sets it.
  std::vector<std::pair<Ref, ExprId>> default_values;
};
// Throws InputError if a condition sets what a rule computes.
PreparedModel prepare_model(const FitProblem& problem);

// When an experiment begins: a pre-equilibration at the model's own start.
double begin_of(const Experiment& experiment, const Model& model);
// What is computed at the start sees the time at which its experiment begins. Where experiments
// differ in that, it is a parameter of the model from now on, which is returned.
Ref begin_at_own_times(FitProblem& problem, PreparedModel& prepared);

// Unknowns, placeholders and what conditions set stay parameters of the equations.
SystemOptions system_options(const FitProblem& problem, const Model& model,
                             const std::vector<std::pair<Ref, ExprId>>& default_values,
                             const std::vector<int>& unknowns);

// "\n  file:line, column NAME", or nothing.
std::string place_text(const TablePlace& place);

}  // namespace stiffit::internal
