// Where a time course comes to rest. The time course is the meaning: it is followed some way, then
// Newton's method on what conserved sums leave free finishes the job, if it stays where the time
// course leads; else the time course goes on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "integrate/simulate.h"
#include "steady/differentiated.h"
#include "steady/moiety_rows.h"

namespace stiffit {

struct SteadyOptions {
  IntegrationOptions integration;  // of the time course; its tolerances say what rest means
  long max_steps = 50000;          // of the whole time course; then it does not come to rest
};

enum class SteadyStatus {
  found,
  time_dependent,  // the rates depend on time: nothing ever rests
  grows,
  oscillates,
  unsettled,  // neither, but still moving when patience ended
  failed,     // the integration broke down
  interrupted,
};

struct SteadyState {
  SteadyStatus status = SteadyStatus::unsettled;
  std::string detail;         // in words, if there is none: why
  std::vector<double> state;  // where it rests, or where it was left
  std::vector<double> slots;  // parameters, modes and derived ones as they hold there
  double residual = 0;        // largest |x'|/|x| there, per unit of time
  double time = 0;            // how far the time course was followed
  bool newton = false;        // finished by Newton's method
  bool stable_route = true;   // false: found by Newton alone; the time course does not go there
  std::vector<double> mean;   // if there is none: the average of the last stretch of the way
  std::vector<double> scale;  // size of each state along the way
  Counters counters;

  bool found() const { return status == SteadyStatus::found; }
};

// What steady states of a system need besides its problem; shared by threads, never changed. The
// system must live as long.
class SteadyProblem {
 public:
  // `problem` is of one lane.
  SteadyProblem(System& system, Problem problem);

  const System& system() const { return *system_; }
  const Problem& problem() const { return problem_; }
  const Program& program() const { return *problem_.program; }
  MoietyRows moieties(std::span<const double> parameters, std::span<const double> state) const;
  const Differentiated& rates() const { return rates_; }

 private:
  const System* system_;
  Problem problem_;
  std::vector<Moiety> moieties_;
  bool moieties_vary_;
  Differentiated rates_;
};

// Where the time course from `request` (its times are not read) comes to rest.
SteadyState find_steady_state(const SteadyProblem& problem, const Request& request,
                              const SteadyOptions& options);

// Newton's method alone from a state, wherever that leads: also steady states that no time course
// reaches. It starts from `from.mean`, then from `from.state`.
bool newton_steady_state(const SteadyProblem& problem, SteadyState& from);

// Eigenvalues of J there, on what conserved sums leave free; largest real part first.
std::vector<std::complex<double>> steady_eigenvalues(const SteadyProblem& problem,
                                                     const SteadyState& steady);

// dx*/dtheta from J S = -df/dp dp/dtheta with the conserved sums following the start.
// `directions` is dp/dtheta, [parameter][theta]; `start` is dx/dtheta where the time course began,
// [state][theta]; the result is [state][theta]. False if J is singular there: then only the time
// course knows.
bool steady_sensitivities(const SteadyProblem& problem, const SteadyState& steady,
                          std::span<const double> directions, std::span<const double> start,
                          std::size_t thetas, std::span<double> result);

}  // namespace stiffit
