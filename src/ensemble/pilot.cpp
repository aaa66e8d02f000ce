// SPDX-License-Identifier: Apache-2.0
#include "ensemble/pilot.h"

#include <algorithm>

#include "integrate/automatic_choice.h"

namespace stiffit {
namespace {

constexpr std::size_t most_samples = 16;
constexpr double clearly = 1.3;  // times cheaper: other samples may be stiffer than these

}  // namespace

IntegrationOptions pilot(const Problem& problem, std::span<const Request> requests,
                         const IntegrationOptions& options) {
  const Program& program = *problem.program;
  if (options.method != "automatic" || program.lanes == 1 || program.hybrid ||
      !program.mass.empty() || options.fixed_step > 0 || program.states == 0)
    return options;
  requests = requests.first(std::min(requests.size(), most_samples));
  // The steps of all, or a negative number if one has not come to its end.
  auto steps = [&](const IntegrationOptions& trial) {
    long sum = 0;
    for (const Trajectory& run : simulate_many(problem, requests, trial, 1)) {
      if (run.outcome.status != Status::done) return -1L;
      sum += run.outcome.counters.steps + run.outcome.counters.rejected;
    }
    return sum;
  };
  IntegrationOptions rosenbrock = options, explicit_one = options;
  rosenbrock.method = "rodas5p";
  explicit_one.method = "dopri5";
  explicit_one.rtol /= explicit_strictness;
  if (options.atol > 0) explicit_one.atol /= explicit_strictness;
  const long implicit_steps = steps(rosenbrock);
  if (implicit_steps <= 0) return options;
  const double affordable =
      rosenbrock_worth(problem) / clearly * static_cast<double>(implicit_steps);
  explicit_one.max_steps = std::min(options.max_steps, static_cast<long>(affordable) + 1);
  const long explicit_steps = steps(explicit_one);
  if (explicit_steps < 0 || static_cast<double>(explicit_steps) > affordable) return options;
  explicit_one.max_steps = options.max_steps;
  return explicit_one;
}

}  // namespace stiffit
