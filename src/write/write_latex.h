// Model -> a LaTeX document: the differential equations, rate laws, rules, events and values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model.h"
#include "write/writing.h"

namespace stiffit {

Writing write_latex(const Model& model);

}  // namespace stiffit
