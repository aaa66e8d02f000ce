// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/time_course.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "analysis/ensemble/ensemble.h"
#include "analysis/pipeline/fixed_step_check.h"
#include "base/diagnostic.h"
#include "base/number.h"
#include "base/option_error.h"
#include "sensitivity/output_sensitivities.h"
#include "symbolic/checks/check_start.h"
#include "symbolic/resolve_run.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t most_notes = 20;

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
  throw OptionError(
      option("show") + ": the model has nothing called '" + name + "'",
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

// What a name of --sensitivities moves: a parameter, a compartment, or an initial value.
Direction direction_of(const System& system, const Model& model, const std::string& name) {
  const int index = system.parameter_index(name);
  if (index >= 0) return {{{index, 1.0}}};
  if (model.find(name).kind != SymbolKind::none)
    throw OptionError(option("sensitivities") + ": the value of '" + name +
                          "' follows from a rule, reaction or initial assignment",
                      "derivatives are taken by parameters, compartments and initial values");
  std::vector<std::string> names;
  for (const SystemParameter& parameter : system.parameters) names.push_back(parameter.name);
  const std::string nearest = nearest_name(name, names);
  throw OptionError(
      option("sensitivities") + ": the model has nothing called '" + name + "'",
      nearest.empty() ? "'stiffit info' lists what it has" : "did you mean '" + nearest + "'?");
}

void add_sensitivity_columns(std::vector<Output>& columns, const std::vector<std::string>& by) {
  const std::size_t plain = by.empty() ? 0 : columns.size();
  for (std::size_t k = 0; k < plain; ++k)
    for (const std::string& name : by)
      columns.push_back({"d(" + columns[k].name + ")/d(" + name + ")", 0});
}

// The trajectory with outputs widened by their derivatives: [time][column, then column by name].
Trajectory with_sensitivities(PreparedCourse& prepared, const TimeCourseOptions& options,
                              std::chrono::steady_clock::time_point& began, Stopwatch& seconds) {
  System& system = prepared.resolved.system;
  const Request& request = prepared.request;
  const Problem& problem = prepared.problem;
  const std::vector<Output>& columns = prepared.columns;
  SensitivityRequest wanted;
  wanted.run = request;
  std::vector<int> indices;
  for (const std::string& name : options.sensitivities) {
    wanted.directions.push_back(direction_of(system, *prepared.model, name));
    indices.push_back(wanted.directions.back().parameters.front().first);
  }
  auto derivatives = make_sensitivity_problem(system, problem, indices);
  const OutputSensitivities outputs(system, columns, indices);
  seconds.compile += seconds_since(began);
  began = std::chrono::steady_clock::now();
  SensitivityTrajectory run =
      simulate_sensitivities(*derivatives, wanted, {options.integration, true});
  Trajectory result = std::move(run.trajectory);
  const std::size_t plain = columns.size(), by = indices.size(), n = system.states.size();
  std::vector<double> widened, row(plain * by);
  for (std::size_t k = 0; k < result.rows_reached; ++k) {
    outputs.evaluate(request.times[k], result.states.data() + k * n,
                     problem.program->parameter_values, run.sensitivities.data() + k * n * by,
                     wanted.directions, row.data());
    const auto first = result.outputs.begin() + k * plain;
    widened.insert(widened.end(), first, first + plain);
    widened.insert(widened.end(), row.begin(), row.end());
  }
  result.outputs = std::move(widened);
  return result;
}

}  // namespace

std::vector<double> output_times(const Model& model, const TimeCourseOptions& options) {
  double start = start_of(model, options);
  if (!options.times.empty()) {
    if (!std::is_sorted(options.times.begin(), options.times.end()))
      throw OptionError(option("times") + " must ascend");
    if (options.times.front() < start)
      throw OptionError(option("times") + " begin at " + format_number(options.times.front()) +
                        ", before the start at " + format_number(start));
    return options.times;
  }
  double customary = std::isnan(model.end_time) ? default_end : model.end_time;
  double end = std::isnan(options.end) ? customary : options.end;
  if (!(end > start))
    throw OptionError("the end at " + format_number(end) + " is not after the start at " +
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
  course.resolved = resolve_run(course.model, system_options);
  course.warnings = require_sound_start(*course.model, course.resolved);
  course.columns = chosen_columns(course.resolved, *course.model, options);
  ProgramOptions program_options;
  program_options.lanes =
      options.lanes > 0 ? options.lanes : ensemble_lanes(course.resolved.system);
  course.problem = make_problem(compile(course.resolved.system, course.columns, program_options));
  if (std::string reason = refusal(course.problem, options.integration); !reason.empty())
    throw OptionError(reason);
  return course;
}

const char* word_for(Status status) {
  switch (status) {
    case Status::done:
      return "done";
    case Status::too_many_steps:
      return "too-many-steps";
    case Status::step_too_small:
      return "step-too-small";
    case Status::not_finite:
      return "not-finite";
    case Status::interrupted:
      return "interrupted";
    case Status::unstable:
      return "unstable";
  }
  return "unknown";
}

void take_trajectory(TimeCourse& course, Trajectory trajectory, const std::vector<double>& times,
                     const Program& program) {
  course.outcome = trajectory.outcome;
  for (const UsedUp& used : trajectory.used_up) {
    const std::string note = program.vanishing[used.base].name + " is used up at time " +
                             format_short(used.time, 6) +
                             ": its rate law of fractional order vanishes there, and it stays at "
                             "zero until it is made again";
    if (course.notes.size() < most_notes) course.notes.push_back(note);
  }
  if (course.outcome.status != Status::done)
    course.explanation = describe(course.outcome, program.state_names);
  course.below_zero = describe_below_zero(course.outcome, program.state_names);
  course.times = times;
  course.times.resize(std::min(times.size(), trajectory.rows_reached));
  course.values = std::move(trajectory.outputs);
  course.values.resize(course.times.size() * course.columns.size());
}

TimeCourse time_course(std::shared_ptr<const Model> model, const TimeCourseOptions& options) {
  auto began = std::chrono::steady_clock::now();
  PreparedCourse prepared = prepare_course(std::move(model), options, options.sensitivities);
  const Request& request = prepared.request;

  TimeCourse course;
  course.warnings = prepared.warnings;
  course.method = options.integration.method;
  course.seconds.compile = seconds_since(began);
  began = std::chrono::steady_clock::now();
  Trajectory trajectory = options.sensitivities.empty()
                              ? simulate(prepared.problem, request, options.integration)
                              : with_sensitivities(prepared, options, began, course.seconds);
  course.seconds.integrate = seconds_since(began);
  if (options.integration.fixed_step > 0)
    judge_fixed_steps(prepared.problem, request, options.integration, trajectory, course.notes);
  add_sensitivity_columns(prepared.columns, options.sensitivities);

  for (const Output& column : prepared.columns) course.columns.push_back(column.name);
  take_trajectory(course, std::move(trajectory), request.times, *prepared.problem.program);
  return course;
}

}  // namespace stiffit::internal
