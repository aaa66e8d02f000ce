// Forward sensitivities by CVODES, staggered: the trusted reference in tests and benchmarks. Smooth
// models only: nothing that switches, no algebraic equations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/methods/cvodes/cvodes_runner.h"
#include "sensitivity/linearised_step.h"

namespace stiffit::internal {

// The callbacks of a CvodesRunner for a problem and its directions. Must not move while a runner
// made from `problem()` is in use.
class CvodesSensitivities {
 public:
  CvodesSensitivities(const SensitivityProblem& problem, const SensitivityRequest& request);

  CvodesProblem callbacks();
  const std::vector<double>& start() const { return y_; }
  const std::vector<double>& start_sensitivities() const { return s_; }  // [direction][state]
  // What a change of theta by one means for the parameters it moves; one where that is not known.
  const std::vector<double>& sizes() const { return sizes_; }

 private:
  static void rhs(void* self, double t, const double* y, double* f);
  static void jacobian(void* self, double t, const double* y, double* values);
  static void sensitivity_rhs(void* self, double t, const double* y, const double* const* s,
                              double* const* out);
  void start_from_parameters(const SensitivityRequest& request);

  const SensitivityProblem& problem_;
  std::size_t count_;
  AlignedArray parameters_;
  LinearisedStep derivatives_;
  std::vector<double> y_, s_, sizes_, by_state_, by_parameter_;
  // Entries of df/dp by direction: row, entry, dp.
  struct Force {
    int row, entry;
    double shift;
  };
  std::vector<std::vector<Force>> forces_;
};

// rtol, atol (scaled from a first run if not given), max_steps and interrupt of the options count.
SensitivityTrajectory simulate_sensitivities_by_cvodes(const SensitivityProblem& problem,
                                                       const SensitivityRequest& request,
                                                       const SensitivityOptions& options);

}  // namespace stiffit::internal
