// The options of a command: declared as data, read once, asked for by name and type. Mistakes are
// UsageErrors with the nearest valid name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"

namespace stiffit::internal {

// A bad command line. Exit code 2.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& message, const std::string& hint = {})
      : std::runtime_error(message), hint_(hint) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

struct OptionSpec {
  std::string name;   // without the dashes
  std::string value;  // what the value is called in the help; empty: a flag without a value
  std::string help;
  char letter = 0;  // -o for --output
  bool repeated = false;
  bool in_provenance = true;  // false: says where results go, or how fast they come
};

struct CommandSpec {
  std::string name;
  std::string arguments;  // "MODEL", "[NAME]"
  std::string summary;
  std::size_t fewest = 0, most = 0;  // positional arguments
  std::vector<OptionSpec> options;
  std::vector<std::string> not_yet;  // options of the contract that a later version brings
  std::string notes;
  std::vector<std::pair<std::string, std::string>> examples;  // command, what it does
};

bool has_option(const CommandSpec& command, std::string_view name);

// A command line that was read.
class Arguments {
 public:
  const std::vector<std::string>& positional() const { return positional_; }
  bool has(std::string_view option) const { return values_.contains(option); }
  bool help() const { return help_; }
  // What was given of options that are part of provenance, by their names; flags have an empty
  // value.
  const std::map<std::string, std::vector<std::string>, std::less<>>& provenance() const {
    return provenance_;
  }

  // The value of an option, or the fallback if it is not given.
  std::string text(std::string_view option, std::string_view fallback = {}) const;
  // A finite number.
  double number(std::string_view option, double fallback) const;
  // A finite number > 0.
  double positive(std::string_view option, double fallback) const;
  // A whole number >= 1.
  long count(std::string_view option, long fallback) const;
  const std::vector<std::string>& all(std::string_view option) const;
  // Parts separated by commas outside of brackets: a,[S1],A(b,c) are three.
  std::vector<std::string> list(std::string_view option) const;

 private:
  friend Arguments read_arguments(const CommandSpec&, const std::vector<std::string>&);
  std::vector<std::string> positional_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_, provenance_;
  bool help_ = false;
};

// Reads what follows the command's name: `--name value`, `--name=value`, `-o value`, `--` ends the
// options. With -h or --help anywhere only `help()` is meaningful.
Arguments read_arguments(const CommandSpec& command, const std::vector<std::string>& words);

std::string usage_line(const CommandSpec& command);
std::string help_text(const CommandSpec& command);

}  // namespace stiffit::internal
