// An expression of a model in the words of the text language; reads back to the same expression.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/written/written_names.h"

namespace stiffit::internal {

// `function`: the one whose body this is; -1: none. `antimony`: in words that Antimony knows too.
std::string text_expression(const Model& model, const WrittenNames& names, ExprId root,
                            std::int32_t function = -1, bool antimony = false);

}  // namespace stiffit::internal
