// SPDX-License-Identifier: Apache-2.0
#include "base/option_error.h"

namespace stiffit {
namespace {

constexpr char mark = '\x1f';  // in no text that a person types

bool in_name(char c) { return (c >= 'a' && c <= 'z') || c == '-'; }

std::string with_dashes(const std::string& text) {
  std::string result;
  for (char c : text)
    if (c == mark)
      result += "--";
    else
      result += c;
  return result;
}

std::string without_dashes(const std::string& text) {
  std::string result;
  bool inside = false;
  for (char c : text) {
    if (c == mark) {
      inside = true;
      continue;
    }
    inside = inside && in_name(c);
    result += inside && c == '-' ? '_' : c;
  }
  return result;
}

}  // namespace

std::string option_name(std::string_view name) { return mark + std::string(name); }

OptionError::OptionError(const std::string& message, const std::string& hint)
    : std::runtime_error(without_dashes(message)),
      message_(message),
      hint_(hint),
      plain_hint_(without_dashes(hint)) {}

std::string OptionError::command_line_message() const { return with_dashes(message_); }
std::string OptionError::command_line_hint() const { return with_dashes(hint_); }

}  // namespace stiffit
