// SPDX-License-Identifier: Apache-2.0
#include "io/text/syntax/keywords.h"

#include <unordered_set>

namespace stiffit::internal {

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

}  // namespace stiffit::internal
