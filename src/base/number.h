// Numbers to and from text, never by locale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stiffit::internal {

// The whole of `text` as a double ("1e-3", "inf", "nan", "+2", "-INF"), or nothing.
std::optional<double> parse_number(std::string_view text);

// Shortest text that reads back to the same double; nan, inf, -inf.
std::string format_number(double value);
// For people: so many digits, no more.
std::string format_short(double value, int digits = 4);

}  // namespace stiffit::internal
