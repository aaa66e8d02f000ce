// Algebraic rules that can be solved by rearranging become assignment rules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "model/model.h"

namespace stiffit::internal {

// 0 = c*x + rest, with c a number or made of constants and not zero, and x a variable that nothing
// else determines and `rest` does not lead back to, becomes x := -rest/c. The rules that are left
// as they were need a method for algebraic equations. The same model if nothing can be solved.
std::shared_ptr<const Model> with_solved_rules(std::shared_ptr<const Model> model);

}  // namespace stiffit::internal
