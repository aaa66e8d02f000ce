// An option that is wrong, or does not go with the others. The same sentence is shown by every
// skin, each with its own spelling of the names: the command line writes --starts, the library
// starts. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace stiffit::internal {

// The name of an option inside the text of an error, marked for spelled().
std::string option(std::string_view name);
// The text with `before` in front of each marked name: "--" for the command line, "" for the
// library.
std::string spelled(std::string_view marked, std::string_view before);

class OptionError : public std::runtime_error {
 public:
  // Both texts may hold names by option().
  explicit OptionError(const std::string& message, const std::string& hint = {})
      : std::runtime_error(spelled(message, "")), message_(message), hint_(hint) {}

  const std::string& marked_message() const { return message_; }
  const std::string& marked_hint() const { return hint_; }
  std::string message(std::string_view before) const { return spelled(message_, before); }
  std::string hint(std::string_view before) const { return spelled(hint_, before); }

 private:
  std::string message_, hint_;
};

}  // namespace stiffit::internal
