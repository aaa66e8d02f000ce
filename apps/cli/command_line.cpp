// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/diagnostic.h"
#include "base/number.h"
#include "report/text_table.h"

namespace stiffit::internal {
namespace {

const OptionSpec* find_option(const CommandSpec& command, std::string_view name) {
  for (const OptionSpec& option : command.options)
    if (option.name == name) return &option;
  return nullptr;
}

const OptionSpec* find_letter(const CommandSpec& command, char letter) {
  for (const OptionSpec& option : command.options)
    if (option.letter == letter) return &option;
  return nullptr;
}

[[noreturn]] void unknown_option(const CommandSpec& command, const std::string& word,
                                 const std::string& name) {
  if (std::find(command.not_yet.begin(), command.not_yet.end(), name) != command.not_yet.end())
    throw UsageError("option '--" + name + "' is not available in this version");
  std::vector<std::string> names{"help"};
  for (const OptionSpec& option : command.options) names.push_back(option.name);
  std::string nearest = nearest_name(name, names);
  throw UsageError("unknown option '" + word + "'",
                   nearest.empty() ? "" : "did you mean '--" + nearest + "'?");
}

bool looks_like_an_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && !parse_number(word).has_value();
}

}  // namespace

bool has_option(const CommandSpec& command, std::string_view name) {
  return find_option(command, name) != nullptr;
}

Arguments read_arguments(const CommandSpec& command, const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      arguments.positional_.insert(arguments.positional_.end(), words.begin() + i + 1, words.end());
      break;
    }
    if (word == "-h" || word == "--help") {
      arguments.help_ = true;
      return arguments;
    }
    if (!looks_like_an_option(word)) {
      arguments.positional_.push_back(word);
      continue;
    }
    const bool is_long = word.starts_with("--");
    std::size_t equals = is_long ? word.find('=') : std::string::npos;
    std::string name = is_long ? word.substr(2, equals == std::string::npos ? equals : equals - 2)
                               : word.substr(1);
    const OptionSpec* option = is_long            ? find_option(command, name)
                               : name.size() == 1 ? find_letter(command, name[0])
                                                  : nullptr;
    if (!option) unknown_option(command, word.substr(0, equals), name);
    if (arguments.has(option->name) && !option->repeated)
      throw UsageError("option '--" + option->name + "' is given twice");
    std::string value;
    if (option->value.empty()) {
      if (equals != std::string::npos)
        throw UsageError("option '--" + option->name + "' takes no value");
    } else if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < words.size()) {
      value = words[++i];
    } else {
      throw UsageError("option '" + word + "' needs a value: " + option->value);
    }
    if (option->in_provenance) arguments.provenance_[option->name].push_back(value);
    arguments.values_[option->name].push_back(value);
  }
  std::size_t given = arguments.positional_.size();
  if (given < command.fewest) throw UsageError(command.name + " needs " + command.arguments);
  if (given > command.most)
    throw UsageError("unexpected argument '" + arguments.positional_[command.most] + "'");
  return arguments;
}

std::string Arguments::text(std::string_view option, std::string_view fallback) const {
  auto found = values_.find(option);
  return found == values_.end() ? std::string(fallback) : found->second.front();
}

double Arguments::number(std::string_view option, double fallback) const {
  if (!has(option)) return fallback;
  auto value = parse_number(text(option));
  if (!value || !std::isfinite(*value))
    throw UsageError("--" + std::string(option) + " needs a number, not '" + text(option) + "'");
  return *value;
}

double Arguments::positive(std::string_view option, double fallback) const {
  if (!has(option)) return fallback;
  double value = number(option, fallback);
  if (value <= 0)
    throw UsageError("--" + std::string(option) + " needs a number above zero, not '" +
                     text(option) + "'");
  return value;
}

long Arguments::count(std::string_view option, long fallback) const {
  if (!has(option)) return fallback;
  std::string given = text(option);
  long value = 0;
  auto [end, code] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (code != std::errc() || end != given.data() + given.size() || value < 1)
    throw UsageError("--" + std::string(option) + " needs a whole number above zero, not '" +
                     given + "'");
  return value;
}

const std::vector<std::string>& Arguments::all(std::string_view option) const {
  static const std::vector<std::string> none;
  auto found = values_.find(option);
  return found == values_.end() ? none : found->second;
}

std::vector<std::string> Arguments::list(std::string_view option) const {
  return split_at_commas(text(option));
}

std::string usage_line(const CommandSpec& command) {
  std::string line = "usage: stiffit " + command.name;
  if (!command.arguments.empty()) line += " " + command.arguments;
  return line + (command.options.empty() ? "" : " [options]");
}

std::string help_text(const CommandSpec& command) {
  std::string out = usage_line(command) + "\n\n" + command.summary + "\n";
  std::vector<std::vector<std::string>> rows;
  for (const OptionSpec& option : command.options) {
    std::string name = option.letter ? std::string("-") + option.letter + ", " : "";
    name += "--" + option.name + (option.value.empty() ? "" : " " + option.value);
    rows.push_back({name, option.help});
  }
  rows.push_back({"-h, --help", "this text"});
  out += "\noptions:\n" + text_table({}, rows, 2);
  if (!command.notes.empty()) out += "\n" + command.notes + "\n";
  if (!command.examples.empty()) {
    rows.clear();
    for (auto& [line, meaning] : command.examples) rows.push_back({line, meaning});
    out += "\nexamples:\n" + text_table({}, rows, 2);
  }
  return out;
}

}  // namespace stiffit::internal
