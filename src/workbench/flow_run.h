// `--method gradient-flow`: its options, and the paths of its descents.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "cli/command_line.h"
#include "estimation/optimizers/flow/gradient_flow.h"
#include "estimation/strategies/multi_start.h"
#include "runtime/checkpoint/run_folder.h"

namespace stiffit {

std::vector<OptionSpec> flow_option_specs();
// Throws UsageError, also for its options with other methods.
FlowOptions read_flow_options(const Arguments& arguments, const std::string& method);
void add_flow_settings(RunSettings& settings, const FlowOptions& options);

// Paths by start.
class FlowPaths {
 public:
  LocalMethod method(FlowOptions options);
  // tau, objective, gradients so far and the values of the unknowns; empty if that start was not
  // run here.
  std::string table(const std::vector<double>& start, const std::vector<Unknown>& unknowns) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::vector<double>, std::vector<FlowPoint>> paths_;
};

}  // namespace stiffit
