// Sensitivities of diagonally implicit Runge-Kutta methods: once a step has passed, every direction
// solves the linear equations of its stages, each with the matrix at that stage.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/methods/implicit_rk/dirk_tableau.h"
#include "ode/stepper.h"
#include "sensitivity/tangents.h"

namespace stiffit::internal {

class DirkTangents : public Tangents {
 public:
  using Tangents::Tangents;
  // The state is new: the first slope is that of f there. Parameters are set, derivatives too.
  virtual void begin_again(const LaneGroup& group) = 0;
  // The step that has passed.
  void see(const LaneGroup& group, const Stepper& stepper) {
    group_ = &group;
    stepper_ = &stepper;
  }

 protected:
  const LaneGroup* group_ = nullptr;
  const Stepper* stepper_ = nullptr;
};

std::unique_ptr<DirkTangents> make_dirk_tangents(const SensitivityProblem& problem,
                                                 std::size_t directions,
                                                 LinearisedStep& derivatives,
                                                 const DirkTableau& tableau);

}  // namespace stiffit::internal
