// Model -> text of the model language (.ant, .rxn), everything that simulating needs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model.h"
#include "write/writing.h"

namespace stiffit {

Writing write_text(const Model& model);

}  // namespace stiffit
