// SPDX-License-Identifier: Apache-2.0
#include "cli/sampled_options.h"

#include <cmath>
#include <stdexcept>

#include "base/number.h"
#include "cli/command_line.h"

namespace stiffit {
namespace {

std::pair<std::string, std::string> name_and_rest(std::string_view option,
                                                  const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    throw UsageError("--" + std::string(option) + " needs name=..., not '" + text + "'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (char c : text)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

ScanAxis vary_option(const std::string& text) {
  auto [name, rest] = name_and_rest("vary", text);
  std::vector<std::string> parts = split(rest, ':');
  auto wrong = [&](const std::string& why) {
    return UsageError("--vary " + text + ": " + why, "write name=low:high:count or ...:log");
  };
  const bool log = parts.size() == 4 && parts[3] == "log";
  if (parts.size() != 3 && !log) throw wrong("three numbers are needed");
  double numbers[3];
  for (std::size_t k = 0; k < 3; ++k) {
    auto number = parse_number(parts[k]);
    if (!number || !std::isfinite(*number)) throw wrong("'" + parts[k] + "' is not a number");
    numbers[k] = *number;
  }
  try {
    return {name, grid_values(numbers[0], numbers[1], numbers[2], log)};
  } catch (const std::invalid_argument& error) {
    throw wrong(error.what());
  }
}

}  // namespace

std::vector<ParameterDistribution> sample_options(const std::vector<std::string>& texts) {
  std::vector<ParameterDistribution> options;
  for (const std::string& text : texts) {
    auto [name, rest] = name_and_rest("sample", text);
    options.push_back(parameter_distribution(name, rest));
  }
  require_names_once(options, "sample");
  return options;
}

std::vector<ScanAxis> vary_options(const std::vector<std::string>& texts) {
  std::vector<ScanAxis> options;
  for (const std::string& text : texts) options.push_back(vary_option(text));
  require_names_once(options, "vary");
  return options;
}

}  // namespace stiffit
