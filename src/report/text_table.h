// Tables for people: columns aligned, the last one ragged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stiffit::internal {

// Rows of equal length; `indent` blanks before each line. An empty header gives none.
std::string text_table(const std::vector<std::string>& header,
                       const std::vector<std::vector<std::string>>& rows, int indent = 0);

}  // namespace stiffit::internal
