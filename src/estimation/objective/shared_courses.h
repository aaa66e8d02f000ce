// Experiments whose states follow the same course, because their conditions differ in nothing that
// the equations know of, or in nothing at all: one integration serves them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/objective/compiled_submodel.h"

namespace stiffit::internal {

// Sets `course`, `sharing`, `shared_times` and `shared_rows` of each; returns the number of
// courses. `dynamic`: parameters of the program that the equations, initial values and events
// depend on; `parameters`: how many there are.
int share_courses(std::vector<CompiledExperiment>& experiments, const std::vector<int>& dynamic,
                  const std::vector<const Differentiated*>& formulas, std::size_t parameters);

}  // namespace stiffit::internal
