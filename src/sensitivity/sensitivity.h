// Trajectories with their derivatives: dx/dtheta by forward sensitivities, or the gradient of a
// function of the trajectory by the adjoint of the same steps. Both are exact derivatives of the
// computed trajectory, its step sizes held fixed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ode/simulate.h"
#include "symbolic/system.h"

namespace stiffit::internal {

// theta moves these parameters of the program (index, dp/dtheta); none: only the initial states.
struct Direction {
  std::vector<std::pair<int, double>> parameters;
};

struct SensitivityRequest {
  Request run;
  std::vector<Direction> directions;
  // dx/dtheta at the start, [state][direction]; read only if run.initial is given (empty: zero).
  // Otherwise it follows from the model's initial values and the directions.
  std::vector<double> initial;
};

struct SensitivityTrajectory {
  Trajectory trajectory;
  std::vector<double> sensitivities;  // [time][state][direction]; NaN after a failure
};

struct SensitivityOptions {
  IntegrationOptions integration;
  // Sensitivities take part in the error test. Without, they are those of steps that suit the
  // states alone: from a steady state, where nothing moves, such steps are far too long for them.
  bool error_control = true;
};

// The compiled derivatives of a system. Shared by threads, never changed.
class SensitivityProblem;
// By the given parameters of the program (empty: all that are not folded); other directions than
// these cannot be asked for. The problem has one lane. Throws InputError for models with delays.
std::shared_ptr<const SensitivityProblem> make_sensitivity_problem(
    System& system, const Problem& problem, std::span<const int> parameters = {});

// Methods: rodas5p (what automatic means), and bdf with staggered sensitivities; InputError for
// others. The adjoint is that of rodas5p.
SensitivityTrajectory simulate_sensitivities(const SensitivityProblem& problem,
                                             const SensitivityRequest& request,
                                             const SensitivityOptions& options);

// Runs one request after another in the same memory, for callers that fit. Of one thread.
class SensitivitySimulator {
 public:
  virtual ~SensitivitySimulator() = default;
  virtual void run(const SensitivityRequest& request, const SensitivityOptions& options,
                   SensitivityTrajectory& result) = 0;
};
std::unique_ptr<SensitivitySimulator> make_sensitivity_simulator(const SensitivityProblem& problem);

// A trajectory whose steps are kept, and what its outputs' weights say about its causes.
class AdjointRun {
 public:
  virtual ~AdjointRun() = default;
  virtual const Trajectory& trajectory() const = 0;
  // Of L(x(t_1), ..., x(t_k)) with `weights` = dL/dx, [time][state]: dL/dparameter for every
  // parameter of the program, and dL/dx(start). With request.initial empty, the model's initial
  // values are followed into `parameters` and `initial` is still given.
  virtual void gradient(std::span<const double> weights, std::span<double> parameters,
                        std::span<double> initial) = 0;
  // How far the last gradient may be off because the steps suit the states alone, by the same
  // parameters and initial states: the derivative of the steps' error estimates, each weighted by
  // what the objective makes of an error there. Linear, as the gradient is: to be followed along a
  // direction before its size is looked at.
  virtual void errors(std::span<double> parameters, std::span<double> initial) const = 0;
};
std::unique_ptr<AdjointRun> simulate_for_adjoint(const SensitivityProblem& problem,
                                                 const Request& request,
                                                 const IntegrationOptions& options);

}  // namespace stiffit::internal
