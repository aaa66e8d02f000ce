// Evaluations of one descent, counted; a value that is not finite is a failure too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>

#include "estimation/optimizers/local_fit.h"

namespace stiffit::internal {

class CountedObjective {
 public:
  CountedObjective(const Objective& objective, LocalFit& fit) : objective_(objective), fit_(fit) {}

  Evaluation operator()(std::span<const double> theta, Need need) {
    ++(need == Need::value ? fit_.values : fit_.gradients);
    Evaluation e = objective_.evaluate(theta, need);
    if (e.ok() && !finite(e)) e.failure = "the objective or its gradient is not a finite number";
    if (!e.ok()) {
      ++fit_.failures;
      fit_.last_failure = e.failure;
    }
    return e;
  }

 private:
  static bool finite(const Evaluation& e) {
    if (!std::isfinite(e.value)) return false;
    for (double g : e.gradient)
      if (!std::isfinite(g)) return false;
    for (double f : e.fisher)
      if (!std::isfinite(f)) return false;
    return true;
  }

  const Objective& objective_;
  LocalFit& fit_;
};

}  // namespace stiffit::internal
