// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/model_stiffness.h"

#include <cmath>

#include "analysis/stiffness/spectrum.h"
#include "base/diagnostic.h"
#include "symbolic/checks/check_start.h"
#include "symbolic/resolve_run.h"

namespace stiffit::internal {

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

std::vector<ModelSpectrum> model_spectra(const std::shared_ptr<const Model>& model,
                                         const TimeCourseOptions& options, int most_states) {
  std::vector<ModelSpectrum> list;
  const PreparedCourse course = prepare_course(model, options);
  const Program& program = *course.problem.program;
  if (program.states == 0 || program.states > most_states || program.inputs > 0) return list;
  const Trajectory run = simulate(course.problem, course.request, options.integration);
  SpectrumFinder finder(course.problem);
  const auto* stop = options.integration.interrupt;
  for (std::size_t row = 0; row < run.rows_reached && !(stop && stop->load()); ++row) {
    const double* state = run.states.data() + row * static_cast<std::size_t>(program.states);
    const double time = course.request.times[row];
    list.push_back({time, finder.at(time, state, program.parameter_values, {false, true}).all});
  }
  return list;
}

api::Stiffness public_stiffness(const ModelStiffness& found) {
  const Stiffness& s = found.stiffness;
  auto pairs = [](const std::vector<Share>& shares) {
    std::vector<std::pair<std::string, double>> list;
    for (const Share& share : shares) list.emplace_back(share.name, share.share);
    return list;
  };
  api::Stiffness result;
  for (const StiffnessRow& row : s.rows) {
    result.times.push_back(row.time);
    result.index.push_back(row.index);
    result.tau.push_back(row.tau);
    result.lambda_min.push_back(row.lambda_min);
    result.lambda_max.push_back(row.lambda_max);
    result.fastest.push_back(row.fastest < 0 ? "" : found.names[row.fastest]);
  }
  result.span = found.span;
  result.max_index = s.max_index;
  result.peak_time = s.peak.time;
  result.peak_index = s.peak.index;
  result.peak_tau = s.peak.tau;
  result.peak_lambda_min = s.peak.lambda_min;
  result.peak_lambda_max = s.peak.lambda_max;
  result.ratio = s.ratio;
  result.explicit_steps = s.explicit_steps;
  result.verdict = word(s.verdict);
  result.recommended = s.recommended;
  result.species = pairs(s.species);
  result.reactions = pairs(s.reactions);
  result.eigenvalues = s.at_peak;
  result.status = word_for(s.outcome.status);
  if (s.outcome.status != Status::done) result.explanation = describe(s.outcome, found.names);
  return result;
}

}  // namespace stiffit::internal
