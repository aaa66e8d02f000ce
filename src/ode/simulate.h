// Time courses: one, or many side by side in lanes and threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compile/program.h"
#include "linear/linear_solver.h"
#include "ode/options.h"

namespace stiffit::internal {

// A program with the linear algebra its stiff methods need. Shared by threads, never changed.
struct Problem {
  std::shared_ptr<const Program> program;
  std::shared_ptr<const LinearPlan> linear;
  std::shared_ptr<const class FusedSteps> steps;  // null: steps are put together from the kernels
  std::shared_ptr<const class GrowingStates> growing;  // null: no state can grow by itself
};
Problem make_problem(std::shared_ptr<const Program> program,
                     LinearKind kind = LinearKind::automatic);

struct Continuation;  // continuation.h

struct Request {
  double start = 0;
  std::vector<double> times;       // ascending, >= start
  std::vector<double> parameters;  // program.parameters values; empty: the model's own
  std::vector<double> initial;     // states at `start`; empty: from the parameters
  // Per event: its trigger held just before `start`; empty: as the model says of its start. For
  // runs that go on where another ended.
  std::vector<char> triggered;
  // Goes on where the run stood that kept this as its end, as if it had never stopped: start,
  // parameters, states and everything that was under way are that run's.
  std::shared_ptr<const Continuation> from;
  bool keep_end = false;  // the trajectory's `end` is wanted
  // The last row is before whatever happens within rounding of its time; the others show it.
  bool open_end = false;
};

// An event that was executed.
struct ExecutedEvent {
  double time = 0;
  int event = -1;  // of the program
};

// A law of fractional order has used something up: it is zero from then on, until it is made again.
struct UsedUp {
  double time = 0;
  int base = -1;  // of the program's vanishing bases
};

struct Trajectory {
  Outcome outcome;
  std::vector<double> states;   // [time][state]; rows after a failure are NaN
  std::vector<double> outputs;  // [time][output]
  std::size_t rows_reached = 0;
  std::vector<ExecutedEvent> events;  // in their order
  std::vector<UsedUp> used_up;        // in their order
  // If asked for and reached: everything at the last time, for a request to go on from.
  std::shared_ptr<const Continuation> end;
};

// Why the method asked for cannot run this problem; empty if it can. Running it all the same throws
// std::invalid_argument.
std::string refusal(const Problem& problem, const IntegrationOptions& options);

Trajectory simulate(const Problem& problem, const Request& request,
                    const IntegrationOptions& options);

// With somebody told of every step and switch. One lane; the problem's lanes must be 1.
Trajectory simulate_observed(const Problem& problem, const Request& request,
                             const IntegrationOptions& options, class StepObserver& observer);

// Runs one trajectory after another in the same memory, for callers that time or fit. Fills states
// and outcome, not outputs. Lanes beyond the first compute along.
class Simulator {
 public:
  Simulator(const Problem& problem, const IntegrationOptions& options);
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;
  void run(const Request& request, Trajectory& result);
  IntegrationOptions& options() { return options_; }  // all but the method may change between runs

 private:
  Problem problem_;
  IntegrationOptions options_;
  std::unique_ptr<class Driver> driver_;
};

// Many trajectories of one problem, in the problem's lanes, on `threads` threads. The result of
// each is the same for any number of threads and any order.
std::vector<Trajectory> simulate_many(const Problem& problem, std::span<const Request> requests,
                                      const IntegrationOptions& options, int threads);

// An integrator of the registry, for `stiffit methods`.
struct MethodInfo {
  std::string_view name, family, order, stability, use;
};
const std::vector<MethodInfo>& methods();
bool is_method(std::string_view name);

}  // namespace stiffit::internal
