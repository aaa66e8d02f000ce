// The parameter table: scales, bounds, nominal values and priors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "problem/fit_problem.h"
#include "read/petab/petab_math.h"
#include "read/petab/tsv_table.h"

namespace stiffit {

struct PetabParameters {
  std::vector<ProblemParameter> parameters;
  std::vector<TsvRow> rows;  // of each, for findings
  bool complete = true;      // else ids that nothing else declares may be of what is missing
};

PetabParameters read_petab_parameters(const std::vector<TsvTable>& tables, PetabVersion version);

// The prior that columns `type_column` and `parameters_column` of a row give; nothing if they say
// nothing. What is wrong is reported.
std::optional<Prior> read_petab_prior(const TsvRow& row, PetabVersion version,
                                      std::string_view type_column,
                                      std::string_view parameters_column,
                                      const ProblemParameter& parameter);

}  // namespace stiffit
