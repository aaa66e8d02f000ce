// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/simulation_options.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/pipeline/comparison.h"
#include "analysis/pipeline/method_choice.h"
#include "runtime/distributed/load_channel.h"

namespace stiffit::internal {
namespace {

// Not a number: any.
double longest_step(double max_step) {
  return std::isnan(max_step) ? std::numeric_limits<double>::infinity() : max_step;
}

template <class Options>
TimeCourseOptions grid_of(const Options& o) {
  TimeCourseOptions course;
  course.start = o.start;
  course.end = o.end;
  course.points = o.points;
  course.set = model_settings(o);
  course.integration.max_step = longest_step(o.max_step);
  course.integration.interrupt = o.run.interrupt;
  return course;
}

template <class Options>
void take_method(IntegrationOptions& integration, const Options& o) {
  integration.method = o.method;
  integration.rtol = o.rtol;
  integration.atol = o.atol;
}

// Of a model that is run many times side by side, in as many lanes as the method allows.
template <class Options>
TimeCourseOptions many_runs(const Options& o) {
  TimeCourseOptions course = grid_of(o);
  take_method(course.integration, o);
  course.show = o.show;
  course.lanes = named_method(o.method).lanes ? 0 : 1;
  return course;
}

}  // namespace

int threads_of(const api::RunOptions& run) {
  constexpr int most = 1024;
  return std::min(run.threads > 0 ? run.threads : own_cores(), most);
}

TimeCourseOptions course_options(const api::SimulateOptions& o) {
  TimeCourseOptions course = grid_of(o);
  take_method(course.integration, o);
  course.times = o.times;
  course.show = o.show;
  course.amounts = o.amounts;
  course.sensitivities = o.sensitivities;
  course.lanes = o.lanes;
  course.integration.fixed_step = o.step;
  course.integration.max_steps = o.max_steps;
  course.integration.max_order = o.max_order;
  course.integration.eigenvalues = o.eigenvalues;
  return course;
}

TimeCourseOptions course_options(const api::StiffnessOptions& o) { return grid_of(o); }

TimeCourseOptions course_options(const api::CompareOptions& o) {
  TimeCourseOptions course = grid_of(o);
  course.integration = {};  // the reference has its own
  return course;
}

TimeCourseOptions course_options(const api::ParameterEnsembleOptions& o) { return many_runs(o); }

SteadyOptions steady_options(const api::SteadyOptions& o) {
  SteadyOptions steady;
  steady.integration.rtol = o.rtol;
  steady.integration.atol = o.atol;
  steady.integration.max_step = longest_step(o.max_step);
  steady.integration.interrupt = o.run.interrupt;
  steady.max_steps = o.max_steps;
  return steady;
}

CompareOptions compare_options(const api::CompareOptions& o) {
  CompareOptions compare;
  compare.methods = methods_to_compare(o.methods);
  compare.targets = o.errors;
  compare.most_steps = o.max_steps;
  compare.max_step = longest_step(o.max_step);
  compare.interrupt = o.run.interrupt;
  if (o.run.progress)
    compare.progress = [told = o.run.progress](int done, int of) {
      told(static_cast<double>(done) / of);
    };
  return compare;
}

ReductionOptions reduction_options(const api::ReduceOptions& o) {
  ReductionOptions reduction;
  reduction.fast = o.fast;
  reduction.constant = o.constant;
  reduction.composite = o.composite;
  reduction.polynomial = o.polynomial;
  reduction.course.end = o.end;
  reduction.course.points = o.points;
  reduction.course.set = model_settings(o);
  reduction.course.integration.rtol = o.rtol;
  reduction.course.integration.interrupt = o.run.interrupt;
  return reduction;
}

ScanOptions scan_options(const api::ScanOptions& o) {
  ScanOptions scan;
  scan.axes = o.vary;
  scan.course = many_runs(o);
  scan.threads = threads_of(o.run);
  return scan;
}

ModelStiffness model_stiffness(const std::shared_ptr<const Model>& model,
                               const api::StiffnessOptions& o) {
  return model_stiffness(with_settings(model, model_settings(o)), course_options(o), o.span);
}

SteadyAnswer steady_answer(const std::shared_ptr<const Model>& model, const api::SteadyOptions& o) {
  return steady_answer(with_settings(model, model_settings(o)), steady_options(o));
}

IntegrationOptions integration_options(const api::IntegrateOptions& o) {
  IntegrationOptions integration;
  take_method(integration, o);
  integration.fixed_step = o.step;
  integration.max_step = longest_step(o.max_step);
  integration.max_steps = o.max_steps;
  integration.max_order = o.max_order;
  integration.interrupt = o.run.interrupt;
  return integration;
}

PlannedEnsemble plan_ensemble(const std::shared_ptr<const Model>& model,
                              const api::ParameterEnsembleOptions& o) {
  PlannedEnsemble planned =
      plan_ensemble(model, course_options(o), parameter_distributions(o.sample));
  planned.plan.samples = o.samples;
  planned.plan.seed = o.seed;
  planned.plan.threads = threads_of(o.run);
  return planned;
}

}  // namespace stiffit::internal
