// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/verify_course.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/option_error.h"
#include "ode/method_registry.h"

namespace stiffit::internal {
namespace {

constexpr double tighter = 100;
constexpr double smallest_rtol = 1e-13;  // beyond it rounding is larger than the errors
constexpr std::size_t large = 500;       // species: LU of Runge-Kutta methods is costly there
// Times the relative tolerance: errors of steps add up, but not to more than this.
constexpr double patience = 100;
// Fixed steps promise no error, but some resemblance.
constexpr double resemblance = 0.1;
constexpr double shortest_share = 1.0 / 997, beyond = 0.0618;  // of the time span

// Those that bear anything, the best judge first; none that took part in the course itself.
std::vector<std::string> judges(const Model& model, const TimeCourseOptions& options,
                                const TimeCourse& course) {
  using enum MethodRole;
  std::vector<MethodRole> roles{accurate_stiff, large_stiff, MethodRole::stiff, reference};
  if (model.species.size() > large)
    roles = {large_stiff, reference, MethodRole::stiff, accurate_stiff};
  if (!options.sensitivities.empty()) roles = {large_stiff, MethodRole::stiff};
  std::vector<std::string> names;
  for (const MethodRole role : roles) names.push_back(method_name(role));
  const bool unsaid = course.method == default_method() && course.outcome.used.empty();
  std::erase_if(names, [&](const std::string& name) {
    return name == course.method || (unsaid && name == method_name(MethodRole::stiff)) ||
           course.outcome.used.find(name) != std::string::npos;
  });
  return names;
}

// What is farther apart than the tolerances can explain.
void find_wrong(Verification& v, const IntegrationOptions& options, const TimeCourse& judge) {
  v.allowed = patience * options.rtol;
  if (options.fixed_step > 0) v.allowed = std::max(v.allowed, resemblance);
  const double absolute = options.atol > 0 ? patience * options.atol : 0;
  std::vector<ColumnDifference> wrong;
  const std::size_t n = v.difference.columns.size();
  for (std::size_t c = 0; c < n; ++c) {
    double magnitude = 0;
    for (std::size_t r = 0; r < judge.times.size(); ++r)
      magnitude = std::max(magnitude, std::fabs(judge.values[r * n + c]));
    const ColumnDifference& d = v.difference.columns[c];
    if (!(d.largest <= v.allowed * magnitude + absolute)) wrong.push_back(d);
  }
  std::stable_sort(wrong.begin(), wrong.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  for (const ColumnDifference& d : wrong)
    v.wrong.push_back("'" + d.name + "' is off by " + format_short(d.largest, 2) + ", " +
                      format_short(d.share, 2) + " of its maximum, at time " +
                      format_short(d.time));
}

// As far as the course itself goes.
void cut(TimeCourse& judge, std::size_t rows) {
  if (judge.times.size() <= rows) return;
  judge.times.resize(rows);
  judge.values.resize(rows * judge.columns.size());
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
  const double start = std::isnan(options.start) ? model->start_time : options.start;
  const double span = course.times.back() - start;
  if (span > 0) {
    tight.times = course.times;
    tight.times.push_back(course.times.back() + beyond * span);
    o.max_step = std::min(o.max_step, shortest_share * span);
  }
  for (const std::string& name : judges(*model, options, course)) {
    o.method = name;
    try {
      TimeCourse judge = time_course(model, tight);
      if (judge.times.size() >= course.times.size()) {
        v.method = name;
        cut(judge, course.times.size());
        add_differences(v.difference, judge, course, course.columns);
        find_wrong(v, options.integration, judge);
        return v;
      }
      v.tried.push_back(name + ": " + judge.explanation);
      if (judge.outcome.status == Status::interrupted) break;
    } catch (const OptionError& refused) {  // the method is not for such a model
      v.tried.push_back(name + ": " + refused.what());
    }
  }
  return v;
}

}  // namespace stiffit::internal
