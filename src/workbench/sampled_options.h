// Options that vary parameters of a model: `--sample name=dist(...)`, `--vary name=lo:hi:n[:log]`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/ensemble/distribution.h"
#include "model/model.h"
#include "symbolic/system.h"

namespace stiffit {

struct SampleOption {
  std::string name;
  Distribution distribution;
};
// Throws UsageError.
std::vector<SampleOption> sample_options(const std::vector<std::string>& texts);

struct VaryOption {
  std::string name;
  std::vector<double> values;
};
std::vector<VaryOption> vary_options(const std::vector<std::string>& texts);

// The number of that parameter, compartment or initial value in the system; UsageError with the
// nearest name if there is none, or if a rule computes it.
int varied_parameter(const System& system, const Model& model, std::string_view option,
                     const std::string& name);

}  // namespace stiffit
