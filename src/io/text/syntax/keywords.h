// The words a text model reserves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stiffit::internal {

bool is_keyword(std::string_view word);
const std::vector<std::string>& keyword_names();

}  // namespace stiffit::internal
