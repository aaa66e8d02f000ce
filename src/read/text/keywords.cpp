// SPDX-License-Identifier: Apache-2.0
#include "read/text/keywords.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace stiffit {

const std::vector<std::string>& keyword_names() {
  static const std::vector<std::string> names{
      "model", "module",   "end",    "function", "species",  "compartment", "formula",      "const",
      "var",   "reaction", "event",  "at",       "after",    "in",          "is",           "has",
      "unit",  "import",   "delete", "gene",     "operator", "DNA",         "substanceOnly"};
  return names;
}

bool is_keyword(std::string_view word) {
  static const std::unordered_set<std::string_view> words(keyword_names().begin(),
                                                          keyword_names().end());
  return words.contains(word);
}

bool is_base_unit(std::string_view word) {
  static constexpr std::array<std::string_view, 39> units{
      "ampere", "avogadro",  "becquerel", "candela",   "celsius", "coulomb", "dimensionless",
      "farad",  "gram",      "gray",      "henry",     "hertz",   "item",    "joule",
      "katal",  "kelvin",    "kilogram",  "liter",     "litre",   "lumen",   "lux",
      "meter",  "metre",     "mole",      "newton",    "ohm",     "pascal",  "radian",
      "second", "siemens",   "sievert",   "steradian", "tesla",   "volt",    "watt",
      "weber",  "substance", "volume",    "time_unit"};
  auto known = [](std::string_view unit) {
    return std::find(units.begin(), units.end(), unit) != units.end();
  };
  return known(word) || (word.ends_with('s') && known(word.substr(0, word.size() - 1)));
}

}  // namespace stiffit
