// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/live_courses.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "analysis/pipeline/fixed_step_check.h"
#include "base/number.h"
#include "base/option_error.h"

namespace stiffit::internal {

// A compiled form; shared by threads, never changed.
struct LiveCourses::Course {
  Problem problem;
  std::vector<std::string> columns;
  std::string warnings;                                     // about the start, rendered
  std::map<std::string, std::size_t, std::less<>> movable;  // parameters that values may be set of
};

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// An initial value may be given as an amount where the name means a concentration, or the reverse;
// the parameter then is not what a setting of that name sets.
bool means_its_name(const Model& model, Ref ref) {
  if (ref.kind != SymbolKind::species) return true;
  const Species& s = model.species[ref.index];
  return s.compartment < 0 || s.initial_is_amount == s.in_amount;
}

// Names that this form cannot move.
template <class Movable>
std::vector<std::string> fixed_names(const Movable& movable,
                                     const std::map<std::string, double>& set) {
  std::vector<std::string> names;
  for (const auto& [name, value] : set)
    if (!movable.contains(name)) names.push_back(name);
  return names;
}

}  // namespace

std::shared_ptr<const LiveCourses::Course> LiveCourses::course(
    const std::shared_ptr<const Model>& model, const std::string& of, const LiveRequest& request,
    const std::vector<std::string>& built_in) {
  std::string key =
      of + (request.options.amounts ? "a" : "c") + format_number(request.options.start);
  for (const std::string& name : request.options.show) key += '\n' + name;
  key += '\0';
  for (const std::string& name : built_in) key += '\n' + name;
  if (auto found = courses_.find(key)) return found;

  TimeCourseOptions options = request.options;
  options.integration = {};  // any method may run it afterwards
  for (const std::string& name : built_in)
    options.set.values.emplace_back(name, request.set.at(name));
  PreparedCourse prepared = prepare_course(model, options, built_in);
  auto course = std::make_shared<Course>();
  course->problem = prepared.problem;
  course->warnings = prepared.warnings;
  for (const Output& column : prepared.columns) course->columns.push_back(column.name);
  const auto& parameters = prepared.resolved.system.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!parameters[i].folded && means_its_name(*prepared.model, parameters[i].ref))
      course->movable.emplace(parameters[i].name, i);
  ++compiled_;
  courses_.put(key, course);
  return course;
}

TimeCourse LiveCourses::simulate(const std::shared_ptr<const Model>& model, const std::string& key,
                                 const LiveRequest& request) {
  const auto began = std::chrono::steady_clock::now();
  TimeCourse result;
  std::shared_ptr<const Course> compiled = course(model, key, request, {});
  const auto width = compiled->columns.size() + compiled->problem.program->states;
  const std::size_t rows =
      request.options.times.empty() ? request.options.points : request.options.times.size();
  if (rows > request.most_values / (width + 1)) throw TooManyValues();
  std::vector<std::string> fixed = fixed_names(compiled->movable, request.set);
  if (!fixed.empty()) {
    compiled = course(model, key, request, fixed);
    // A name like [S] sets S and is no parameter itself: its value is part of this one form.
    if (!fixed_names(compiled->movable, request.set).empty()) {
      LiveRequest exact = request;
      for (const auto& [name, value] : request.set)
        exact.options.set.values.emplace_back(name, value);
      return time_course(model, exact.options);
    }
  }
  if (std::string reason = refusal(compiled->problem, request.options.integration); !reason.empty())
    throw OptionError(reason);

  Request run;
  run.start = std::isnan(request.options.start) ? model->start_time : request.options.start;
  run.times = output_times(*model, request.options);
  run.parameters = compiled->problem.program->parameter_values;
  run.parameters.resize(compiled->problem.program->parameters);
  for (const auto& [name, value] : request.set) run.parameters[compiled->movable.at(name)] = value;
  result.seconds.compile = seconds_since(began);
  const auto started = std::chrono::steady_clock::now();
  Trajectory trajectory =
      stiffit::internal::simulate(compiled->problem, run, request.options.integration);
  result.seconds.integrate = seconds_since(started);
  if (request.options.integration.fixed_step > 0)
    judge_fixed_steps(compiled->problem, run, request.options.integration, trajectory,
                      result.notes);
  result.columns = compiled->columns;
  if (request.set.empty()) result.warnings = compiled->warnings;  // they are about its own values
  take_trajectory(result, std::move(trajectory), run.times, *compiled->problem.program);
  result.method = request.options.integration.method;
  return result;
}

}  // namespace stiffit::internal
