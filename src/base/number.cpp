// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace stiffit::internal {

std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) return std::nullopt;
  }
  double value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (code == std::errc()) return value;
  if (code != std::errc::result_out_of_range) return std::nullopt;
  // Too large or too small for a double: what strtod would give.
  std::size_t exponent = text.find_first_of("eE");
  bool tiny =
      exponent != std::string_view::npos && exponent + 1 < text.size() && text[exponent + 1] == '-';
  double magnitude = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  return text.front() == '-' ? -magnitude : magnitude;
}

std::string format_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[32];
  auto [end, code] = std::to_chars(buffer, buffer + sizeof buffer, value);
  (void)code;
  return std::string(buffer, end);
}

std::string format_short(double value, int digits) {
  if (!std::isfinite(value)) return format_number(value);
  char buffer[64];
  auto [end, code] =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits);
  (void)code;
  return std::string(buffer, end);
}

}  // namespace stiffit::internal
