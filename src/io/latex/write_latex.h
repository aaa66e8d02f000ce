// Model -> a LaTeX document: the differential equations, rate laws, rules, events and values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/written/writing.h"
#include "model/model.h"

namespace stiffit::internal {

Writing write_latex(const Model& model);

}  // namespace stiffit::internal
