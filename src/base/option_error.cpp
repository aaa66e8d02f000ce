// SPDX-License-Identifier: Apache-2.0
#include "base/option_error.h"

namespace stiffit::internal {
namespace {

constexpr char mark = '\x1f';  // a control character: no name or value has it

}  // namespace

std::string option(std::string_view name) { return mark + std::string(name); }

std::string spelled(std::string_view marked, std::string_view before) {
  std::string text;
  for (char c : marked)
    if (c == mark)
      text += before;
    else
      text += c;
  return text;
}

}  // namespace stiffit::internal
