// Reads Stiffit's text models: an Antimony-compatible language plus a shorthand for mass action.
// In: a source text. Out: one Model, or findings with their places. docs/text-models.md is the
// reference page of the language.
//
// There are two dialects, and each file has its own:
//  - Antimony (files called .ant) means what libAntimony makes of it.
//  - Stiffit's text (.rxn, anything else, and what stands under a line `#: mass-action`) is
//  Antimony
//    with a shorthand for mass action:
//    - `A + B <-> C; k1, k2` is mass action, k1*A*B - k2*C. The arrows <=> and <==> mean the same.
//    - On -> and => a law that is exactly one bare name of a constant parameter, or one number, is
//      mass action: that constant times the reactants to the power of their stoichiometries.
//      (Antimony reads a rate of order zero; write it `(k)` or `k*1`.) Without reactants both
//      readings agree. Any other law is the rate itself, in substance per time.
//    - A mass-action law of species in a declared compartment c is multiplied by c, so that their
//      concentrations obey mass action.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/diagnostic.h"
#include "io/text/tabulated.h"
#include "model/model.h"

namespace stiffit::internal {

enum class TextDialect {
  by_name,  // .ant and .antimony are Antimony, all else is Stiffit's text
  stiffit,
  antimony,
};
TextDialect dialect_of(std::string_view file_name);  // not by_name

// Reads one model of a text source: the one of that name; without a name the one marked `model *`,
// else the last `model` block, else the statements outside of any block. All mistakes go to
// `diagnostics`, which must be about this source; nothing is returned if there is an error.
// `files` gives the texts of the tables that the model uses, `folder` is where the file lies:
// others are imported from there and below, and with it empty from nowhere. The findings, and the
// model's source, then are about all of these files. `dialect` is that of the first file; what it
// imports is told by name.
std::optional<Model> read_text(const std::shared_ptr<const Source>& source,
                               Diagnostics& diagnostics, std::string_view model_name = {},
                               const TextFiles& files = {}, const std::string& folder = {},
                               TextDialect dialect = TextDialect::by_name);

}  // namespace stiffit::internal
