// SPDX-License-Identifier: Apache-2.0
#include "stiffit/integrate.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "analysis/pipeline/simulation_fields.h"
#include "analysis/pipeline/simulation_options.h"
#include "api/impl.h"
#include "ode/system.h"

namespace stiffit {
inline namespace api {
namespace {

void demand(bool good, const std::string& rule) {
  if (!good) throw InputError("error: " + rule + "\n");
}

class CalledSystem final : public OdeSystem {
 public:
  CalledSystem(const OdeFunctions& functions, int n) : functions_(functions), n_(n) {
    const auto size = static_cast<std::size_t>(n);
    demand(functions.names.empty() || functions.names.size() == size,
           "there are " + std::to_string(functions.names.size()) + " names for " +
               std::to_string(n) + " states");
    if (functions.pattern.empty()) {
      pattern_ = dense_pattern(n);
      for (std::size_t column = 0; column < size; ++column)
        for (std::size_t row = 0; row < size; ++row) place_.push_back(row * size + column);
      given_.resize(size * size);
      return;
    }
    // By columns, each entry once.
    std::vector<std::pair<int, int>> entries;  // column, row
    for (const auto& [row, column] : functions.pattern) {
      demand(row >= 0 && row < n && column >= 0 && column < n,
             "the pattern has an entry (" + std::to_string(row) + ", " + std::to_string(column) +
                 "), beyond " + std::to_string(n) + " states");
      entries.emplace_back(column, row);
    }
    std::vector<std::size_t> order(entries.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return entries[a] < entries[b]; });
    pattern_.n = n;
    pattern_.column_start.assign(size + 1, 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
      const auto& [column, row] = entries[order[k]];
      demand(k == 0 || entries[order[k - 1]] != entries[order[k]],
             "the pattern has the entry (" + std::to_string(row) + ", " + std::to_string(column) +
                 ") twice");
      pattern_.row.push_back(row);
      ++pattern_.column_start[static_cast<std::size_t>(column) + 1];
      place_.push_back(order[k]);
    }
    for (std::size_t j = 0; j < size; ++j) pattern_.column_start[j + 1] += pattern_.column_start[j];
    given_.resize(entries.size());
  }

  int size() const override { return n_; }
  std::vector<std::string> names() const override {
    return functions_.names.empty() ? OdeSystem::names() : functions_.names;
  }
  void rates(double t, const double* x, double* f) const override { functions_.rates(t, x, f); }
  Sparsity pattern() const override { return pattern_; }
  bool jacobian(double t, const double* x, double* values) const override {
    if (!functions_.jacobian) return false;
    std::fill(given_.begin(), given_.end(), 0.0);
    functions_.jacobian(t, x, given_.data());
    for (std::size_t k = 0; k < place_.size(); ++k) values[k] = given_[place_[k]];
    return true;
  }
  bool autonomous() const override { return functions_.autonomous; }
  bool time_derivative(double t, const double* x, double* out) const override {
    if (!functions_.time_derivative) return false;
    functions_.time_derivative(t, x, out);
    return true;
  }

 private:
  const OdeFunctions& functions_;
  int n_;
  Sparsity pattern_;
  std::vector<std::size_t> place_;  // of each entry among those that are given
  mutable std::vector<double> given_;
};

IntegrationOptions checked(const IntegrateOptions& o, const std::vector<double>& times) {
  at_border(nullptr, [&] { check_options(o); });
  IntegrationOptions options = integration_options(o);
  if (o.run.progress)
    options.progress = [told = o.run.progress, start = times.front(),
                        end = times.back()](double t) {
      told(end > start ? std::clamp((t - start) / (end - start), 0.0, 1.0) : 1.0);
    };
  return options;
}

}  // namespace

TimeCourse integrate(const OdeFunctions& functions, const std::vector<double>& x0,
                     const std::vector<double>& times, const IntegrateOptions& o) {
  demand(static_cast<bool>(functions.rates), "a system needs its rates");
  demand(!x0.empty() && !times.empty(), "there must be a state and a time at least");
  const auto is_finite = [](double x) { return std::isfinite(x); };
  demand(std::all_of(x0.begin(), x0.end(), is_finite), "the initial state is not finite");
  demand(std::all_of(times.begin(), times.end(), is_finite) &&
             std::is_sorted(times.begin(), times.end()),
         "times are finite numbers in ascending order");
  const IntegrationOptions options = checked(o, times);
  const CalledSystem system(functions, static_cast<int>(x0.size()));
  SystemProblem problem(system, times.back() - times.front());
  if (const std::string why = refusal(problem.problem(), options); !why.empty())
    throw InputError("error: " + why + "\n");
  const auto began = std::chrono::steady_clock::now();
  Trajectory run = problem.run(x0, times, options);

  TimeCourse course;
  course.columns = system.names();
  course.times.assign(times.begin(), times.begin() + static_cast<long>(run.rows_reached));
  run.states.resize(run.rows_reached * x0.size());
  course.values = std::move(run.states);
  course.status = word_for(run.outcome.status);
  if (!course.done()) course.explanation = describe(run.outcome, course.columns);
  course.reached = run.outcome.time;
  course.method = o.method;
  course.used = run.outcome.used;
  const Counters& c = run.outcome.counters;
  course.steps = c.steps, course.rejected = c.rejected, course.f = problem.calls();
  course.j = c.j, course.lu = c.lu, course.newton = c.newton;
  course.integrate_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return course;
}

}  // namespace api
}  // namespace stiffit
