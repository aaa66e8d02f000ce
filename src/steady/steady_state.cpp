// SPDX-License-Identifier: Apache-2.0
#include "steady/steady_state.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "steady/steady_newton.h"

namespace stiffit {
namespace {

constexpr double stride = 8;  // each stretch of the time course is so much longer
constexpr int most_stretches = 60;
constexpr double near_enough = 0.1;     // Newton's first step, in units of the scale
constexpr double same_place = 0.25;     // from where the time course stands to where Newton ends
constexpr std::size_t few_states = 16;  // up to here all eigenvalues are looked at

// One search: the time course in longer and longer stretches, Newton tried after each.
// The way to rest is long and its end stiff, whatever the beginning is.
IntegrationOptions to_rest(IntegrationOptions options) {
  if (options.method == "automatic") options.method = "rodas5p";
  return options;
}

class Search {
 public:
  Search(const SteadyProblem& problem, const Request& request, const SteadyOptions& options)
      : problem_(problem),
        program_(problem.program()),
        options_(options),
        request_(request),
        equations_(problem,
                   request.parameters.empty() ? program_.parameter_values : request.parameters),
        simulator_(problem.problem(), to_rest(options.integration)) {
    n_ = static_cast<std::size_t>(program_.states);
    if (request_.initial.empty()) {
      request_.initial.resize(n_);
      double* arrays[2] = {equations_.slots.data(), request_.initial.data()};
      program_.initial(arrays);
    }
  }

  SteadyState run();

 private:
  bool at_rest_already();
  bool stretch(double until);
  bool try_newton();
  bool stands_still();
  bool acceptable(const NewtonResult& result, std::vector<double>& x);
  SteadyState done(std::vector<double> x, bool by_newton);
  SteadyState none(SteadyStatus status, std::string detail);
  SteadyState explain();
  void note_scale(std::span<const double> x);
  double weight(std::size_t i) const;

  const SteadyProblem& problem_;
  const Program& program_;
  const SteadyOptions& options_;
  Request request_;
  SteadyEquations equations_;
  Simulator simulator_;
  Trajectory trajectory_;
  MoietyRows rows_;
  std::size_t n_;
  std::vector<double> x_, before_, f_, largest_, scale_;
  std::vector<double> path_;  // samples of the last stretch
  int unchanged_stretches_ = 0;
  double elapsed_ = 0;
  Counters counters_;
  SteadyState found_;
  std::vector<double> sizes_;  // of the state after each stretch, for what grows
};

void Search::note_scale(std::span<const double> x) {
  double top = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    largest_[i] = std::max(largest_[i], std::fabs(x[i]));
    top = std::max(top, largest_[i]);
  }
  const IntegrationOptions& o = options_.integration;
  for (std::size_t i = 0; i < n_; ++i) {
    scale_[i] = std::fabs(x[i]) + (o.atol < 0 ? o.scaled_atol * largest_[i] : o.atol / o.rtol);
    scale_[i] = std::max(scale_[i], std::max(1e-15 * top, 1e-300));
  }
}

double Search::weight(std::size_t i) const { return options_.integration.rtol * scale_[i]; }

SteadyState Search::done(std::vector<double> x, bool by_newton) {
  SteadyState s;
  s.status = SteadyStatus::found;
  equations_.settle(x);
  equations_.rates(x, f_);
  s.residual = scaled_size(f_, scale_);
  s.state = std::move(x);
  s.slots = equations_.slots;
  s.time = elapsed_;
  s.newton = by_newton;
  s.scale = scale_;
  s.counters = counters_;
  return s;
}

SteadyState Search::none(SteadyStatus status, std::string detail) {
  SteadyState s;
  s.status = status;
  s.detail = std::move(detail);
  equations_.settle(x_);
  s.state = x_;
  s.slots = equations_.slots;
  s.time = elapsed_;
  s.scale = scale_;
  const std::size_t rows = n_ ? path_.size() / n_ : 0;
  s.mean.assign(rows ? n_ : 0, 0.0);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < n_; ++i) s.mean[i] += path_[r * n_ + i] / static_cast<double>(rows);
  s.counters = counters_;
  return s;
}

// From x_ on, to `until` after the start. False if it broke down.
bool Search::stretch(double until) {
  constexpr std::size_t samples = 32;
  before_ = x_;
  request_.times.clear();
  const double begin = request_.start;
  const double length = until - elapsed_;
  for (std::size_t k = 1; k <= samples; ++k)
    request_.times.push_back(begin + length * static_cast<double>(k) / samples);
  request_.initial = x_;
  simulator_.options().max_steps = options_.max_steps - counters_.steps - counters_.rejected;
  simulator_.run(request_, trajectory_);
  counters_ += trajectory_.outcome.counters;
  const std::size_t rows = trajectory_.rows_reached;
  const double* states = trajectory_.states.data();
  // A stretch cut short shows less than the one before it.
  if (rows >= samples / 4) path_.assign(states, states + rows * n_);
  if (rows > 0) {
    x_.assign(states + (rows - 1) * n_, states + rows * n_);
    elapsed_ += request_.times[rows - 1] - begin;
    request_.start = request_.times[rows - 1];
  }
  equations_.time = request_.start;
  equations_.settle(x_);
  request_.triggered = equations_.triggers(x_);
  note_scale(x_);
  return trajectory_.outcome.status == Status::done;
}

bool Search::acceptable(const NewtonResult& result, std::vector<double>& x) {
  if (!result.converged || result.distance > same_place) return false;
  // Where the time course already stands still, and Newton agrees, no more questions are asked:
  // it may rest where a mode neither grows nor decays.
  const double tolerance = 10 * options_.integration.rtol;
  std::vector<double> moved(n_);
  for (std::size_t i = 0; i < n_; ++i) moved[i] = x_[i] - before_[i];
  const bool rests = result.distance <= tolerance && scaled_size(moved, scale_) <= tolerance;
  if (result.sign < 0 && !rests) return false;
  for (int s : program_.substances) {
    const auto i = static_cast<std::size_t>(s);
    if (x[i] < -1e-10 * scale_[i]) return false;
    if (x[i] < 0 && x[i] > -1e-10 * scale_[i]) x[i] = 0;
  }
  if (equations_.settle(x)) return false;  // beyond a switch
  if (rests) return true;
  // The time course must have come nearer on its way.
  std::vector<double> gap(n_);
  for (std::size_t i = 0; i < n_; ++i) gap[i] = before_[i] - x[i];
  const double was = scaled_size(gap, scale_);
  for (std::size_t i = 0; i < n_; ++i) gap[i] = x_[i] - x[i];
  const double is = scaled_size(gap, scale_);
  if (is > 1e-9 && is >= was) return false;
  if (rows_.kept.size() > few_states) return true;
  ReducedJacobian reduced(program_.pattern, rows_);
  for (auto& value : reduced.eigenvalues(equations_.jacobian(x), program_.mass))
    if (!(value.real() < 0)) return false;
  return true;
}

bool Search::try_newton() {
  if (program_.inputs > 0) return false;
  std::vector<double> x = x_;
  equations_.settle(x);
  const NewtonResult result = newton(problem_, equations_, rows_, scale_, near_enough, x);
  const bool good = acceptable(result, x);
  if (good) {
    note_scale(x);
    found_ = done(std::move(x), true);
  } else {
    equations_.settle(x_);
  }
  return good;
}

// Nothing would change in as much time again as has passed; or nothing has changed, stretch after
// stretch, and what is left of the rates is rounding.
bool Search::stands_still() {
  equations_.rates(x_, f_);
  bool unchanged = true;
  for (std::size_t i = 0; i < n_; ++i) unchanged &= std::fabs(x_[i] - before_[i]) <= 10 * weight(i);
  unchanged_stretches_ = unchanged ? unchanged_stretches_ + 1 : 0;
  if (unchanged_stretches_ >= 3) return true;
  for (std::size_t i = 0; i < n_; ++i) {
    if (!std::isfinite(f_[i])) return false;
    if (!program_.mass.empty() && program_.mass[i] == 0) continue;
    if (std::fabs(f_[i]) * elapsed_ > weight(i) || std::fabs(x_[i] - before_[i]) > weight(i))
      return false;
  }
  return true;
}

SteadyState Search::explain() {
  const std::vector<std::string>& names = program_.state_names;
  const std::string when = " at time " + format_number(request_.start);
  const std::size_t rows = path_.size() / std::max<std::size_t>(n_, 1);
  std::size_t worst = 0, turning = 0;
  double most = -1, turns_most = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    double low = INFINITY, high = -INFINITY;
    int turns = 0;
    double last = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const double value = path_[r * n_ + i];
      low = std::min(low, value);
      high = std::max(high, value);
      if (r == 0) continue;
      const double change = value - path_[(r - 1) * n_ + i];
      if (change * last < 0) ++turns;
      if (change != 0) last = change;
    }
    const double span = (high - low) / scale_[i];
    if (span > most) {
      most = span;
      worst = i;
    }
    if (turns >= 2 && span > 1e-3 && span > turns_most) {
      turns_most = span;
      turning = i;
    }
  }
  if (n_ == 0 || rows == 0) return none(SteadyStatus::unsettled, "it does not come to rest");
  if (turns_most > 0)
    return none(SteadyStatus::oscillates, names[turning] + " still rises and falls" + when);
  const double change = path_[(rows - 1) * n_ + worst] - path_[worst];
  if (change > 0)
    return none(SteadyStatus::grows,
                names[worst] + " still grows" + when + ", it is " + format_number(x_[worst]));
  return none(SteadyStatus::unsettled, names[worst] + " still falls" + when);
}

SteadyState Search::run() {
  x_ = request_.initial;
  largest_.assign(n_, 0);
  scale_.assign(n_, 1);
  f_.assign(n_, 0);
  equations_.time = request_.start;
  note_scale(x_);
  if (!program_.autonomous)
    return none(SteadyStatus::time_dependent,
                "the rates depend on time, so nothing comes to rest for good");
  rows_ = problem_.moieties(
      {equations_.slots.data(), static_cast<std::size_t>(program_.parameters)}, x_);
  equations_.settle(x_);
  equations_.rates(x_, f_);
  before_ = x_;
  bool resting = !program_.hybrid;
  double fastest = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    if (!std::isfinite(f_[i]))
      return none(SteadyStatus::failed, "the rate of change of " + program_.state_names[i] +
                                            " is not finite at the start");
    resting &= f_[i] == 0;
    if (x_[i] != 0) fastest = std::max(fastest, std::fabs(f_[i] / x_[i]));
  }
  if (resting) return done(x_, false);
  double until = fastest > 0 ? 10 / fastest : 1;
  double size = 0;
  int growing = 0;
  for (int k = 0; k < most_stretches; ++k, until *= stride) {
    if (!stretch(until)) {
      const Outcome& outcome = trajectory_.outcome;
      if (outcome.status == Status::interrupted)
        return none(SteadyStatus::interrupted, "interrupted");
      if (outcome.status == Status::too_many_steps) return explain();
      return none(SteadyStatus::failed, describe(outcome, program_.state_names));
    }
    if (try_newton()) return found_;
    if (stands_still()) return done(x_, false);
    // What is several times larger after each longer stretch has no end.
    double now = 0;
    for (double value : x_) now = std::max(now, std::fabs(value));
    growing = now > 0.5 * stride * size && k > 0 ? growing + 1 : 0;
    size = now;
    if (growing >= 8 || !std::isfinite(now)) {
      const auto most = std::max_element(
          x_.begin(), x_.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
      return none(SteadyStatus::grows,
                  program_.state_names[static_cast<std::size_t>(most - x_.begin())] +
                      " grows without end, it is " + format_number(*most) + " at time " +
                      format_number(request_.start));
    }
  }
  return explain();
}

}  // namespace

SteadyProblem::SteadyProblem(System& system, Problem problem)
    : system_(&system),
      problem_(std::move(problem)),
      moieties_(conserved_moieties(system)),
      moieties_vary_(moieties_vary(system)) {
  if (!problem_.program->from_tables) rates_ = differentiate(system, system.rhs);
}

MoietyRows SteadyProblem::moieties(std::span<const double> parameters,
                                   std::span<const double> state) const {
  if (!moieties_vary_) return solve_moieties(moieties_, state);
  return solve_moieties(conserved_moieties(*system_, parameters), state);
}

SteadyState find_steady_state(const SteadyProblem& problem, const Request& request,
                              const SteadyOptions& options) {
  return Search(problem, request, options).run();
}

namespace {

// Whether the rates are gone beside what comes and goes through each state. Where nothing depends
// on a state Newton's method has no step to take, whatever its rate is.
bool balanced(const Program& program, SteadyEquations& equations, std::vector<double>& x) {
  constexpr double small = 1e-8, rounding = 1e-14;
  const Sparsity& pattern = program.pattern;
  std::vector<double> f(x.size()), turnover(x.size(), 0.0);
  const double* jacobian = equations.jacobian(x);
  double most = 0;
  for (std::size_t j = 0; j < x.size(); ++j)
    for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      double& sum = turnover[static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(k)])];
      sum += std::fabs(jacobian[k] * x[j]);
      most = std::max(most, sum);
    }
  equations.rates(x, f);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!(std::fabs(f[i]) <= small * turnover[i] + rounding * most)) return false;
  return true;
}

}  // namespace

bool newton_steady_state(const SteadyProblem& problem, SteadyState& from) {
  const Program& program = problem.program();
  if (!program.autonomous || program.inputs > 0) return false;
  const auto parameters = std::span(from.slots).first(static_cast<std::size_t>(program.parameters));
  for (const std::vector<double>& start : {from.mean, from.state}) {
    if (start.empty()) continue;
    SteadyEquations equations(problem, parameters);
    std::vector<double> x = start;
    equations.settle(x);
    const MoietyRows rows = problem.moieties(parameters, x);
    const NewtonResult result = newton(problem, equations, rows, from.scale, INFINITY, x);
    if (!result.converged || equations.settle(x) || !balanced(program, equations, x)) continue;
    const bool negative =
        std::any_of(program.substances.begin(), program.substances.end(), [&](int s) {
          const auto i = static_cast<std::size_t>(s);
          return x[i] < -1e-10 * from.scale[i];
        });
    if (negative) continue;
    std::vector<double> f(x.size());
    equations.rates(x, f);
    from.residual = scaled_size(f, from.scale);
    from.state = std::move(x);
    from.slots = equations.slots;
    from.newton = true;
    from.stable_route = false;
    from.status = SteadyStatus::found;
    return true;
  }
  return false;
}

std::vector<std::complex<double>> steady_eigenvalues(const SteadyProblem& problem,
                                                     const SteadyState& steady) {
  const Program& program = problem.program();
  const auto parameters =
      std::span(steady.slots).first(static_cast<std::size_t>(program.parameters));
  SteadyEquations equations(problem, parameters);
  equations.slots = steady.slots;
  std::vector<double> x = steady.state;
  const MoietyRows rows = problem.moieties(parameters, x);
  return ReducedJacobian(program.pattern, rows).eigenvalues(equations.jacobian(x), program.mass);
}

bool steady_sensitivities(const SteadyProblem& problem, const SteadyState& steady,
                          std::span<const double> directions, std::span<const double> start,
                          std::size_t thetas, std::span<double> result) {
  const Program& program = problem.program();
  if (program.from_tables || program.inputs > 0) return false;
  const auto parameters =
      std::span(steady.slots).first(static_cast<std::size_t>(program.parameters));
  SteadyEquations equations(problem, parameters);
  equations.slots = steady.slots;
  std::vector<double> x = steady.state;
  const std::size_t n = x.size();
  const MoietyRows rows = problem.moieties(parameters, x);
  ReducedJacobian reduced(program.pattern, rows);
  if (!reduced.factor(equations.jacobian(x), steady.scale)) return false;
  const Differentiated& rates = problem.rates();
  std::vector<double> all(rates.result_size());
  double* arrays[4] = {&equations.time, x.data(), equations.slots.data(), all.data()};
  rates.all(arrays);
  const double* by_state = all.data() + rates.size;
  const double* by_parameter = by_state + rates.by_state.size();
  std::vector<double> shift(n), right(n), change(n);
  for (std::size_t k = 0; k < thetas; ++k) {
    // x = shift + change: the shift carries the conserved sums, the change conserves them.
    std::fill(shift.begin(), shift.end(), 0.0);
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const MoietyRow& row = rows.rows[r];
      double total = start[static_cast<std::size_t>(row.dependent) * thetas + k];
      for (auto& [state, c] : row.others)
        total += c * start[static_cast<std::size_t>(state) * thetas + k];
      shift[static_cast<std::size_t>(row.dependent)] = total;
    }
    // A state that nothing moves stays what it was; its part in conserved sums is taken out again.
    for (int state : reduced.frozen()) {
      const double own = start[static_cast<std::size_t>(state) * thetas + k];
      shift[static_cast<std::size_t>(state)] = own;
      for (const MoietyRow& row : rows.rows)
        for (auto& [other, c] : row.others)
          if (other == state) shift[static_cast<std::size_t>(row.dependent)] -= c * own;
    }
    std::fill(right.begin(), right.end(), 0.0);
    for (std::size_t e = 0; e < rates.by_state.size(); ++e)
      right[static_cast<std::size_t>(rates.by_state[e].row)] -=
          by_state[e] * shift[static_cast<std::size_t>(rates.by_state[e].column)];
    for (std::size_t e = 0; e < rates.by_parameter.size(); ++e)
      right[static_cast<std::size_t>(rates.by_parameter[e].row)] -=
          by_parameter[e] *
          directions[static_cast<std::size_t>(rates.by_parameter[e].column) * thetas + k];
    for (int state : reduced.frozen())
      if (std::fabs(right[static_cast<std::size_t>(state)]) >
          1e-12 * reduced.fastest() * steady.scale[static_cast<std::size_t>(state)])
        return false;  // an unknown would set it in motion
    reduced.solve(right, change);
    for (std::size_t i = 0; i < n; ++i) result[i * thetas + k] = shift[i] + change[i];
  }
  return true;
}

}  // namespace stiffit
