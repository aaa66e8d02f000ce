// SPDX-License-Identifier: Apache-2.0
#include "analysis/ensemble/method_selection.h"

#include <algorithm>

#include "ode/method_registry.h"
#include "ode/methods/automatic/automatic_choice.h"

namespace stiffit::internal {
namespace {

constexpr double clearly = 1.3;  // times cheaper: other samples may be stiffer than these

// What the requests come to by one method; not done if one has not come to its end.
struct Trial {
  bool done = true;
  Counters counters;
  long steps() const { return counters.steps + counters.rejected; }
};

Trial try_out(const Problem& problem, std::span<const Request> requests,
              const IntegrationOptions& options) {
  Trial trial;
  for (const Trajectory& run : simulate_many(problem, requests, options, 1)) {
    trial.done &= run.outcome.status == Status::done;
    const Counters& own = run.outcome.counters;
    trial.counters.steps += own.steps;
    trial.counters.rejected += own.rejected;
    trial.counters.f += own.f;
    trial.counters.j += own.j;
    trial.counters.lu += own.lu;
    trial.counters.newton += own.newton;
  }
  return trial;
}

}  // namespace

IntegrationOptions select_method(const Problem& problem, std::span<const Request> requests,
                                 const IntegrationOptions& options) {
  const Program& program = *problem.program;
  if (find_method(options.method)->role != MethodRole::standard || program.lanes == 1 ||
      program.hybrid || !program.mass.empty() || options.fixed_step > 0 || program.states == 0)
    return options;
  const bool multistep = bdf_may_pay(problem);
  const std::size_t enough = multistep ? program.lanes : pilot_samples;
  requests = requests.first(std::min(requests.size(), enough));
  IntegrationOptions rosenbrock = options, bdf = options, explicit_one = options;
  rosenbrock.method = method_name(MethodRole::stiff);
  const Trial implicit = try_out(problem, requests, rosenbrock);
  if (!implicit.done || implicit.steps() == 0) return options;
  explicit_one.method = method_name(MethodRole::non_stiff);
  explicit_one.rtol /= explicit_strictness;
  if (options.atol > 0) explicit_one.atol /= explicit_strictness;
  const double affordable =
      rosenbrock_worth(problem) / clearly * static_cast<double>(implicit.steps());
  explicit_one.max_steps = std::min(options.max_steps, static_cast<long>(affordable) + 1);
  if (const Trial trial = try_out(problem, requests, explicit_one);
      trial.done && static_cast<double>(trial.steps()) <= affordable) {
    explicit_one.max_steps = options.max_steps;
    return explicit_one;
  }
  if (!multistep) return options;
  bdf.method = method_name(MethodRole::large_stiff);
  const Trial trial = try_out(problem, requests, bdf);
  const bool cheaper =
      clearly * bdf_cost(problem, trial.counters) < rosenbrock_cost(problem, implicit.counters);
  return trial.done && cheaper ? bdf : options;
}

}  // namespace stiffit::internal
