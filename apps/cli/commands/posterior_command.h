// `stiffit ensemble PROBLEM`: parameters that fit the data, and what they predict.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.h"

namespace stiffit::internal {

// True if the first word is a problem: a PEtab file, or a model with data.
bool is_posterior(const Arguments& arguments);
std::vector<OptionSpec> posterior_options();
int run_posterior(const Arguments& arguments, const Console& console);

}  // namespace stiffit::internal
