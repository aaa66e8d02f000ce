// How large each state becomes, from a run that need not be accurate: the scale of the absolute
// tolerances. Without it, a derivative that grows from zero would have to be followed with its own
// relative accuracy from the first moment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "ode/observed_simulator.h"

namespace stiffit::internal {

class StateMagnitudes {
 public:
  explicit StateMagnitudes(const Problem& problem) : problem_(problem) {}
  // Of the whole run, [state]. Empty if nothing is scaled by it, or the run fails.
  const std::vector<double>& find(const Request& request, const IntegrationOptions& options);

 private:
  const Problem& problem_;
  std::unique_ptr<ObservedSimulator> simulator_;
  Request request_;
  Trajectory trajectory_;
  std::vector<double> largest_;
};

}  // namespace stiffit::internal
