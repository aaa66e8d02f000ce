// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/experiment_run.h"

#include <algorithm>
#include <cmath>

#include "analysis/steady/steady_newton.h"
#include "base/number.h"
#include "ode/continuation.h"

namespace stiffit::internal {

ExperimentRun::ExperimentRun(const CompiledSubmodel& part, const CompiledExperiment& experiment,
                             const IntegrationOptions& options, ExperimentIntegrators integrators,
                             RunDerivatives derivatives)
    : part_(part),
      experiment_(experiment),
      options_(options),
      integrators_(integrators),
      derivatives_(derivatives != RunDerivatives::none),
      adjoint_(derivatives == RunDerivatives::adjoint && experiment.active > 0),
      n_(part.program().states),
      p_(part.program().parameters),
      columns_(derivatives_ ? experiment.columns.size() : 0),
      active_(derivatives_ ? experiment.active : 0) {}

void ExperimentRun::begin(std::span<const double> values, std::span<const double> slopes) {
  point_.parameters = part_.values();
  point_.by_unknown.assign(p_ * columns_, 0.0);
  const std::vector<int>& parameter = part_.unknown_parameter();
  for (std::size_t u = 0; u < values.size(); ++u)
    if (parameter[u] >= 0) point_.parameters[parameter[u]] = values[u];
  if (const int begin = part_.begin_parameter(); begin >= 0)
    point_.parameters[begin] = experiment_.begin;
  for (std::size_t k = 0; k < columns_; ++k) {
    const std::size_t u = experiment_.columns[k];
    if (parameter[u] >= 0) point_.by_unknown[parameter[u] * columns_ + k] = slopes[u];
  }
  point_.states.assign(n_, 0.0);
  point_.sensitivities.assign(n_ * active_, 0.0);
  triggered_.clear();
  past_.reset();
  last_ = experiment_.periods.size();
  while (last_ > 1 && experiment_.periods[last_ - 1].times.empty() &&
         experiment_.at_steady_state.empty())
    --last_;
  period_ = 0;
  failure_.clear();
}

std::vector<Direction> ExperimentRun::directions() const {
  std::vector<Direction> result(active_);
  for (int parameter : part_.dynamic()) {
    const double* row = point_.by_unknown.data() + parameter * columns_;
    for (std::size_t k = 0; k < active_; ++k)
      if (row[k] != 0) result[k].parameters.emplace_back(parameter, row[k]);
  }
  return result;
}

// The rest of the request is where the run stands.
void ExperimentRun::follow(SensitivityRequest& request, SensitivityTrajectory& result) {
  request.directions = directions();
  request.initial = point_.sensitivities;
  integrators_.sensitivities->run(request, {options_, integrators_.error_control}, result);
}

// Moves the point to where the time course from it comes to rest.
std::string ExperimentRun::rest(double start, std::vector<char>* triggered) {
  Request request;
  request.start = start;
  request.parameters = point_.parameters;
  request.initial = point_.states;
  request.triggered = triggered_;
  go_on_from_past(start, request);
  SteadyOptions options;
  options.integration = options_;
  const SteadyState steady = find_steady_state(part_.steady(), request, options);
  if (!steady.found()) return "no steady state: " + steady.detail;
  if (active_ > 0) {
    std::vector<double> by_active(p_ * active_), result(n_ * active_);
    for (std::size_t i = 0; i < p_; ++i)
      for (std::size_t k = 0; k < active_; ++k)
        by_active[i * active_ + k] = point_.by_unknown[i * columns_ + k];
    if (!steady_sensitivities(part_.steady(), steady, by_active, point_.sensitivities, active_,
                              result)) {
      // Only the time course knows.
      SensitivityRequest along;
      along.run = request;
      along.run.times = {start + steady.settling};
      SensitivityTrajectory& t = integrators_.trajectory;
      follow(along, t);
      if (t.trajectory.outcome.status != Status::done)
        return describe(t.trajectory.outcome, part_.program().state_names);
      result = t.sensitivities;
    }
    point_.sensitivities = std::move(result);
  }
  point_.states = steady.state;
  if (triggered) {
    SteadyEquations equations(part_.steady(), point_.parameters);
    equations.time = start + steady.time;
    equations.settle(point_.states);
    *triggered = equations.triggers(point_.states);
  }
  return {};
}

std::string ExperimentRun::equilibrate(Equilibria& equilibria) {
  auto known = equilibria.find(experiment_.equilibrium);
  if (known == equilibria.end()) {
    if (std::string failure = rest(experiment_.begin, &triggered_); !failure.empty())
      return "pre-equilibration: " + failure;
    Equilibrium e;
    e.states = point_.states;
    e.sensitivities = point_.sensitivities;
    e.columns.assign(experiment_.columns.begin(), experiment_.columns.begin() + active_);
    e.triggered = triggered_;
    equilibria.emplace(experiment_.equilibrium, std::move(e));
    return {};
  }
  const Equilibrium& e = known->second;
  point_.states = e.states;
  triggered_ = e.triggered;
  // An unknown that the other experiment did not follow does not matter before its own changes.
  std::fill(point_.sensitivities.begin(), point_.sensitivities.end(), 0.0);
  for (std::size_t k = 0; k < active_; ++k) {
    const auto at = std::find(e.columns.begin(), e.columns.end(), experiment_.columns[k]);
    if (at == e.columns.end()) continue;
    const std::size_t from = at - e.columns.begin();
    for (std::size_t i = 0; i < n_; ++i)
      point_.sensitivities[i * active_ + k] = e.sensitivities[i * e.columns.size() + from];
  }
  return {};
}

bool ExperimentRun::adjoint_serves(const CompiledExperiment& experiment) {
  if (!experiment.at_steady_state.empty()) return false;
  const std::size_t first = std::isinf(experiment.periods.front().start) ? 1 : 0;
  for (std::size_t k = first + 1; k < experiment.periods.size(); ++k)
    if (!experiment.periods[k].times.empty()) return false;
  return first < experiment.periods.size() && !experiment.periods[first].times.empty();
}

// Steps that suit the states may not suit the gradient. It may be off by 1e-4 of an entry or 1e-7
// of the whole, which is what a check of gradients asks; or, near an optimum, where the entries
// cancel, by what means a change of 1e-6 per measurement if the unknown doubles.
bool ExperimentRun::small_beside(const std::vector<double>& errors,
                                 const std::vector<double>& gradient) const {
  double whole = 0, measurements = 0;
  for (double g : gradient) whole += g * g;
  whole = std::sqrt(whole);
  for (auto& row : current().measured) measurements += static_cast<double>(row.size());
  for (std::size_t k = 0; k < columns_; ++k) {
    double most = 0;  // of the relative changes of the parameters that the unknown moves
    for (std::size_t i = 0; i < p_; ++i)
      if (const double value = point_.parameters[i]; value != 0)
        most = std::max(most, std::fabs(point_.by_unknown[i * columns_ + k] / value));
    const double allowed =
        1e-4 * std::max(std::fabs(gradient[k]), 1e-3 * whole) + 1e-6 * measurements * most;
    if (!(std::fabs(errors[k]) <= allowed)) return false;
  }
  return true;
}

// The last period by the adjoint: how it starts is known with its derivatives, and what its start
// and its parameters mean for the objective comes from one sweep backwards.
std::string ExperimentRun::integrate_adjoint(MeasurementSink& sink) {
  const CompiledPeriod& period = current();
  Request request;
  request.start = period.start;
  request.times = period.times;
  request.parameters = point_.parameters;
  request.initial = point_.states;
  request.triggered = triggered_;
  auto run = simulate_for_adjoint(*part_.sensitivity(), request, options_);
  const Trajectory& trajectory = run->trajectory();
  if (trajectory.outcome.status != Status::done)
    return describe(trajectory.outcome, part_.program().state_names);
  const std::vector<double> start = point_.sensitivities;
  std::vector<double> weights(trajectory.states.size(), 0.0);
  for (std::size_t row = 0; row < period.times.size(); ++row) {
    const double* x = trajectory.states.data() + row * n_;
    point_.states.assign(x, x + n_);
    for (int measurement : period.measured[row])
      if (std::string failure =
              sink.take(measurement, period.times[row], point_, weights.data() + row * n_);
          !failure.empty())
        return failure;
  }
  std::vector<double> by_parameter(p_), by_start(n_), gradient(columns_, 0.0),
      errors(columns_, 0.0);
  auto follow = [&](std::vector<double>& out) {
    for (std::size_t i = 0; i < p_; ++i)
      if (by_parameter[i] != 0)
        for (std::size_t k = 0; k < columns_; ++k)
          out[k] += by_parameter[i] * point_.by_unknown[i * columns_ + k];
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < active_; ++k) out[k] += by_start[i] * start[i * active_ + k];
  };
  run->gradient(weights, by_parameter, by_start);
  follow(gradient);
  run->errors(by_parameter, by_start);
  follow(errors);
  for (double g : gradient)
    if (!std::isfinite(g)) return "the adjoint sensitivities are not finite";
  inaccurate_ = !small_beside(errors, gradient);
  sink.add_gradient(gradient);
  return {};
}

// Up to, but not at, the next period: events of that moment come after its assignments.
Request ExperimentRun::request() const {
  const CompiledPeriod& period = current();
  Request request;
  request.times = shares() ? period.shared_times : period.times;
  request.open_end = std::isfinite(end());
  if (request.times.empty() && !request.open_end) return request;
  if (request.open_end) request.times.push_back(std::nextafter(end(), -INFINITY));
  request.start = period.start;
  request.parameters = point_.parameters;
  request.initial = point_.states;
  request.triggered = triggered_;
  request.keep_end = request.open_end && part_.program().hybrid;
  go_on_from_past(period.start, request);
  return request;
}

// Events that wait are executed and delays look back across the start of a period, and triggers are
// not armed again.
void ExperimentRun::go_on_from_past(double start, Request& request) const {
  if (!past_) return;
  auto from = std::make_shared<Continuation>(*past_);
  from->time = start;
  from->states = point_.states;
  from->parameters = point_.parameters;
  from->changed = true;
  request.from = std::move(from);
}

std::string ExperimentRun::integrate(Request& request, MeasurementSink& sink) {
  SensitivityTrajectory* course = &integrators_.trajectory;
  bool known = false;
  if (shares()) {
    Course& common = (*integrators_.courses)[{experiment_.course, period_}];
    course = &common.trajectory;
    known = common.known;
    common.known = true;
  }
  if (!known) {
    if (active_ > 0) {
      SensitivityRequest along;
      along.run = std::move(request);
      follow(along, *course);
    } else {
      integrators_.states.run(request, course->trajectory);
    }
    constexpr double of_a_step = 20;  // what it takes besides its numbers
    const Counters& c = course->trajectory.outcome.counters;
    sink.work += static_cast<double>(c.steps + c.rejected) *
                 (of_a_step + static_cast<double>(n_ * (1 + active_)));
  }
  return pass(course->trajectory, course->sensitivities, sink);
}

std::string ExperimentRun::pass(const Trajectory& trajectory,
                                const std::vector<double>& sensitivities, MeasurementSink& sink) {
  const CompiledPeriod& period = current();
  if (trajectory.outcome.status != Status::done)
    return describe(trajectory.outcome, part_.program().state_names);
  for (std::size_t k = 0; k < period.times.size(); ++k) {
    stand_at(shares() ? period.shared_rows[k] : k, trajectory, sensitivities);
    for (int measurement : period.measured[k])
      if (std::string failure = sink.take(measurement, period.times[k], point_, nullptr);
          !failure.empty())
        return failure;
  }
  go_on(trajectory, sensitivities);
  return {};
}

void ExperimentRun::stand_at(std::size_t row, const Trajectory& trajectory,
                             const std::vector<double>& sensitivities) {
  const double* x = trajectory.states.data() + row * n_;
  point_.states.assign(x, x + n_);
  if (active_ == 0) return;
  const double* s = sensitivities.data() + row * n_ * active_;
  point_.sensitivities.assign(s, s + n_ * active_);
}

// To the end of the period, if another follows.
void ExperimentRun::go_on(const Trajectory& trajectory, const std::vector<double>& sensitivities) {
  if (!std::isfinite(end())) return;
  stand_at((shares() ? current().shared_times : current().times).size(), trajectory, sensitivities);
  past_ = trajectory.end;
}

double ExperimentRun::end() const {
  return period_ + 1 < last_ ? experiment_.periods[period_ + 1].start : INFINITY;
}

std::string ExperimentRun::placed(const std::string& failure, const CompiledPeriod& period) const {
  if (failure.empty()) return failure;
  return "experiment '" + experiment_.id + "'" +
         (period.name.empty() ? "" : ", condition '" + period.name + "'") + ": " + failure;
}

// From where the last period began.
std::string ExperimentRun::come_to_rest(MeasurementSink& sink) {
  if (experiment_.at_steady_state.empty()) return {};
  const CompiledPeriod& period = experiment_.periods[last_ - 1];
  if (!std::isinf(period.start))
    if (std::string failure = placed(rest(period.start, nullptr), period); !failure.empty())
      return failure;
  for (int measurement : experiment_.at_steady_state)
    if (std::string failure = sink.take(measurement, INFINITY, point_, nullptr); !failure.empty())
      return "experiment '" + experiment_.id + "': " + failure;
  return {};
}

std::string ExperimentRun::run(std::span<const double> values, std::span<const double> slopes,
                               Equilibria& equilibria, MeasurementSink& sink) {
  begin(values, slopes);
  while (Request* request = advance(equilibria)) {
    // The measurements at rest are of the course from where the last period began.
    const bool rests = period_ + 1 == last_ && !experiment_.at_steady_state.empty();
    ExperimentPoint at_start;
    if (rests) at_start = point_;
    failure_ = placed(adjoint_ ? integrate_adjoint(sink) : integrate(*request, sink), current());
    if (rests) point_ = std::move(at_start);
    ++period_;
  }
  if (!failure_.empty()) return failure_;
  return come_to_rest(sink);
}

Request* ExperimentRun::advance(Equilibria& equilibria) {
  for (; period_ < last_ && failure_.empty(); ++period_) {
    if (period_ == 0)
      apply_first(current());
    else
      apply_later(current());
    if (std::isinf(current().start)) {
      failure_ = placed(equilibrate(equilibria), current());
      continue;
    }
    pending_ = request();
    if (!pending_.times.empty()) return &pending_;
  }
  return nullptr;
}

void ExperimentRun::supply(const Trajectory& trajectory) {
  if (trajectory.outcome.status == Status::done)
    go_on(trajectory, {});
  else
    failure_ = placed(describe(trajectory.outcome, part_.program().state_names), current());
  ++period_;
}

}  // namespace stiffit::internal
