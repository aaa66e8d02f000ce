// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/model_stiffness.h"

#include <cmath>

#include "base/diagnostic.h"
#include "symbolic/checks/check_start.h"
#include "symbolic/resolve_run.h"

namespace stiffit {

std::vector<std::string> rate_names(const Model& model) {
  std::vector<std::string> names;
  for (const Reaction& r : model.reactions) names.push_back(r.id);
  for (const Rule& rule : model.rules)
    if (rule.kind == RuleKind::rate) names.push_back(model.id_of(rule.target) + "'");
  return names;
}

ModelStiffness model_stiffness(const std::shared_ptr<const Model>& model,
                               const TimeCourseOptions& options, double span) {
  Request request;
  request.start = std::isnan(options.start) ? model->start_time : options.start;
  request.times = output_times(*model, options);
  SystemOptions system_options;
  system_options.start_time = request.start;
  ResolvedSystem resolved = resolve_run(model, system_options);
  require_sound_start(*model, resolved);
  if (!resolved.system.delays.empty())
    throw InputError("error: the model has delays, and a delay has no eigenvalues to be stiff by");
  if (resolved.system.states.empty())
    throw InputError("error: nothing moves in this model, so nothing can be stiff");
  const Problem problem = make_problem(compile(resolved.system, {}));
  ModelStiffness found;
  found.names = problem.program->state_names;
  found.span = std::isnan(span) ? request.times.back() - request.start : span;
  found.stiffness = find_stiffness(resolved.system, rate_names(*model), problem, request,
                                   options.integration, found.span);
  return found;
}

}  // namespace stiffit
