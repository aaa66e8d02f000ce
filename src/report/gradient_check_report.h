// What a check of the gradient by every method has found, for people and for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/objective/gradient_methods.h"
#include "report/json.h"

namespace stiffit::internal {

std::string as_text(const CheckedGradient& checked,
                    const std::vector<EstimatedParameter>& unknowns);
void add_json(const CheckedGradient& checked, const std::vector<EstimatedParameter>& unknowns,
              JsonWriter& json);
// Why it did not pass, for people; empty if it did.
std::string complaint(const CheckedGradient& checked);

}  // namespace stiffit::internal
