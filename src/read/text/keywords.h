// The words a text model reserves, and the units it knows without a definition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stiffit {

bool is_keyword(std::string_view word);
const std::vector<std::string>& keyword_names();

// SI and SBML units, also with a plural s: "mole", "seconds".
bool is_base_unit(std::string_view word);

}  // namespace stiffit
