// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/fitted_data.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/diagnostic.h"
#include "base/number.h"
#include "estimation/objective/likelihood.h"

namespace stiffit::internal {
namespace {

std::vector<const FitProblem*> parts_of(const FitProblem& problem) {
  std::vector<const FitProblem*> parts;
  if (problem.model) parts.push_back(&problem);
  for (const FitProblem& part : problem.parts) parts.push_back(&part);
  return parts;
}

std::string placeholder_words(const ProblemObservable& o, const Measurement& m) {
  std::string text;
  const std::size_t count = m.placeholders.size() - o.noise_placeholders;
  for (const PlaceholderValue& p : std::span(m.placeholders).first(count))
    text += " " + (p.parameter >= 0 ? "p" + std::to_string(p.parameter) : format_number(p.number));
  return text;
}

FittedDatum datum_of(const FitProblem& part, const Measurement& m, const Prediction& prediction,
                     double deviation) {
  const ProblemObservable& o = part.observables[m.observable];
  FittedDatum d;
  d.observable = o.id;
  d.experiment = part.experiments[m.experiment].id;
  d.dataset = m.dataset;
  d.time = m.time;
  d.measurement = m.value;
  d.simulation = prediction.value;
  d.noise = prediction.noise * deviation;
  d.transformation = o.transformation;
  d.kind = o.noise_kind;
  d.censoring = m.censoring;
  d.freedom = prediction.freedom;
  d.residual = -likelihood_term(o.transformation, o.noise_kind, m.value, d.simulation, d.noise,
                                m.censoring, d.freedom)
                    .residual;
  if (d.censoring != Censoring::none) d.residual = not_set;
  d.curve = placeholder_words(o, m);
  return d;
}

}  // namespace

std::vector<FittedDatum> fitted_data(const ProblemObjective& objective,
                                     const std::vector<double>& theta, double deviation,
                                     std::string& failure) {
  const std::vector<Prediction> predictions = objective.predict(theta, failure);
  std::vector<FittedDatum> data;
  if (!failure.empty()) return data;
  for (const FitProblem* part : parts_of(objective.problem()))
    for (std::size_t i = 0; i < part->measurements.size(); ++i) {
      const Measurement& m = part->measurements[i];
      const auto at = m.row >= 0 ? m.row : i;
      data.push_back(datum_of(*part, m, predictions[at], deviation));
    }
  return data;
}

FittedCurves fitted_curves(const FitProblem& problem, const ObjectiveOptions& options,
                           const std::vector<double>& theta, int intervals) {
  FittedCurves curves;
  CourseProblem course = course_problem(problem, intervals);
  if (course.points.empty()) return curves;
  ObjectiveOptions values = options;
  values.derivatives = false;
  try {
    const ProblemObjective objective(std::move(course.problem), values);
    std::string failure;
    const std::vector<Prediction> predictions = objective.predict(theta, failure);
    if (!failure.empty()) return curves;
    curves.points = std::move(course.points);
    for (const Prediction& p : predictions) curves.values.push_back(p.value);
  } catch (const InputError&) {
    // The fit stands without them.
  }
  return curves;
}

FittedModel fitted_model(const FitProblem& problem, const std::vector<EstimatedParameter>& unknowns,
                         const std::vector<double>& theta) {
  FittedModel fitted;
  const FitProblem& part = *parts_of(problem).front();
  Model model = *part.model;
  auto forget = [&](Ref target) {
    std::erase_if(model.initial_assignments,
                  [&](const InitialAssignment& a) { return a.target == target; });
  };
  for (std::size_t i = 0; i < model.parameters.size(); ++i)
    for (std::size_t u = 0; u < unknowns.size(); ++u)
      if (model.parameters[i].id == unknowns[u].id) {
        model.parameters[i].value = from_theta(theta[u], unknowns[u].scale);
        forget({SymbolKind::parameter, static_cast<int>(i)});
      }
  fitted.start = model.start_time;
  for (std::size_t e = 0; e < part.experiments.size(); ++e) {
    double last = -INFINITY;
    for (const Measurement& m : part.measurements)
      if (m.experiment == static_cast<int>(e) && std::isfinite(m.time))
        last = std::max(last, m.time);
    if (!std::isfinite(last)) continue;
    fitted.experiment = part.experiments[e].id;
    fitted.end = last;
    for (const Period& period : part.experiments[e].periods) {
      if (!std::isfinite(period.start)) continue;
      fitted.start = period.start;
      for (const ConditionAssignment& a : period.assignments) {
        forget(a.target);
        model.initial_assignments.push_back({a.target, a.value, {}});
      }
      break;
    }
    break;
  }
  fitted.model = std::make_shared<Model>(std::move(model));
  return fitted;
}

}  // namespace stiffit::internal
