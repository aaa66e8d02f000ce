// A step of Rodas5P backwards: what the end of the step, its stages and its interpolant say about
// the state it came from and about the parameters. The exact transpose of linearised_step.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sensitivity/linearised_step.h"

namespace stiffit::internal {

class AdjointSweep {
 public:
  explicit AdjointSweep(const SensitivityProblem& problem);

  void clear();                                         // nothing is said about the step yet
  void add_end(const double* weight);                   // of the state at its end
  void add_inside(double theta, const double* weight);  // of the state within
  void add_error(const double* weight);                 // of the error estimate, its last stage
  // For run() of this and other sweeps of the step; false: singular.
  bool factor(const LinearisedStep& step);
  // What all that says about the state at its start (overwrites `state`) and the parameters (adds),
  // with the factors that `factored` has.
  void run(const LinearisedStep& step, AdjointSweep& factored, double* state,
           std::span<double> parameters);

 private:
  double* stage(int i) { return stages_.data() + static_cast<std::size_t>(i) * stride_; }

  const SensitivityProblem& problem_;
  std::size_t n_, stride_;
  std::unique_ptr<LinearSolver> solver_;  // made when factors are asked for
  AlignedArray start_, end_, stages_, solved_, moved_, jacobian_;
};

}  // namespace stiffit::internal
