// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/evaluate_run.h"

#include <chrono>
#include <cmath>

#include "base/number.h"
#include "estimation/pipeline/evaluate_fields.h"

namespace stiffit::internal {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string percent(double share) {
  return std::isfinite(share) ? format_short(100 * share, 2) + " %" : "an unknown share";
}

void settle(EvaluateRun& run, const ObjectiveOptions& how, Need need) {
  SettledGradient gradient =
      settle_gradient(*run.objective, how, run.theta, need, std::move(run.evaluation));
  if (gradient.rtol < how.integration.rtol)
    run.messages.push_back("note: at rtol " + format_short(how.integration.rtol, 3) +
                           " entries of the gradient are off by up to " +
                           percent(gradient.first_error) + "; it was integrated with rtol " +
                           format_short(gradient.rtol, 3));
  if (!gradient.settled())
    run.messages.push_back(
        "warning: the gradient still moves with the tolerance; entries may be off by " +
        percent(gradient.error));
  run.evaluation = std::move(gradient.evaluation);
  run.rtol = gradient.rtol;
}

}  // namespace

EvaluateRun run_evaluate(FitProblem problem, const api::EvaluateOptions& options,
                         const FileReader& read) {
  const bool gradient = options.gradient || options.check;
  ObjectiveOptions how = objective_options(options.objective);
  how.derivatives = gradient || options.hessian;
  EvaluateRun run;
  auto began = Clock::now();
  run.objective = std::make_unique<ProblemObjective>(std::move(problem), how);
  run.theta = parameter_point(*run.objective, options.at, options.seed, read);
  run.compile = since(began);
  began = Clock::now();
  const Need need = options.hessian ? Need::fisher : gradient ? Need::gradient : Need::value;
  run.evaluation = run.objective->evaluate(run.theta, need);
  run.seconds = since(began);
  run.rtol = how.integration.rtol;
  if (options.settle && gradient && !options.check && run.evaluation.ok()) settle(run, how, need);
  if (const long forward = run.objective->adjoint_retreats().forward; forward > 0)
    run.messages.push_back("note: the adjoint of " + std::to_string(forward) +
                           " experiments is not accurate enough by its own estimate; they went "
                           "forward");
  if (options.check && run.evaluation.ok())
    run.check = check_methods(
        *run.objective, how, run.theta,
        {options.difference_rtol, static_cast<std::size_t>(options.sample), options.seed});
  return run;
}

}  // namespace stiffit::internal
