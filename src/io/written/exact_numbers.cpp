// SPDX-License-Identifier: Apache-2.0
#include "io/written/exact_numbers.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/number.h"

namespace stiffit::internal {
namespace {

// Stand-ins are 900000.000000017, ...027 and so on: 15 digits, no exponent, never a trailing zero.
// Numbers of a model that lie there get one as well, so that none is mistaken for one.
constexpr double first = 900000;
constexpr std::string_view mark = "900000.";
constexpr std::size_t decimals = 9;

// Digits without an exponent: MathML's plain numbers have none.
std::string positional(double value) {
  char text[800];
  auto [end, code] = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed);
  return code == std::errc() ? std::string(text, end) : format_number(value);
}

// As libSBML will write it. Digits with a decimal point by locale are parsed by the same locale.
bool survives(double value, bool math) {
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", value);
  if (math && std::string_view(text).find('e') != std::string_view::npos) return false;
  return std::strtod(text, nullptr) == value;
}

}  // namespace

double ExactNumbers::pass(double value, bool math) {
  const double size = std::fabs(value);
  if (!std::isfinite(value) || (survives(size, math) && !(size >= first && size < first + 1)))
    return value;
  digits_.push_back(math ? positional(size) : format_number(size));
  double stand_in = first + (static_cast<double>(digits_.size()) * 10 + 7) * 1e-9;
  return std::copysign(stand_in, value);
}

std::string ExactNumbers::restore(const std::string& text) const {
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, done)) {
    out.append(text, done, at - done);
    std::size_t begin = at + mark.size(), end = begin, index = 0;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9' && end - begin < decimals)
      index = index * 10 + static_cast<std::size_t>(text[end++] - '0');
    if (end - begin == decimals && index % 10 == 7 && index / 10 >= 1 &&
        index / 10 <= digits_.size())
      out += digits_[index / 10 - 1];
    else
      out.append(text, at, end - at);
    done = end;
  }
  return out.append(text, done);
}

}  // namespace stiffit::internal
