// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/course_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace stiffit::internal {
namespace {

// Species that stand alone in the formula of something measured.
std::set<int> measured_species(const FitProblem& problem) {
  std::set<int> found;
  for (const Measurement& m : problem.measurements) {
    const ProblemObservable& o = problem.observables[m.observable];
    const Model& model = *problem.model;
    const ExprId formula = model.observables[o.formula].value;
    const ExprNode& node = model.expressions[formula];
    if (node.op == Op::symbol && node.ref.kind == SymbolKind::species) found.insert(node.ref.index);
  }
  return found;
}

struct Extent {
  double first = std::numeric_limits<double>::quiet_NaN(), last = first;
};

Extent times_of(const FitProblem& problem, std::size_t experiment) {
  Extent span;
  for (const Period& period : problem.experiments[experiment].periods)
    if (std::isfinite(period.start)) {
      span.first = period.start;
      break;
    }
  if (problem.experiments[experiment].periods.empty()) span.first = 0;
  for (const Measurement& m : problem.measurements)
    if (m.experiment == static_cast<int>(experiment) && std::isfinite(m.time))
      span.last = std::isnan(span.last) ? m.time : std::max(span.last, m.time);
  return span;
}

void make_courses(FitProblem& problem, int intervals, std::vector<CoursePoint>& points) {
  auto model = std::make_shared<Model>(*problem.model);
  const std::set<int> known = measured_species(problem);
  const std::vector<ProblemObservable> former = problem.observables;
  std::vector<char> used(former.size(), 0);
  for (const Measurement& m : problem.measurements) used[m.observable] = 1;
  for (std::size_t k = 0; k < former.size(); ++k)  // the first stands for those with other noise
    for (std::size_t other = 0; other < k; ++other)
      if (former[other].formula == former[k].formula) used[other] |= used[k];
  const int noise = static_cast<int>(model->observables.size());
  model->observables.push_back({"noise of courses", model->expressions.number(1), {}});
  std::vector<ProblemObservable> quantities;
  std::vector<CoursePoint> kinds;
  for (std::size_t i = 0; i < model->species.size(); ++i) {
    const Species& species = model->species[i];
    if (species.constant) continue;
    ProblemObservable o;
    o.id = species.id;
    o.formula = static_cast<int>(model->observables.size());
    o.noise = noise;
    model->observables.push_back(
        {"course of " + species.id,
         model->expressions.symbol({SymbolKind::species, static_cast<int>(i)}),
         {}});
    quantities.push_back(o);
    kinds.push_back({"", 0, species.id, false, known.contains(static_cast<int>(i))});
  }
  for (std::size_t k = 0; k < former.size(); ++k) {
    // Those of the noise play no part here.
    const std::size_t of_noise = former[k].noise_placeholders;
    if (former[k].placeholders.size() > of_noise ||
        model->find(former[k].id).kind == SymbolKind::species)
      continue;
    // The same with other noise.
    if (std::any_of(former.begin(), former.begin() + static_cast<std::ptrdiff_t>(k),
                    [&](const ProblemObservable& o) { return o.formula == former[k].formula; }))
      continue;
    ProblemObservable o;
    o.id = former[k].id;
    o.formula = former[k].formula;
    o.noise = noise;
    quantities.push_back(o);
    kinds.push_back({"", 0, o.id, true, used[k] != 0});
  }
  std::vector<Measurement> measurements;
  for (std::size_t e = 0; e < problem.experiments.size(); ++e) {
    const Extent span = times_of(problem, e);
    if (std::isnan(span.first) || std::isnan(span.last)) continue;
    const int count = span.last > span.first ? intervals : 0;
    for (int k = 0; k <= count; ++k)
      for (std::size_t q = 0; q < quantities.size(); ++q) {
        Measurement m;
        m.observable = static_cast<int>(q);
        m.experiment = static_cast<int>(e);
        m.time = k == count ? span.last : span.first + (span.last - span.first) * k / count;
        m.value = 0;
        m.row = static_cast<int>(points.size());
        measurements.push_back(m);
        CoursePoint point = kinds[q];
        point.experiment = problem.experiments[e].id;
        point.time = m.time;
        points.push_back(std::move(point));
      }
  }
  problem.model = std::move(model);
  problem.observables = std::move(quantities);
  problem.measurements = std::move(measurements);
}

}  // namespace

CourseProblem course_problem(const FitProblem& problem, int intervals) {
  CourseProblem course{problem, {}};
  course.problem.unknown_noise = false;
  for (ProblemParameter& p : course.problem.parameters) p.prior = Prior();
  if (course.problem.parts.empty()) make_courses(course.problem, intervals, course.points);
  for (FitProblem& part : course.problem.parts) {
    part.unknown_noise = false;
    make_courses(part, intervals, course.points);
  }
  return course;
}

}  // namespace stiffit::internal
