// Models within models made flat: every `A: inner(x, y)` becomes the statements of `inner` with
// "A." before its names, `is` makes two names one, and what the outer model says of a part comes
// before what the inner one says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "io/text/syntax/syntax.h"

namespace stiffit::internal {

// Nothing for a model without submodels, `is` and deletions: it is flat. New nodes and names go to
// `syntax`.
std::optional<ModelSyntax> flatten_modules(Syntax& syntax, const ModelSyntax& model,
                                           Diagnostics& diagnostics);

}  // namespace stiffit::internal
