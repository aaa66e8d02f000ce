// Changes to a model from outside (`--set name=value`), made before its equations are built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace stiffit {

// Begins a setting that gives a size to all compartments that have none.
inline constexpr std::string_view assumed_size = "assume size=";

// Each setting is name=value: a parameter, a compartment, or the initial value of a species (in
// what its name means; `[S]` sets its concentration, `amount(S)` its amount). An initial assignment
// for it is replaced. Throws UsageError for unknown names and for what a rule computes.
std::shared_ptr<const Model> with_settings(std::shared_ptr<const Model> model,
                                           const std::vector<std::string>& settings);

}  // namespace stiffit
