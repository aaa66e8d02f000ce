// The time course in longer and longer stretches, and after each the question whether it is near
// enough to its end for Newton's method, or there.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analysis/steady/rest_check.h"
#include "analysis/steady/steady_newton.h"
#include "base/number.h"
#include "ode/continuation.h"
#include "ode/method_registry.h"

namespace stiffit::internal {
namespace {

constexpr double stride = 8;  // each stretch of the time course is so much longer
constexpr int most_stretches = 60;
// Stretches that a state may grow through before it grows without end: beyond this ratio of times
// no rate is told from zero.
constexpr int most_growing = 24;
constexpr double zero_share = 1e-3;   // of the largest size of a state: so small it counts as zero
constexpr double near_enough = 0.01;  // Newton's first step and all its way, in units of the scale
constexpr double simple_root = 0.25;  // Newton's steps shrink at least so much each
constexpr int few_states = 16;        // of a block: up to here all eigenvalues are looked at
constexpr int most_departures = 40;   // stretches that follow how an unstable state is left

// The way to rest is long and its end stiff, whatever the beginning is.
IntegrationOptions to_rest(IntegrationOptions options) {
  if (const MethodEntry* method = find_method(options.method); method->role == MethodRole::standard)
    options.method = method_name(MethodRole::stiff);
  return options;
}

class Search {
 public:
  Search(const SteadyProblem& problem, const Request& request, const SteadyOptions& options);
  SteadyState run();

 private:
  bool stretch(double until);
  double growth();
  double due() const;
  bool switched_for_ever(std::vector<double> x);
  bool try_newton();
  bool try_rest();
  bool acceptable(const NewtonResult& result, std::vector<double>& x);
  bool usable(std::vector<double>& x);
  bool come_nearer(std::span<const double> x) const;
  void look_at_moieties();
  SteadyState done(std::vector<double> x, bool by_newton);
  double settling_time(std::vector<double>& x);
  SteadyState none(SteadyStatus status, std::string detail);
  SteadyState broken_down();
  SteadyState goes_on(int state);
  SteadyState explain();
  int grown_without_end();
  void fill_in(SteadyState& s);
  void note_sizes(std::span<const double> x);
  double tolerance() const { return options_.integration.rtol; }  // in units of the scale
  std::span<const double> parameters() const {
    return {equations_.slots.data(), static_cast<std::size_t>(program_.parameters)};
  }

  const SteadyProblem& problem_;
  const Program& program_;  // at rest
  const SteadyOptions& options_;
  Request request_;
  SteadyEquations equations_;
  Simulator simulator_;
  Trajectory trajectory_;
  RestCheck rest_;
  MoietyRows rows_;
  std::size_t n_;
  std::vector<double> start_, x_, before_, f_, largest_, lowest_, scale_;
  std::vector<char> absent_, nonnegative_;
  std::vector<double> path_;  // samples of the last stretches
  std::vector<int> growing_;  // per state: stretches in a row
  int departures_ = 0;
  double now_ = 0, elapsed_ = 0;
  Counters counters_;
  SteadyState found_;
};

Search::Search(const SteadyProblem& problem, const Request& request, const SteadyOptions& options)
    : problem_(problem),
      program_(problem.equations()),
      options_(options),
      request_(request),
      equations_(problem,
                 request.parameters.empty() ? program_.parameter_values : request.parameters),
      simulator_(problem.problem(), to_rest(options.integration)),
      rest_(problem),
      n_(program_.states) {
  if (request_.initial.empty()) {
    request_.initial.resize(n_);
    double* arrays[2] = {equations_.slots.data(), request_.initial.data()};
    program_.initial(arrays);
  }
  start_ = x_ = before_ = request_.initial;
  largest_.assign(n_, 0);
  lowest_.assign(n_, 0);
  scale_.assign(n_, 1);
  f_.assign(n_, 0);
  growing_.assign(n_, 0);
  absent_.assign(n_, 0);
  nonnegative_ = problem.nonnegative();
  equations_.time = now_ = request_.start;
  request_.keep_end = true;
}

// The size of a state is its own, now and as large as it has been.
void Search::note_sizes(std::span<const double> x) {
  const IntegrationOptions& o = options_.integration;
  for (std::size_t i = 0; i < n_; ++i) {
    largest_[i] = std::max(largest_[i], std::fabs(x[i]));
    lowest_[i] = std::min(lowest_[i], x[i]);
    scale_[i] = std::fabs(x[i]) + (o.atol < 0 ? zero_share * largest_[i] : o.atol / o.rtol);
    absent_[i] = largest_[i] == 0;
    if (!(scale_[i] > 0)) scale_[i] = 1;  // nothing is known of it but zero
    const bool below = start_[i] < 0 || lowest_[i] < -100 * tolerance() * largest_[i];
    nonnegative_[i] = problem_.nonnegative()[i] ? !below : start_[i] >= 0 && lowest_[i] >= 0;
  }
}

void Search::fill_in(SteadyState& s) {
  s.slots = equations_.slots;
  s.time = elapsed_;
  s.scale = scale_;
  s.nonnegative = nonnegative_;
  s.delays = problem_.delays();
  s.counters = counters_;
  for (std::size_t i = 0; i < n_; ++i)
    if (problem_.nonnegative()[i] && !nonnegative_[i] && s.state[i] < 0)
      s.negative.push_back(static_cast<int>(i));
}

SteadyState Search::done(std::vector<double> x, bool by_newton) {
  SteadyState s;
  s.status = SteadyStatus::found;
  equations_.settle(x);
  equations_.rates(x, f_);
  for (std::size_t i = 0; i < n_; ++i)
    if (!program_.mass.empty() && program_.mass[i] == 0) f_[i] = 0;
  s.residual = scaled_size(f_, scale_);
  s.state = std::move(x);
  s.newton = by_newton;
  s.settling = settling_time(s.state);
  fill_in(s);
  return s;
}

double Search::settling_time(std::vector<double>& x) {
  constexpr double gone = 40;  // times the mode's own time
  ReducedJacobian reduced(program_.pattern, rows_);
  reduced.factor(equations_.jacobian(x));
  double result = elapsed_;
  for (std::size_t b = 0; b < reduced.blocks().size(); ++b)
    if (const double rate = reduced.rate(b);
        rate > 0 && !(rate * elapsed_ <= tolerance() && elapsed_ > 0))
      result = std::max(result, gone / rate);
  return result > 0 ? result : 1;  // nothing is in motion, nor ever will be
}

SteadyState Search::none(SteadyStatus status, std::string detail) {
  SteadyState s;
  s.status = status;
  s.detail = std::move(detail);
  equations_.settle(x_);
  s.state = x_;
  s.path = path_;
  fill_in(s);
  return s;
}

// From x_ on, to `until` after the start. False if it broke down.
bool Search::stretch(double until) {
  constexpr std::size_t samples = 32;
  before_ = x_;
  request_.times.clear();
  const double length = until - elapsed_;
  for (std::size_t k = 1; k <= samples; ++k)
    request_.times.push_back(now_ + length * static_cast<double>(k) / samples);
  simulator_.options().max_steps = options_.max_steps - counters_.steps - counters_.rejected;
  simulator_.run(request_, trajectory_);
  counters_ += trajectory_.outcome.counters;
  const std::size_t rows = trajectory_.rows_reached;
  const double* states = trajectory_.states.data();
  // A stretch cut short goes on from those before it.
  constexpr std::size_t most = 4 * samples;
  path_.insert(path_.end(), states, states + rows * n_);
  if (path_.size() > most * n_) path_.erase(path_.begin(), path_.end() - (most * n_));
  for (std::size_t r = 0; r < rows; ++r) note_sizes({states + r * n_, n_});
  if (rows > 0) {
    x_.assign(states + (rows - 1) * n_, states + rows * n_);
    elapsed_ += request_.times[rows - 1] - now_;
    now_ = request_.times[rows - 1];
  }
  equations_.time = now_;
  equations_.settle(x_);
  // Events that wait and the past that delays look back at go on, too.
  request_.from = trajectory_.end;
  return trajectory_.outcome.status == Status::done;
}

// The rate at which a mode grows where the time course stands, or 0. Steps that are long beside it
// would bring an implicit method to rest on an unstable state.
double Search::growth() {
  if (rows_.kept.size() > few_states || problem_.delays()) return 0;
  ReducedJacobian reduced(program_.pattern, rows_);
  const double* jacobian = equations_.jacobian(x_);
  reduced.factor(jacobian);
  reduced.mark_absent(absent_);
  if (reduced.blocks().empty() || !reduced.grows(few_states, program_.mass)) return 0;
  const double rate = reduced.eigenvalues(jacobian, program_.mass).front().real();
  return std::isfinite(rate) ? rate : 0;
}

// When the model itself will change something next: infinity if an event waits, the time of the
// last switch that is set by the clock, or less than now if there is none.
double Search::due() const {
  if (!program_.hybrid) return -INFINITY;
  if (request_.from && request_.from->events && request_.from->events->anything_pending())
    return INFINITY;
  const HybridProgram& hybrid = *program_.hybrid;
  std::vector<double> x = x_, slots = equations_.slots;
  std::vector<double> roots(hybrid.modes.size()), slopes(hybrid.modes.size());
  double time = now_, latest = -INFINITY;
  double* at_roots[4] = {&time, x.data(), slots.data(), roots.data()};
  double* at_slopes[4] = {&time, x.data(), slots.data(), slopes.data()};
  hybrid.roots(at_roots);
  hybrid.slopes(at_slopes);
  for (std::size_t k = 0; k < hybrid.modes.size(); ++k) {
    if (!hybrid.modes[k].linear || hybrid.modes[k].kind == ModeKind::whole) continue;
    const double zero = time - roots[k] / slopes[k];
    if (std::isfinite(zero)) latest = std::max(latest, zero);
  }
  return latest;
}

// Whether a switch that the clock turns again and again (a square wave, whole days) moves anything
// at x: not if its amplitude is zero.
bool Search::switched_for_ever(std::vector<double> x) {
  if (!program_.hybrid) return false;
  const std::vector<Mode>& modes = program_.hybrid->modes;
  const std::vector<double> slots = equations_.slots;
  bool moves = false;
  for (std::size_t k = 0; k < modes.size() && !moves; ++k) {
    if (!modes[k].clock || (modes[k].linear && modes[k].kind != ModeKind::whole)) continue;
    double& mode = equations_.slots[program_.parameters + k];
    mode = modes[k].kind == ModeKind::whole ? mode + 1 : 1 - mode;
    double* arrays[1] = {equations_.slots.data()};
    program_.hybrid->prepare(arrays);
    moves = !balanced(problem_, equations_, scale_, x);
    equations_.slots = slots;
  }
  return moves;
}

void Search::look_at_moieties() {
  // By what holds most of a sum now; the sums are those of the start.
  rows_ = problem_.moieties(parameters(), x_);
}

// Nothing below zero that may not be, and no switch on the way to it.
bool Search::usable(std::vector<double>& x) {
  for (std::size_t i = 0; i < n_; ++i) {
    if (!nonnegative_[i] || !(x[i] < 0)) continue;
    if (x[i] < -1e-10 * scale_[i]) return false;
    x[i] = 0;
  }
  return !equations_.settle(x);
}

// The time course must have come nearer on its way, but for its own errors.
bool Search::come_nearer(std::span<const double> x) const {
  std::vector<double> gap(n_);
  for (std::size_t i = 0; i < n_; ++i) gap[i] = before_[i] - x[i];
  const double was = scaled_size(gap, scale_);
  for (std::size_t i = 0; i < n_; ++i) gap[i] = x_[i] - x[i];
  const double is = scaled_size(gap, scale_);
  return is <= 0.5 * was || is <= 100 * tolerance();
}

bool Search::acceptable(const NewtonResult& result, std::vector<double>& x) {
  if (!result.converged || result.distance > 2 * near_enough) return false;
  if (result.contraction > simple_root) return false;
  if (!come_nearer(x) || !usable(x) || !balanced(problem_, equations_, scale_, x)) return false;
  ReducedJacobian reduced(program_.pattern, rows_);
  if (!reduced.factor(equations_.jacobian(x))) return false;
  reduced.mark_absent(absent_);
  // Every mode has had its time; one whose rate has all but vanished at x would come to rest
  // anywhere.
  for (std::size_t b = 0; b < reduced.blocks().size(); ++b) {
    const ReducedJacobian::Block& block = reduced.blocks()[b];
    if (!block.neutral && !block.absent && !(reduced.rate(b) * elapsed_ >= 1)) return false;
  }
  return !reduced.grows(few_states, program_.mass);
}

bool Search::try_newton() {
  if (problem_.delays()) return false;  // J does not tell what decays
  std::vector<double> x = x_;
  for (std::size_t r = 0; r < rows_.rows.size(); ++r) {
    double& dependent = x[rows_.rows[r].dependent];
    dependent += rows_.total(r, start_) - rows_.total(r, x);
  }
  equations_.settle(x);
  const NewtonResult result =
      newton(problem_, equations_, rows_, {scale_, nonnegative_, near_enough, false}, x);
  const bool good = acceptable(result, x);
  if (good) {
    note_sizes(x);
    found_ = done(std::move(x), true);
  } else {
    equations_.settle(x_);
  }
  return good;
}

// Where Newton's method cannot finish, the time course has to. What it leaves within its tolerance
// Newton may still take away.
bool Search::try_rest() {
  double elapsed = elapsed_;
  if (problem_.delays()) {
    const double lag = problem_.longest_lag(
        now_,
        {equations_.slots.data(), static_cast<std::size_t>(program_.parameters + program_.modes)},
        x_);
    if (elapsed < 2 * stride * lag) return false;
  }
  if (!rest_.rests(equations_, rows_, x_, {before_, scale_, absent_, elapsed, tolerance()}))
    return false;
  std::vector<double> x = x_;
  const double close = 100 * tolerance();
  const NewtonResult result =
      newton(problem_, equations_, rows_, {scale_, nonnegative_, close, false}, x);
  const bool finished = result.converged && result.distance <= close && usable(x);
  if (!finished) {
    x = x_;
    equations_.settle(x);
    for (std::size_t i = 0; i < n_; ++i)
      if (nonnegative_[i] && x[i] < 0 && x[i] >= -close * scale_[i]) x[i] = 0;
  }
  found_ = done(std::move(x), finished);
  return true;
}

SteadyState Search::explain() {
  const std::vector<std::string>& names = program_.state_names;
  const std::string when = " at time " + format_number(now_);
  const std::size_t all = path_.size() / std::max<std::size_t>(n_, 1);
  const std::size_t first = all - std::min<std::size_t>(all, 48), rows = all - first;
  std::size_t worst = 0, turning = 0;
  double most = -1, turns_most = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    double low = INFINITY, high = -INFINITY;
    int turns = 0;
    double last = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const double value = path_[(first + r) * n_ + i];
      low = std::min(low, value);
      high = std::max(high, value);
      if (r == 0) continue;
      const double change = value - path_[(first + r - 1) * n_ + i];
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
  for (std::size_t i = 0; i < n_; ++i)
    if (growing_[i] >= 6)
      return none(SteadyStatus::grows, names[i] + (x_[i] < 0 ? " still falls" : " still grows") +
                                           when + ", it is " + format_number(x_[i]));
  if (turns_most > 0)
    return none(SteadyStatus::oscillates, names[turning] + " still rises and falls" + when);
  equations_.rates(x_, f_);
  const double speed = std::fabs(f_[worst]) / std::max(std::fabs(x_[worst]), 1e-300);
  const std::string rate = ": it is " + format_number(x_[worst]) + " and changes by " +
                           format_number(speed) + " of itself per unit of time";
  const double change = path_[(all - 1) * n_ + worst] - path_[first * n_ + worst];
  if (change > 0) return none(SteadyStatus::grows, names[worst] + " still grows" + when + rate);
  return none(SteadyStatus::unsettled, names[worst] + " still falls" + when + rate);
}

// What is several times larger after each longer stretch, longer than any rates differ, has no end.
int Search::grown_without_end() {
  for (std::size_t i = 0; i < n_; ++i) {
    if (!std::isfinite(x_[i])) return static_cast<int>(i);
    const bool grown = std::fabs(x_[i]) > 0.5 * stride * std::fabs(before_[i]) && x_[i] != 0;
    growing_[i] = grown ? growing_[i] + 1 : 0;
    if (growing_[i] >= most_growing) return static_cast<int>(i);
  }
  return -1;
}

SteadyState Search::goes_on(int state) {
  const std::size_t i = state;
  return none(SteadyStatus::grows, program_.state_names[i] + (x_[i] < 0 ? " falls" : " grows") +
                                       " without end, it is " + format_number(x_[i]) + " at time " +
                                       format_number(now_));
}

SteadyState Search::broken_down() {
  const Outcome& outcome = trajectory_.outcome;
  if (outcome.status == Status::interrupted) return none(SteadyStatus::interrupted, "interrupted");
  if (outcome.status == Status::too_many_steps) return explain();
  return none(SteadyStatus::failed, describe(outcome, program_.state_names));
}

SteadyState Search::run() {
  note_sizes(x_);
  if (!program_.autonomous)
    return none(SteadyStatus::time_dependent,
                "the rates depend on time, so nothing comes to rest for good");
  equations_.settle(x_);
  equations_.rates(x_, f_);
  bool resting = !program_.hybrid;
  double fastest = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    if (!std::isfinite(f_[i]))
      return none(SteadyStatus::failed, "the rate of change of " + program_.state_names[i] +
                                            " is not finite at the start");
    resting &= f_[i] == 0;
    if (x_[i] != 0) fastest = std::max(fastest, std::fabs(f_[i] / x_[i]));
  }
  look_at_moieties();
  if (resting) return done(x_, false);
  // Where all that moves is zero, J tells a time.
  const double* jacobian = equations_.jacobian(x_);
  if (fastest == 0)
    for (std::size_t j = 0; j < n_; ++j)
      for (int k = program_.pattern.column_start[j]; k < program_.pattern.column_start[j + 1]; ++k)
        if (program_.pattern.row[k] == static_cast<int>(j) && std::isfinite(jacobian[k]))
          fastest = std::max(fastest, std::fabs(jacobian[k]));
  double until = fastest > 0 ? 10 / fastest : 1;
  for (int k = 0; k < most_stretches; ++k) {
    double end = until;
    simulator_.options().max_step = options_.integration.max_step;
    if (departures_ < most_departures)
      if (const double rate = growth(); rate * (until - elapsed_) > 20) {
        ++departures_;
        end = elapsed_ + 20 / rate;
        simulator_.options().max_step = std::min(options_.integration.max_step, 0.5 / rate);
      }
    if (!stretch(end)) return broken_down();
    if (end == until) until *= stride;
    if (const int state = grown_without_end(); state >= 0) return goes_on(state);
    if (const double next = due(); next > now_) {
      if (std::isfinite(next)) until = std::max(until, elapsed_ + 2 * (next - now_));
      continue;
    }
    if (!trajectory_.events.empty()) continue;  // they may come again
    look_at_moieties();
    if (!try_newton() && !try_rest()) {
      if (const int state = rest_.moves_for_ever(); state >= 0) return goes_on(state);
      continue;
    }
    if (!switched_for_ever(found_.state)) return found_;
    return none(SteadyStatus::time_dependent,
                "the rates are switched by the clock again and again, so nothing rests for good");
  }
  return explain();
}

}  // namespace

SteadyState find_steady_state(const SteadyProblem& problem, const Request& request,
                              const SteadyOptions& options) {
  return Search(problem, request, options).run();
}

}  // namespace stiffit::internal
