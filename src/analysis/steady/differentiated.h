// Expressions of a system made runnable together with their derivatives by states and parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "compile/kernel.h"
#include "symbolic/system.h"

namespace stiffit::internal {

struct Differentiated {
  struct Entry {
    int row, column;  // expression; state or parameter
  };
  std::size_t size = 0;
  std::vector<Entry> by_state, by_parameter;
  Kernel values;  // {time, states, parameters, values}; one lane
  // {time, states, parameters, result}: values, then by_state, then by_parameter.
  Kernel all;

  std::size_t result_size() const { return size + by_state.size() + by_parameter.size(); }
};

// Parameters are read as they stand, derived ones are not needed; modes follow the parameters.
Differentiated differentiate(System& system, const std::vector<NodeId>& expressions);

}  // namespace stiffit::internal
