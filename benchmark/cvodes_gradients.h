// The sensitivities of a fitting problem's experiments by CVODES, staggered: what our own are
// compared with. The objective around them is the same code; only the integrator differs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "ode/methods/cvodes/cvodes_runner.h"
#include "sensitivity/sensitivity.h"

namespace stiffit::internal::benchmark {

// The runs of one evaluation, in their order, are the same at every evaluation of a point. What is
// learnt of each: the largest magnitude of every state, which scales the absolute tolerances.
using LargestStates = std::vector<std::vector<double>>;

using CvodesRunnerFactory = std::unique_ptr<CvodesRunner> (*)(const CvodesProblem&,
                                                              const CvodesOptions&);

struct CvodesGradientOptions {
  CvodesRunnerFactory make = nullptr;
  CvodesLinear linear = CvodesLinear::dense;
  double rtol = 1e-8, scale = 1e-3;
  bool error_control = true;
};

// Memory and settings of each run are made once; a run is a CVodeReInit.
class CvodesGradients {
 public:
  CvodesGradients(const LargestStates& largest, const CvodesGradientOptions& options);
  ~CvodesGradients();
  // What ObjectiveOptions::simulator gives; all of it stands in this object.
  std::unique_ptr<SensitivitySimulator> simulator(const SensitivityProblem& problem);
  void begin();  // before each evaluation
  long steps() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// Our own integrator, noting the largest states.
std::unique_ptr<SensitivitySimulator> noting_simulator(const SensitivityProblem& problem,
                                                       LargestStates& largest);

}  // namespace stiffit::internal::benchmark
