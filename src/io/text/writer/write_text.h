// Model -> text of the model language, everything that simulating needs. Rates are written out, so
// that Stiffit's text (.rxn) and exact Antimony (.ant) differ in a few words only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/written/writing.h"
#include "model/model.h"

namespace stiffit::internal {

// `antimony`: nothing but what Antimony's own tools read in the same way; `left_out` tells the
// rest.
enum class TextStyle { stiffit, antimony };
Writing write_text(const Model& model, TextStyle style = TextStyle::stiffit);

}  // namespace stiffit::internal
