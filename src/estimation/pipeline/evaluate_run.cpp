// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/evaluate_run.h"

#include <chrono>

#include "estimation/pipeline/evaluate_fields.h"

namespace stiffit {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
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
  run.evaluation = run.objective->evaluate(run.theta, options.hessian ? Need::fisher
                                                      : gradient      ? Need::gradient
                                                                      : Need::value);
  run.seconds = since(began);
  if (options.check && run.evaluation.ok())
    run.check = check_methods(
        *run.objective, how, run.theta,
        {options.difference_rtol, static_cast<std::size_t>(options.sample), options.seed});
  return run;
}

}  // namespace stiffit
