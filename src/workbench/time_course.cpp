// SPDX-License-Identifier: Apache-2.0
#include "workbench/time_course.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/diagnostic.h"
#include "base/number.h"
#include "ensemble/ensemble.h"
#include "workbench/check_start.h"
#include "workbench/command_line.h"
#include "workbench/model_settings.h"

namespace stiffit {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double start_of(const Model& model, const TimeCourseOptions& options) {
  return std::isnan(options.start) ? model.start_time : options.start;
}

Output named_output(ResolvedSystem& resolved, const Model& model, const std::string& name) {
  if (auto output = resolved.find(name)) return *output;
  std::vector<std::string> names = model.all_ids();
  for (const Species& s : model.species) {
    names.push_back("[" + s.id + "]");
    names.push_back("amount(" + s.id + ")");
  }
  for (const Reaction& r : model.reactions) names.push_back("rate(" + r.id + ")");
  std::string nearest = nearest_name(name, names);
  throw UsageError(
      "--show: the model has nothing called '" + name + "'",
      nearest.empty() ? "'stiffit info' lists what it has" : "did you mean '" + nearest + "'?");
}

std::vector<Output> chosen_columns(ResolvedSystem& resolved, const Model& model,
                                   const TimeCourseOptions& options) {
  std::vector<Output> columns;
  if (options.show.empty()) columns = resolved.columns;
  for (const std::string& name : options.show)
    columns.push_back(named_output(resolved, model, name));
  if (options.amounts)
    for (Output& column : columns)
      if (model.find(column.name).kind == SymbolKind::species)
        column = resolved.find("amount(" + column.name + ")").value();
  return columns;
}

}  // namespace

std::vector<double> output_times(const Model& model, const TimeCourseOptions& options) {
  double start = start_of(model, options);
  if (!options.times.empty()) {
    if (!std::is_sorted(options.times.begin(), options.times.end()))
      throw UsageError("--times must ascend");
    if (options.times.front() < start)
      throw UsageError("--times begin at " + format_number(options.times.front()) +
                       ", before the start at " + format_number(start));
    return options.times;
  }
  double customary = std::isnan(model.end_time) ? default_end : model.end_time;
  double end = std::isnan(options.end) ? customary : options.end;
  if (!(end > start))
    throw UsageError("the end at " + format_number(end) + " is not after the start at " +
                     format_number(start));
  std::vector<double> times;
  auto n = static_cast<double>(options.points);
  for (long i = 0; i < options.points; ++i)
    times.push_back(start + (end - start) * static_cast<double>(i) / n);
  times.push_back(end);
  return times;
}

PreparedCourse prepare_course(std::shared_ptr<const Model> original,
                              const TimeCourseOptions& options,
                              const std::vector<std::string>& varied) {
  PreparedCourse course;
  course.model = with_settings(std::move(original), options.set);
  course.request.start = start_of(*course.model, options);
  course.request.times = output_times(*course.model, options);
  SystemOptions system_options;
  system_options.start_time = course.request.start;
  system_options.varied.insert(varied.begin(), varied.end());
  course.resolved = resolve(course.model, system_options);
  require_sound_start(*course.model, course.resolved.system);
  course.columns = chosen_columns(course.resolved, *course.model, options);
  ProgramOptions program_options;
  program_options.lanes =
      options.lanes > 0 ? options.lanes : ensemble_lanes(course.resolved.system);
  course.problem = make_problem(compile(course.resolved.system, course.columns, program_options));
  if (std::string reason = refusal(course.problem, options.integration); !reason.empty())
    throw UsageError(reason);
  return course;
}

TimeCourse time_course(std::shared_ptr<const Model> model, const TimeCourseOptions& options) {
  auto began = std::chrono::steady_clock::now();
  PreparedCourse prepared = prepare_course(std::move(model), options);
  const Request& request = prepared.request;

  TimeCourse course;
  course.method = options.integration.method;
  course.seconds.compile = seconds_since(began);
  began = std::chrono::steady_clock::now();
  Trajectory trajectory = simulate(prepared.problem, request, options.integration);
  course.seconds.integrate = seconds_since(began);

  course.outcome = trajectory.outcome;
  if (course.outcome.status != Status::done)
    course.explanation = describe(course.outcome, prepared.problem.program->state_names);
  for (const Output& column : prepared.columns) course.columns.push_back(column.name);
  course.times = request.times;
  course.times.resize(std::min(request.times.size(), trajectory.rows_reached));
  course.values = std::move(trajectory.outputs);
  course.values.resize(course.times.size() * course.columns.size());
  return course;
}

}  // namespace stiffit
