// The equations that a model means, as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/model.h"

namespace stiffit::internal {

struct ModelEquations {
  struct Row {
    std::string state, derivative;  // what the state is called, and its derivative by time
  };
  std::vector<Row> rows;
  std::vector<std::string> conserved;  // "A + 2 B = constant"
  int size = 0;                        // of the Jacobian
  std::size_t nonzeros = 0;            // of it
};

// Throws InputError if the model has none.
ModelEquations model_equations(const std::shared_ptr<const Model>& model);

}  // namespace stiffit::internal
