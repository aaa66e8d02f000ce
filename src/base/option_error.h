// An option that does not suit the model or the other options. The words are the same on every
// surface; only what options are called differs: --max-step on a command line, max_step in a
// program. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace stiffit {

// An option's name inside a message, marked so that each surface can write it in its own way.
// `name` is that of the command line, without the dashes.
std::string option_name(std::string_view name);

class OptionError : public std::runtime_error {
 public:
  explicit OptionError(const std::string& message, const std::string& hint = {});
  // what() and hint() name options as programs do, these as a command line does.
  std::string command_line_message() const;
  std::string command_line_hint() const;
  const std::string& hint() const { return plain_hint_; }

 private:
  std::string message_, hint_, plain_hint_;  // the first two with marks
};

}  // namespace stiffit
