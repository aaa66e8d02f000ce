// One C function body: some nodes of a system of equations, computed from t, x[] and p[].
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "symbolic/system.h"

namespace stiffit::internal {

// Lines that end in `target[i] = ...;` for each root. What is used more than once is a variable.
// Throws InputError where a delay is needed.
std::string c_function_body(const System& system, const std::vector<NodeId>& roots,
                            const std::string& target);

// What can stand in a comment of one line.
std::string c_comment(std::string text);

// The static functions that bodies use and math.h does not have.
std::string c_prelude();

}  // namespace stiffit::internal
