// For tests: is a page or picture well-formed?
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace stiffit::internal {

// Every tag is closed by its own name and every quote ends; returns what is wrong.
inline std::string trouble_in(const std::string& text, std::vector<std::string> unclosed = {}) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    std::size_t end = at;
    bool quoted = false;
    while (end < text.size() && (text[end] != '>' || quoted)) quoted ^= text[end++] == '"';
    if (end == text.size()) return "a tag without end";
    const std::string tag = text.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /\n", 1));
    if (tag[0] == '?' || tag[0] == '!' || tag.back() == '/') continue;
    if (std::find(unclosed.begin(), unclosed.end(), name) != unclosed.end()) continue;
    if (tag[0] != '/')
      open.push_back(name);
    else if (open.empty() || "/" + open.back() != tag)
      return tag + " closes nothing";
    else
      open.pop_back();
  }
  return open.empty() ? "" : open.back() + " is open";
}

}  // namespace stiffit::internal
