// What a check of the gradient by every method has found, for people and for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/json.h"
#include "stiffit/results.h"

namespace stiffit::internal {

std::string gradient_check_text(const api::CheckedGradient& checked);
void add_json(const api::CheckedGradient& checked, JsonWriter& json);
// Why it did not pass, for people; empty if it did.
std::string complaint(const api::CheckedGradient& checked);

}  // namespace stiffit::internal
