// What a local optimiser is asked for and what it gives back: one descent from one start.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "estimation/optimizers/objective.h"

namespace stiffit::internal {

// Which matrix stands for the Hessian. `hybrid` adds a secant correction to the Fisher information
// whenever that predicted the last step better (large residuals, noise parameters).
enum class HessianKind { fisher, bfgs, hybrid };

struct LocalOptions {
  HessianKind hessian = HessianKind::hybrid;
  int max_iterations = 500;
  // Stop when the whole box promises less than this, in units of the log-likelihood (of the
  // estimated variance if the noise is unknown).
  double value_tolerance = 1e-9;
  double gradient_tolerance = 1e-8;  // of the gradient scaled by the distance to the bounds
  double step_tolerance = 1e-9;      // of the trust region's radius
  double first_radius = 1.0;         // in scaled coordinates
  const std::atomic<bool>* interrupt = nullptr;
  // Called where a descent stands after each step, for whoever watches; from several threads when
  // there are several descents. What it does must not matter to them.
  std::function<void(std::span<const double> x, double value)> on_step;
};

enum class FitOutcome {
  converged,
  flat,        // a plateau: the model does not feel most unknowns there
  stalled,     // no step improves, though the derivatives say one should
  iterations,  // the limit was reached
  failed,      // the start cannot be evaluated
  interrupted,
};

struct LocalFit {
  FitOutcome outcome = FitOutcome::failed;
  std::string message;           // in words, why it ended
  std::vector<double> start, x;  // thetas
  double start_value = 0;        // NaN: it failed
  Evaluation at;                 // at x, with gradient and Fisher information
  std::vector<int> insensitive;  // unknowns that the model does not feel at x
  int iterations = 0;
  long values = 0, gradients = 0;  // evaluations asked for; a gradient brings its value
  long failures = 0;               // of both kinds
  std::string last_failure;
  // What the derivatives still promised at the end, in units of the log-likelihood.
  double promised = std::numeric_limits<double>::infinity();

  // As far as limits are concerned, which are some two units away.
  bool at_minimum() const {
    return outcome == FitOutcome::converged || (outcome == FitOutcome::stalled && promised < 0.1);
  }
  bool usable() const { return outcome != FitOutcome::failed && at.ok(); }
};

const char* outcome_name(FitOutcome outcome);

// The unit in which differences of the objective matter: 1 for a log-likelihood, the estimated
// variance for least squares with unknown noise.
double value_unit(const Objective& objective, const Evaluation& at);

// Unknowns whose whole range would change the objective by less than a hundredth of a unit.
std::vector<int> insensitive_unknowns(const Objective& objective, const Evaluation& at);

// True if x is on a plateau: the model is insensitive to most parameters, or the residuals point
// along directions that only vanishing sensitivities keep from being followed.
bool on_plateau(const Objective& objective, const Evaluation& at,
                const std::vector<int>& insensitive);
// Outcome, message and what the model does not feel at fit.x; a minimum on a plateau is none.
void end_descent(const Objective& objective, LocalFit& fit, FitOutcome outcome,
                 std::string message);

}  // namespace stiffit::internal
