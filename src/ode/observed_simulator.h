// Trajectories with somebody told of every step, one after another in the same memory. One lane.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ode/observer.h"

namespace stiffit::internal {

class ObservedSimulator {
 public:
  ObservedSimulator(const Problem& problem, const IntegrationOptions& options);
  ~ObservedSimulator();
  ObservedSimulator(const ObservedSimulator&) = delete;
  ObservedSimulator& operator=(const ObservedSimulator&) = delete;
  IntegrationOptions& options() { return options_; }  // all but the method may change between runs
  // Fills states and outcome; `fill_outputs` does the rest where it is wanted.
  void run(const Request& request, StepObserver& observer, Trajectory& result);

 private:
  Problem problem_;
  IntegrationOptions options_;
  std::unique_ptr<class Driver> driver_;
};

void fill_outputs(const Problem& problem, const Request& request, Trajectory& trajectory);

}  // namespace stiffit::internal
