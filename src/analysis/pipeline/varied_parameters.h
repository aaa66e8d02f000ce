// Parameters of a model that differ from run to run: along the axes of a grid, or at random.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/ensemble/distribution.h"
#include "base/option_error.h"
#include "model/model.h"
#include "stiffit/options.h"
#include "symbolic/system.h"

namespace stiffit::internal {

struct ParameterDistribution {
  std::string name;
  Distribution distribution;
};
// `text` as parse_distribution reads it. Throws OptionError.
ParameterDistribution parameter_distribution(const std::string& name, const std::string& text);
std::vector<ParameterDistribution> parameter_distributions(
    const std::vector<std::pair<std::string, std::string>>& sample);

using ScanAxis = api::ScanAxis;
// `count` values from low to high, evenly spaced or, with `log`, at even ratios. Throws
// std::invalid_argument.
std::vector<double> grid_values(double low, double high, double count, bool log);

// Throws OptionError if a name comes twice. `by`: the option that names them.
template <class Named>
void require_names_once(const std::vector<Named>& list, std::string_view by) {
  for (std::size_t i = 0; i < list.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (list[k].name == list[i].name)
        throw OptionError(option(by) + " gives '" + list[i].name + "' twice");
}

// The number of that parameter, compartment or initial value in the system; OptionError with the
// nearest name if there is none, or if a rule computes it.
int varied_parameter(const System& system, const Model& model, std::string_view by,
                     const std::string& name);

}  // namespace stiffit::internal
