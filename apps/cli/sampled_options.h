// Options that vary parameters of a model: `--sample name=dist(...)`, `--vary name=lo:hi:n[:log]`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/pipeline/varied_parameters.h"

namespace stiffit {

// Throw UsageError and OptionError.
std::vector<ParameterDistribution> sample_options(const std::vector<std::string>& texts);
std::vector<ScanAxis> vary_options(const std::vector<std::string>& texts);

}  // namespace stiffit
