// Fixed steps of a multistep method: the first ones are taken by a Runge-Kutta method of its order,
// because what a start of lower order does wrong stays in the result. In any number of lanes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ode/stepper.h"

namespace stiffit::internal {

// A method with a memory that can be given one.
class MultistepMethod {
 public:
  virtual ~MultistepMethod() = default;
  // Steps that come before the first of its own.
  virtual int steps_to_start() const = 0;
  // Goes on from the current state of the lane. Value k of `y` and `slope` is of k steps of size h
  // ago, [state]; there are steps_to_start() + 1 of them.
  virtual void take_past(int lane, double h, const std::vector<std::vector<double>>& y,
                         const std::vector<std::vector<double>>& slope) = 0;
};

// `method` must be a MultistepMethod. Without fixed steps it is all that is needed.
std::unique_ptr<Stepper> with_started_memory(LaneGroup& group, std::unique_ptr<Stepper> method,
                                             MakeStepper make_starter);

}  // namespace stiffit::internal
