// SPDX-License-Identifier: Apache-2.0
#include "workbench/verify_course.h"

#include <algorithm>

#include "base/number.h"
#include "workbench/command_line.h"

namespace stiffit {
namespace {

constexpr double tighter = 100;
constexpr double smallest_rtol = 1e-13;  // beyond it rounding is larger than the errors
constexpr std::size_t large = 500;       // species: LU of Runge-Kutta methods is costly there

// Those that bear anything, the best judge first; none that took part in the course itself.
std::vector<std::string> judges(const Model& model, const TimeCourseOptions& options,
                                const TimeCourse& course) {
  std::vector<std::string> names{"radau", "bdf", "rodas5p", "cvodes"};
  if (model.species.size() > large) names = {"bdf", "cvodes", "rodas5p", "radau"};
  if (!options.sensitivities.empty()) names = {"bdf", "rodas5p"};
  const bool unsaid = course.method == "automatic" && course.outcome.used.empty();
  std::erase_if(names, [&](const std::string& name) {
    return name == course.method || (unsaid && name == "rodas5p") ||
           course.outcome.used.find(name) != std::string::npos;
  });
  return names;
}

}  // namespace

Verification verify_course(const std::shared_ptr<const Model>& model,
                           const TimeCourseOptions& options, const TimeCourse& course) {
  Verification v;
  TimeCourseOptions tight = options;
  IntegrationOptions& o = tight.integration;
  v.rtol = o.rtol = std::max(o.rtol / tighter, smallest_rtol);
  if (o.atol > 0) o.atol /= tighter;
  o.fixed_step = o.initial_step = 0;
  o.max_order = 0;
  o.eigenvalues.clear();
  o.max_steps = std::max(10 * o.max_steps, 10 * course.outcome.counters.steps);
  tight.lanes = 1;
  for (const std::string& name : judges(*model, options, course)) {
    o.method = name;
    try {
      const TimeCourse judge = time_course(model, tight);
      if (judge.outcome.status == Status::done) {
        v.method = name;
        add_differences(v.difference, judge, course, course.columns);
        return v;
      }
      v.tried.push_back(name + ": " + judge.explanation);
      if (judge.outcome.status == Status::interrupted) break;
    } catch (const UsageError& refused) {  // the method is not for such a model
      v.tried.push_back(name + ": " + refused.what());
    }
  }
  return v;
}

std::string text_of(const Verification& v) {
  if (!v.done()) {
    std::string text = "error: the time course could not be verified\n";
    for (const std::string& line : v.tried) text += "  " + line + "\n";
    return text;
  }
  return "verified with " + v.method + " at relative tolerance " + format_short(v.rtol) +
         ": at most " + format_short(v.difference.worst, 2) + " of a column's maximum apart\n" +
         text_of(v.difference);
}

void write_json(JsonWriter& json, const Verification& v) {
  json.begin_object().member("method", v.method).member("rtol", v.rtol);
  json.member("status", v.done() ? "done" : "failed").member("tried", v.tried);
  write_json(json, v.difference);
  json.end_object();
}

}  // namespace stiffit
