// Model -> one C file: names, values, x(t0), x' = f(t, x, p), its Jacobian and the outputs, from
// the resolved equations. Nothing but math.h is needed to use it. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <memory>

#include "io/written/writing.h"
#include "model/model.h"

namespace stiffit::internal {

// Throws InputError for what a right-hand side cannot say: delays.
Writing write_c(const std::shared_ptr<const Model>& model);

}  // namespace stiffit::internal
