// Text inside XML and HTML.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace stiffit::internal {

// With its special characters as entities, and what XML cannot hold left out.
std::string escape_markup(std::string_view text);

}  // namespace stiffit::internal
