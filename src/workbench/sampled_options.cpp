// SPDX-License-Identifier: Apache-2.0
#include "workbench/sampled_options.h"

#include <cmath>
#include <stdexcept>

#include "base/diagnostic.h"
#include "base/number.h"
#include "workbench/command_line.h"

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

constexpr double most_values = 1e6;

VaryOption vary_option(const std::string& text) {
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
  const auto [low, high, count] = numbers;
  if (!(count >= 1) || count != std::floor(count) || count > most_values)
    throw wrong("the count must be a whole number of at least 1");
  if (count > 1 && !(low < high)) throw wrong("the range must ascend");
  if (log && !(low > 0)) throw wrong("a logarithmic grid needs values above zero");
  VaryOption vary{name, {}};
  for (double i = 0; i < count; ++i) {
    const double share = count > 1 ? i / (count - 1) : 0;
    const bool end = i == count - 1 && count > 1;
    vary.values.push_back(end   ? high
                          : log ? low * std::exp(share * std::log(high / low))
                                : low + share * (high - low));
  }
  return vary;
}

}  // namespace

std::vector<SampleOption> sample_options(const std::vector<std::string>& texts) {
  std::vector<SampleOption> options;
  for (const std::string& text : texts) {
    auto [name, rest] = name_and_rest("sample", text);
    for (const SampleOption& other : options)
      if (other.name == name) throw UsageError("--sample gives '" + name + "' twice");
    try {
      options.push_back({name, parse_distribution(rest)});
    } catch (const std::invalid_argument& error) {
      throw UsageError("--sample " + text + ": " + error.what());
    }
  }
  return options;
}

std::vector<VaryOption> vary_options(const std::vector<std::string>& texts) {
  std::vector<VaryOption> options;
  for (const std::string& text : texts) {
    options.push_back(vary_option(text));
    for (std::size_t i = 0; i + 1 < options.size(); ++i)
      if (options[i].name == options.back().name)
        throw UsageError("--vary gives '" + options[i].name + "' twice");
  }
  return options;
}

int varied_parameter(const System& system, const Model& model, std::string_view option,
                     const std::string& name) {
  if (const int index = system.parameter_index(name); index >= 0) return index;
  const std::string start = "--" + std::string(option) + ": ";
  if (model.find(name).kind != SymbolKind::none)
    throw UsageError(start + "'" + name + "' follows from other values of the model",
                     "vary what it is computed from");
  std::vector<std::string> names;
  for (const SystemParameter& p : system.parameters) names.push_back(p.name);
  const std::string nearest = nearest_name(name, names);
  throw UsageError(start + "the model has no parameter or initial value '" + name + "'",
                   nearest.empty() ? "" : "did you mean '" + nearest + "'?");
}

}  // namespace stiffit
