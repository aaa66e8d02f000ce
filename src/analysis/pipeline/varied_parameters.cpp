// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/varied_parameters.h"

#include <cmath>
#include <stdexcept>

#include "base/diagnostic.h"

namespace stiffit::internal {

ParameterDistribution parameter_distribution(const std::string& name, const std::string& text) {
  try {
    return {name, parse_distribution(text)};
  } catch (const std::invalid_argument& error) {
    throw OptionError(option("sample") + " " + name + "=" + text + ": " + error.what());
  }
}

std::vector<ParameterDistribution> parameter_distributions(
    const std::vector<std::pair<std::string, std::string>>& sample) {
  std::vector<ParameterDistribution> list;
  for (const auto& [name, text] : sample) list.push_back(parameter_distribution(name, text));
  return list;
}

std::vector<double> grid_values(double low, double high, double count, bool log) {
  constexpr double most_values = 1e6;
  if (!(count >= 1) || count != std::floor(count) || count > most_values)
    throw std::invalid_argument("the count must be a whole number of at least 1");
  if (count > 1 && !(low < high)) throw std::invalid_argument("the range must ascend");
  if (log && !(low > 0)) throw std::invalid_argument("a logarithmic grid needs values above zero");
  std::vector<double> values;
  for (double i = 0; i < count; ++i) {
    const double share = count > 1 ? i / (count - 1) : 0;
    const bool end = i == count - 1 && count > 1;
    values.push_back(end   ? high
                     : log ? low * std::exp(share * std::log(high / low))
                           : low + share * (high - low));
  }
  return values;
}

int varied_parameter(const System& system, const Model& model, std::string_view by,
                     const std::string& name) {
  if (const int index = system.parameter_index(name); index >= 0) return index;
  const std::string start = option(by) + ": ";
  if (model.find(name).kind != SymbolKind::none)
    throw OptionError(start + "'" + name + "' follows from other values of the model",
                      "vary what it is computed from");
  std::vector<std::string> names;
  for (const SystemParameter& p : system.parameters) names.push_back(p.name);
  const std::string nearest = nearest_name(name, names);
  throw OptionError(start + "the model has no parameter or initial value '" + name + "'",
                    nearest.empty() ? "" : "did you mean '" + nearest + "'?");
}

}  // namespace stiffit::internal
