// A definition `NAME = formula` in the names of a model that is there already, whatever kind of
// file it came from: what an experiment measures. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "io/text/syntax/syntax.h"
#include "model/model.h"

namespace stiffit::internal {

// Its texts are views into the source of the diagnostics it was read with.
struct Formula {
  Word name;
  Expression value;
  Syntax syntax;
  std::vector<Word> uses;  // every name the formula holds, functions left out
};

// Reads the source of `diagnostics`, which holds one definition. Nothing if there is a mistake.
std::optional<Formula> parse_formula(Diagnostics& diagnostics);

// Adds the formula to the model's expressions; unknown names are reported. The nodes have no
// places, since they are not in the model's source.
ExprId build_formula(const Formula& formula, Model& model, Diagnostics& diagnostics);

}  // namespace stiffit::internal
