// The parameter table: scales, bounds, nominal values and priors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "io/petab/petab_math.h"
#include "io/petab/tsv_table.h"
#include "model/fit_problem.h"

namespace stiffit::internal {

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

}  // namespace stiffit::internal
