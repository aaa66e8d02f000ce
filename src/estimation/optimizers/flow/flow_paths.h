// The paths of gradient flows, kept by the starts that they came from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "estimation/optimizers/flow/gradient_flow.h"

namespace stiffit::internal {

class FlowPaths {
 public:
  void keep(const std::vector<double>& start, std::vector<FlowPoint> path);
  // tau, objective, gradients so far and the values of the unknowns; empty if that start was not
  // run here.
  std::string table(const std::vector<double>& start,
                    const std::vector<EstimatedParameter>& unknowns) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::vector<double>, std::vector<FlowPoint>> paths_;
};

}  // namespace stiffit::internal
