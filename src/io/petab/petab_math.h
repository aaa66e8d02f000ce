// The formulas of PEtab tables -> expressions of a model. The grammar is that of version 2:
// ^ binds tightest and groups to the right, then signs and !, * and /, + and -, all comparisons,
// and last && and ||, which bind alike. Version 1, which leaves much open, also gets ** for ^ and
// the functions of text models.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/petab/petab_file.h"
#include "io/petab/tsv_table.h"
#include "model/model.h"

namespace stiffit::internal {

enum class PetabVersion { v1, v2 };

struct MathNames {
  std::function<Ref(std::string_view)> find;         // kind none: no such name
  std::function<std::vector<std::string>()> all;     // for a hint when there is none
  std::function<std::string(std::string_view)> why;  // what else to say of a name; "" or null
};

// no_expr after a report. Spans of the expression are empty: they would be places in the model's
// source, which this is not.
ExprId read_petab_math(const Cell& cell, PetabVersion version, const MathNames& names,
                       PetabFile& file, Expressions& expressions);

// Names a formula mentions, without those of functions: for placeholders, which the formula itself
// declares in version 1. Wrong formulas give what can be seen.
std::vector<std::string> names_in_math(std::string_view formula);

// Function names and literals of PEtab (case ignored) that must not be identifiers.
bool is_reserved_in_petab(std::string_view name);

}  // namespace stiffit::internal
