// Changes to a model from outside (`--set name=value`), made before its equations are built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/model.h"

namespace stiffit::internal {

struct ModelSettings {
  std::vector<std::pair<std::string, double>> values;
  double assumed_size = not_set;  // for all compartments that have none
};

// Each value is that of a parameter, a compartment, or the initial value of a species (in
// what its name means; `[S]` sets its concentration, `amount(S)` its amount). An initial assignment
// for it is replaced. Throws OptionError for unknown names and for what a rule computes.
std::shared_ptr<const Model> with_settings(std::shared_ptr<const Model> model,
                                           const ModelSettings& settings);

}  // namespace stiffit::internal
