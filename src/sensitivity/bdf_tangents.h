// Staggered sensitivities of the BDF: once a step of the states has converged, every direction
// solves the linear equation of the same formula, with the matrix at the new state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/methods/multistep/bdf_coefficients.h"
#include "ode/stepper.h"
#include "sensitivity/tangents.h"

namespace stiffit::internal {

class BdfTangents : public Tangents, public AugmentedNordsieck {
 public:
  using Tangents::Tangents;
  // The trajectory whose array is followed.
  void attach(const LaneGroup& group) { group_ = &group; }

 protected:
  const LaneGroup* group_ = nullptr;
};

std::unique_ptr<BdfTangents> make_bdf_tangents(const SensitivityProblem& problem,
                                               std::size_t directions, LinearisedStep& derivatives);

}  // namespace stiffit::internal
