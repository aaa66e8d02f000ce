// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/experiment_run.h"

#include <algorithm>
#include <cmath>

#include "analysis/steady/steady_newton.h"
#include "base/number.h"
#include "ode/continuation.h"

namespace stiffit {

void add_row(const Differentiated& d, const std::vector<double>& result, int row,
             const ExperimentPoint& point, std::size_t columns, std::size_t moving, double* out) {
  const double* by_state = result.data() + d.size;
  const double* by_parameter = by_state + d.by_state.size();
  for (std::size_t e = 0; e < d.by_state.size(); ++e) {
    if (d.by_state[e].row != row || by_state[e] == 0) continue;
    const double* s =
        point.sensitivities.data() + static_cast<std::size_t>(d.by_state[e].column) * moving;
    for (std::size_t k = 0; k < moving; ++k) out[k] += by_state[e] * s[k];
  }
  for (std::size_t e = 0; e < d.by_parameter.size(); ++e) {
    if (d.by_parameter[e].row != row) continue;
    const double* s =
        point.by_unknown.data() + static_cast<std::size_t>(d.by_parameter[e].column) * columns;
    // A derivative that is not finite must not spoil the unknowns it does not belong to.
    for (std::size_t k = 0; k < columns; ++k)
      if (s[k] != 0) out[k] += by_parameter[e] * s[k];
  }
}

ExperimentRun::ExperimentRun(const CompiledPart& part, const CompiledExperiment& experiment,
                             const IntegrationOptions& options, ExperimentIntegrators integrators,
                             bool derivatives, bool adjoint)
    : part_(part),
      experiment_(experiment),
      options_(options),
      integrators_(integrators),
      derivatives_(derivatives),
      adjoint_(adjoint && derivatives && experiment.moving > 0),
      n_(static_cast<std::size_t>(part.program().states)),
      p_(static_cast<std::size_t>(part.program().parameters)),
      columns_(derivatives ? experiment.columns.size() : 0),
      moving_(derivatives ? experiment.moving : 0) {}

void ExperimentRun::begin(std::span<const double> values, std::span<const double> slopes) {
  point_.parameters = part_.values();
  point_.by_unknown.assign(p_ * columns_, 0.0);
  const std::vector<int>& parameter = part_.unknown_parameter();
  for (std::size_t u = 0; u < values.size(); ++u)
    if (parameter[u] >= 0) point_.parameters[static_cast<std::size_t>(parameter[u])] = values[u];
  if (const int begin = part_.begin_parameter(); begin >= 0)
    point_.parameters[static_cast<std::size_t>(begin)] = experiment_.begin;
  for (std::size_t k = 0; k < columns_; ++k) {
    const auto u = static_cast<std::size_t>(experiment_.columns[k]);
    if (parameter[u] >= 0)
      point_.by_unknown[static_cast<std::size_t>(parameter[u]) * columns_ + k] = slopes[u];
  }
  point_.states.assign(n_, 0.0);
  point_.sensitivities.assign(n_ * moving_, 0.0);
  triggered_.clear();
  past_.reset();
  last_ = experiment_.periods.size();
  while (last_ > 1 && experiment_.periods[last_ - 1].times.empty() && experiment_.at_rest.empty())
    --last_;
  period_ = 0;
  failure_.clear();
}

void ExperimentRun::evaluate(const Differentiated& d, double time, std::vector<double>& values,
                             std::vector<double>& rows) {
  if (d.size == 0) return;
  std::vector<double> result(derivatives_ ? d.result_size() : d.size);
  double* arrays[4] = {&time, point_.states.data(), point_.parameters.data(), result.data()};
  (derivatives_ ? d.all : d.values)(arrays);
  values.assign(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(d.size));
  rows.assign(d.size * columns_, 0.0);
  if (!derivatives_) return;
  for (std::size_t i = 0; i < d.size; ++i)
    add_row(d, result, static_cast<int>(i), point_, columns_, moving_, rows.data() + i * columns_);
}

void ExperimentRun::set_parameter(int parameter, double value, const double* row) {
  const auto at = static_cast<std::size_t>(parameter);
  point_.parameters[at] = value;
  for (std::size_t k = 0; k < columns_; ++k)
    point_.by_unknown[at * columns_ + k] = row ? row[k] : 0;
}

namespace {

// The values of a period's assignments and their derivatives, before any is made.
struct Assigned {
  std::vector<double> values;
  std::vector<double> rows;  // [assignment][column]
};

}  // namespace

static Assigned assigned_values(const CompiledPeriod& period, const ExperimentPoint& point,
                                std::size_t columns, const std::vector<double>& expressions,
                                const std::vector<double>& expression_rows) {
  Assigned a;
  a.values.reserve(period.assignments.size());
  a.rows.assign(period.assignments.size() * columns, 0.0);
  for (std::size_t i = 0; i < period.assignments.size(); ++i) {
    const CompiledAssignment& c = period.assignments[i];
    const double* row = nullptr;
    if (c.expression >= 0) {
      a.values.push_back(expressions[static_cast<std::size_t>(c.expression)]);
      row = expression_rows.data() + static_cast<std::size_t>(c.expression) * columns;
    } else if (c.source >= 0) {
      a.values.push_back(point.parameters[static_cast<std::size_t>(c.source)]);
      row = point.by_unknown.data() + static_cast<std::size_t>(c.source) * columns;
    } else {
      a.values.push_back(c.number);
    }
    if (row) std::copy(row, row + columns, a.rows.data() + i * columns);
  }
  return a;
}

void ExperimentRun::apply_first(const CompiledPeriod& period) {
  std::vector<double> values, rows;
  evaluate(period.expressions, experiment_.begin, values, rows);
  const Assigned a = assigned_values(period, point_, columns_, values, rows);
  std::vector<char> assigned(p_, 0);
  for (std::size_t i = 0; i < period.assignments.size(); ++i) {
    const int parameter = period.assignments[i].parameter;
    set_parameter(parameter, a.values[i], a.rows.data() + i * columns_);
    assigned[static_cast<std::size_t>(parameter)] = 1;
  }
  apply_defaults(assigned);
  initialise();
}

void ExperimentRun::apply_defaults(const std::vector<char>& assigned) {
  std::vector<double> values, rows;
  for (const std::vector<int>& round : part_.default_rounds()) {
    evaluate(part_.defaults(), experiment_.begin, values, rows);
    for (int index : round) {
      const auto i = static_cast<std::size_t>(index);
      const int target = part_.default_target()[i];
      if (!assigned[static_cast<std::size_t>(target)])
        set_parameter(target, values[i], rows.data() + i * columns_);
    }
  }
}

void ExperimentRun::initialise() {
  std::vector<double> values, rows;
  evaluate(part_.initial(), experiment_.begin, values, rows);
  point_.states = values;
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t k = 0; k < moving_; ++k)
      point_.sensitivities[i * moving_ + k] = rows[i * columns_ + k];
}

void ExperimentRun::apply_later(const CompiledPeriod& period) {
  std::vector<double> values, rows, sizes, size_rows;
  evaluate(period.expressions, period.start, values, rows);
  const Assigned a = assigned_values(period, point_, columns_, values, rows);
  // Concentrations behind amounts stay as they are, whatever becomes of the compartment.
  const std::size_t sized = period.resizes ? part_.sized().size() : 0;
  std::vector<double> concentration(sized), concentration_rows(sized * moving_);
  if (sized > 0) evaluate(part_.sizes(), period.start, sizes, size_rows);
  for (std::size_t j = 0; j < sized; ++j) {
    const auto state = static_cast<std::size_t>(part_.sized()[j].state);
    concentration[j] = point_.states[state] / sizes[j];
    for (std::size_t k = 0; k < moving_; ++k)
      concentration_rows[j * moving_ + k] = (point_.sensitivities[state * moving_ + k] -
                                             concentration[j] * size_rows[j * columns_ + k]) /
                                            sizes[j];
  }
  for (std::size_t i = 0; i < period.assignments.size(); ++i) {
    const CompiledAssignment& c = period.assignments[i];
    const double* row = a.rows.data() + i * columns_;
    if (c.parameter >= 0) {
      set_parameter(c.parameter, a.values[i], row);
    } else if (c.sized >= 0) {
      const auto j = static_cast<std::size_t>(c.sized);
      concentration[j] = a.values[i];
      std::copy(row, row + moving_, concentration_rows.data() + j * moving_);
    } else {
      const auto state = static_cast<std::size_t>(c.state);
      point_.states[state] = a.values[i];
      std::copy(row, row + moving_, point_.sensitivities.data() + state * moving_);
    }
  }
  if (sized > 0) evaluate(part_.sizes(), period.start, sizes, size_rows);
  for (std::size_t j = 0; j < sized; ++j) {
    const auto state = static_cast<std::size_t>(part_.sized()[j].state);
    point_.states[state] = concentration[j] * sizes[j];
    for (std::size_t k = 0; k < moving_; ++k)
      point_.sensitivities[state * moving_ + k] = concentration_rows[j * moving_ + k] * sizes[j] +
                                                  concentration[j] * size_rows[j * columns_ + k];
  }
}

std::vector<Direction> ExperimentRun::directions() const {
  std::vector<Direction> result(moving_);
  for (int parameter : part_.dynamic()) {
    const double* row = point_.by_unknown.data() + static_cast<std::size_t>(parameter) * columns_;
    for (std::size_t k = 0; k < moving_; ++k)
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
  if (moving_ > 0) {
    std::vector<double> by_moving(p_ * moving_), result(n_ * moving_);
    for (std::size_t i = 0; i < p_; ++i)
      for (std::size_t k = 0; k < moving_; ++k)
        by_moving[i * moving_ + k] = point_.by_unknown[i * columns_ + k];
    if (!steady_sensitivities(part_.steady(), steady, by_moving, point_.sensitivities, moving_,
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
    e.columns.assign(experiment_.columns.begin(),
                     experiment_.columns.begin() + static_cast<std::ptrdiff_t>(moving_));
    e.triggered = triggered_;
    equilibria.emplace(experiment_.equilibrium, std::move(e));
    return {};
  }
  const Equilibrium& e = known->second;
  point_.states = e.states;
  triggered_ = e.triggered;
  // An unknown that the other experiment did not follow does not matter before its own changes.
  std::fill(point_.sensitivities.begin(), point_.sensitivities.end(), 0.0);
  for (std::size_t k = 0; k < moving_; ++k) {
    const auto at = std::find(e.columns.begin(), e.columns.end(), experiment_.columns[k]);
    if (at == e.columns.end()) continue;
    const auto from = static_cast<std::size_t>(at - e.columns.begin());
    for (std::size_t i = 0; i < n_; ++i)
      point_.sensitivities[i * moving_ + k] = e.sensitivities[i * e.columns.size() + from];
  }
  return {};
}

bool ExperimentRun::adjoint_serves(const CompiledExperiment& experiment) {
  if (!experiment.at_rest.empty()) return false;
  const std::size_t first = std::isinf(experiment.periods.front().start) ? 1 : 0;
  for (std::size_t k = first + 1; k < experiment.periods.size(); ++k)
    if (!experiment.periods[k].times.empty()) return false;
  return first < experiment.periods.size() && !experiment.periods[first].times.empty();
}

// Steps that suit the states may not suit the gradient. It may be off by 1e-4 of an entry or 1e-7
// of the whole, which is what a check of gradients asks; or, near an optimum, where the entries
// cancel, by what means a change of 1e-6 per measurement if the unknown doubles.
bool ExperimentRun::small_beside(const std::vector<double>& errors,
                                 const std::vector<double>& gradient,
                                 const CompiledPeriod& period) const {
  double whole = 0, measurements = 0;
  for (double g : gradient) whole += g * g;
  whole = std::sqrt(whole);
  for (auto& row : period.measured) measurements += static_cast<double>(row.size());
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
std::string ExperimentRun::integrate_adjoint(const CompiledPeriod& period, MeasurementSink& sink) {
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
      for (std::size_t k = 0; k < moving_; ++k) out[k] += by_start[i] * start[i * moving_ + k];
  };
  run->gradient(weights, by_parameter, by_start);
  follow(gradient);
  run->errors(by_parameter, by_start);
  follow(errors);
  for (double g : gradient)
    if (!std::isfinite(g)) return "the adjoint sensitivities are not finite";
  inaccurate_ = !small_beside(errors, gradient, period);
  sink.add_gradient(gradient);
  return {};
}

// Up to, but not at, the next period: events of that moment come after its assignments.
Request ExperimentRun::request_of(const CompiledPeriod& period, double end) const {
  Request request;
  request.times = shares() ? period.shared_times : period.times;
  if (request.times.empty() && !std::isfinite(end)) return request;
  request.open_end = std::isfinite(end);
  if (request.open_end) request.times.push_back(std::nextafter(end, -INFINITY));
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

std::string ExperimentRun::integrate(const CompiledPeriod& period, double end,
                                     MeasurementSink& sink) {
  Request request = request_of(period, end);
  if (request.times.empty()) return {};
  SensitivityTrajectory* course = &integrators_.trajectory;
  bool known = false;
  if (shares()) {
    const auto k = static_cast<std::size_t>(&period - experiment_.periods.data());
    Course& common = (*integrators_.courses)[{experiment_.course, k}];
    course = &common.trajectory;
    known = common.known;
    common.known = true;
  }
  if (!known) {
    if (moving_ > 0) {
      SensitivityRequest along;
      along.run = std::move(request);
      follow(along, *course);
    } else {
      integrators_.states.run(request, course->trajectory);
    }
  }
  return pass(period, end, course->trajectory, course->sensitivities, sink);
}

std::string ExperimentRun::pass(const CompiledPeriod& period, double end,
                                const Trajectory& trajectory,
                                const std::vector<double>& sensitivities, MeasurementSink& sink) {
  if (trajectory.outcome.status != Status::done)
    return describe(trajectory.outcome, part_.program().state_names);
  for (std::size_t k = 0; k < period.times.size(); ++k) {
    stand_at(shares() ? period.shared_rows[k] : k, trajectory, sensitivities);
    for (int measurement : period.measured[k])
      if (std::string failure = sink.take(measurement, period.times[k], point_, nullptr);
          !failure.empty())
        return failure;
  }
  go_on(period, end, trajectory, sensitivities);
  return {};
}

void ExperimentRun::stand_at(std::size_t row, const Trajectory& trajectory,
                             const std::vector<double>& sensitivities) {
  const double* x = trajectory.states.data() + row * n_;
  point_.states.assign(x, x + n_);
  if (moving_ == 0) return;
  const double* s = sensitivities.data() + row * n_ * moving_;
  point_.sensitivities.assign(s, s + n_ * moving_);
}

// To the end of the period, if another follows.
void ExperimentRun::go_on(const CompiledPeriod& period, double end, const Trajectory& trajectory,
                          const std::vector<double>& sensitivities) {
  if (!std::isfinite(end)) return;
  stand_at((shares() ? period.shared_times : period.times).size(), trajectory, sensitivities);
  past_ = trajectory.end;
}

double ExperimentRun::end_of(std::size_t period) const {
  return period + 1 < last_ ? experiment_.periods[period + 1].start : INFINITY;
}

std::string ExperimentRun::placed(const std::string& failure, const CompiledPeriod& period) const {
  if (failure.empty()) return failure;
  return "experiment '" + experiment_.id + "'" +
         (period.name.empty() ? "" : ", condition '" + period.name + "'") + ": " + failure;
}

// From where the last period began, for the measurements at rest.
std::string ExperimentRun::come_to_rest(MeasurementSink& sink) {
  if (experiment_.at_rest.empty()) return {};
  const CompiledPeriod& period = experiment_.periods[last_ - 1];
  if (!std::isinf(period.start))
    if (std::string failure = placed(rest(period.start, nullptr), period); !failure.empty())
      return failure;
  for (int measurement : experiment_.at_rest)
    if (std::string failure = sink.take(measurement, INFINITY, point_, nullptr); !failure.empty())
      return "experiment '" + experiment_.id + "': " + failure;
  return {};
}

std::string ExperimentRun::run(std::span<const double> values, std::span<const double> slopes,
                               Equilibria& equilibria, MeasurementSink& sink) {
  begin(values, slopes);
  for (std::size_t k = 0; k < last_; ++k) {
    const CompiledPeriod& period = experiment_.periods[k];
    if (k == 0)
      apply_first(period);
    else
      apply_later(period);
    std::string failure;
    if (std::isinf(period.start))
      failure = equilibrate(equilibria);
    else if (k + 1 == last_ && !experiment_.at_rest.empty()) {
      ExperimentPoint at_start = point_;
      failure = integrate(period, INFINITY, sink);
      point_ = std::move(at_start);
    } else if (adjoint_) {
      failure = integrate_adjoint(period, sink);
    } else {
      failure = integrate(period, end_of(k), sink);
    }
    if (!failure.empty()) return placed(failure, period);
  }
  return come_to_rest(sink);
}

Request* ExperimentRun::advance(Equilibria& equilibria) {
  for (; period_ < last_ && failure_.empty(); ++period_) {
    const CompiledPeriod& period = experiment_.periods[period_];
    if (period_ == 0)
      apply_first(period);
    else
      apply_later(period);
    if (std::isinf(period.start)) {
      failure_ = placed(equilibrate(equilibria), period);
      continue;
    }
    pending_ = request_of(period, end_of(period_));
    if (!pending_.times.empty()) return &pending_;
  }
  return nullptr;
}

void ExperimentRun::supply(const Trajectory& trajectory) {
  const CompiledPeriod& period = experiment_.periods[period_];
  if (trajectory.outcome.status == Status::done)
    go_on(period, end_of(period_), trajectory, {});
  else
    failure_ = placed(describe(trajectory.outcome, part_.program().state_names), period);
  ++period_;
}

}  // namespace stiffit
