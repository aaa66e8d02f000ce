// Where a time course comes to rest. The time course is the meaning: it is followed some way, then
// Newton's method on what conserved sums leave free finishes the job, if it stays where the time
// course leads and every mode there decays; else the time course goes on until the slowest mode has
// had its time. No state is measured by another's size, and no time by a unit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/steady/differentiated.h"
#include "analysis/steady/moiety_rows.h"
#include "ode/simulate.h"

namespace stiffit::internal {

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
  double residual = 0;        // largest |x'|/|x| there, per unit of time, delayed values as of now
  double time = 0;            // how far the time course was followed
  double settling = 0;        // after this time the slowest mode is gone, also of what is near
  bool newton = false;        // finished by Newton's method
  bool stable_route = true;   // false: found by Newton alone; the time course does not go there
  bool delays = false;        // the model looks back, so that J alone does not tell stability
  std::vector<double> path;   // if there is none: states along the last part of the way
  std::vector<double> scale;  // size of each state along the way
  // States that are not negative by nature: species and compartments, and what else has been so all
  // along its own way; not those that the time course itself takes below zero.
  std::vector<char> nonnegative;
  std::vector<int> negative;  // species that the time course has taken below zero
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
  // The same states, but at rest: a delayed value is what it is now, and fast reactions are 0 = f.
  const Program& equations() const { return *equations_; }
  bool delays() const { return program().inputs > 0; }
  // Per state: species and compartments.
  const std::vector<char>& nonnegative() const { return nonnegative_; }
  // How far delays look back where the model rests at x.
  double longest_lag(double time, std::span<const double> parameters,
                     std::span<const double> x) const;
  MoietyRows moieties(std::span<const double> parameters, std::span<const double> state) const;
  const Differentiated& rates() const { return rates_; }

 private:
  const System* system_;
  std::unique_ptr<System> at_rest_;  // null: the system itself
  Problem problem_;
  std::shared_ptr<const Program> equations_;
  std::vector<char> nonnegative_;
  std::vector<Moiety> moieties_;
  bool moieties_vary_;
  Differentiated rates_;
};

// Where the time course from `request` (its times are not read) comes to rest.
SteadyState find_steady_state(const SteadyProblem& problem, const Request& request,
                              const SteadyOptions& options);

// Newton's method alone, wherever that leads: also steady states that no time course reaches. It
// starts from the average of the end of `from.path`, then from `from.state`, then along the path,
// and prefers states where nothing has died out that is there along the way.
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

}  // namespace stiffit::internal
