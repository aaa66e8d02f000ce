// A polynomial form as a model that can be saved and run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/reduce/polynomial_form.h"

namespace stiffit::internal {

struct PolynomialModel {
  Model model;                       // a variable per equation, rate rules, nothing else
  std::vector<std::string> names;    // per variable of the form
  std::vector<std::string> meaning;  // per variable: "" for a state, else what it stands for
  std::vector<double> initial;       // per variable
};

// The columns that the model shows keep their names: as variables, or as rules where they are
// no states. `resolved` is of `original` and what the form was made from. Throws InputError if a
// variable has no finite initial value.
PolynomialModel polynomial_model(const Model& original, const ResolvedSystem& resolved,
                                 const PolynomialForm& form);

}  // namespace stiffit::internal
