// Options that are lists, "a,b,c".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stiffit::internal::benchmark {

inline std::vector<std::string> comma_list(const std::string& text) {
  std::vector<std::string> parts{""};
  for (char c : text) c == ',' ? (void)parts.emplace_back() : parts.back().push_back(c);
  return parts;
}

}  // namespace stiffit::internal::benchmark
