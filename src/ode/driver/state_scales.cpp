// SPDX-License-Identifier: Apache-2.0
#include "ode/driver/state_scales.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiffit {
namespace {

constexpr int most_rounds = 12;        // of Jacobians, each at what the one before made known
constexpr int steps_to_settle = 16;    // by then 1e-24 is left of what was expected
constexpr double fading = 1.0 / 1024;  // of an expected size, from step to step
constexpr int steps_between_looks = 64, rejections_to_look = 3;
constexpr double resolved = 1e-16;  // of what a state may become: below, it is nothing
constexpr int rounds_of_noise = 3;
// Differences of fourth order of rates along the time; what is smooth vanishes there, and noise of
// size 1 has sqrt(70) on average. Windows are in units of the step.
constexpr int places_of_noise = 5;
constexpr double noise_weights[places_of_noise] = {1, -4, 6, -4, 1};
constexpr double windows[] = {1.0 / 64, 1.0 / 4};
constexpr double wide_windows[] = {4, 64};
constexpr int halvings = 44;
constexpr double noise_of_difference = 1 / 8.366600265340756;
constexpr double times_noise = 8;
constexpr int many_rejections = 8;   // from one look to the next
constexpr double much_larger = 100;  // than what was expected: that was of another situation
constexpr double time_without_scale = 1e-3;  // as the first step where nothing tells its size
constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();

bool usable(double x) { return x > 1e-290 && x < 1e290; }

}  // namespace

StateScales::StateScales(LaneGroup& group)
    : group_(group),
      program_(*group.problem.program),
      lanes_(static_cast<std::size_t>(group.lanes)) {}

// What comes back from the past is not seen in the equations of the present, and algebraic
// equations are solved together: with those, what rounding makes of the largest state is nothing
// in any of the others.
void StateScales::compare_with_largest(int lane) {
  double top = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(group_.n); ++i)
    top = std::max(top, group_.largest[at(i, lane)]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(group_.n); ++i) {
    double& own = group_.largest[at(i, lane)];
    own = std::max(own, rounding_unit() * top);
  }
}

void StateScales::begin(int lane) {
  if (idle()) return;
  if (joined()) return compare_with_largest(lane);
  lanes_[static_cast<std::size_t>(lane)] = {0, steps_between_looks, 0, 0, false, false};
  for (std::size_t i = 0; !jitter_.empty() && i < static_cast<std::size_t>(group_.n); ++i)
    jitter_[at(i, lane)] = 0;
  if (!orphan_.empty())
    for (std::size_t i = 0; i < static_cast<std::size_t>(group_.n); ++i) orphan_[at(i, lane)] = 0;
  if (has_unknown(lane)) expect(lane, false);
}

KeptScales StateScales::keep(int lane) const {
  KeptScales kept;
  const Lane& own = lanes_[static_cast<std::size_t>(lane)];
  kept.settling = own.settling;
  kept.until_look = own.until_look;
  kept.orphans = own.orphans;
  kept.noisy = own.noisy;
  if (size_.empty()) return kept;
  for (std::size_t i = 0; i < static_cast<std::size_t>(group_.n); ++i) {
    const std::size_t k = at(i, lane);
    kept.reached.push_back(reached_[k]);
    kept.expected.push_back(expected_[k]);
    kept.promised.push_back(promised_[k]);
    kept.rest.push_back(rest_[k]);
    kept.orphan.push_back(orphan_[k]);
    if (!jitter_.empty()) kept.jitter.push_back(jitter_[k]);
  }
  return kept;
}

void StateScales::go_on(int lane, const KeptScales& kept) {
  if (idle() || kept.reached.empty() || joined()) return begin(lane);
  prepare();
  if (!kept.jitter.empty()) jitter_.resize(group_.y.size());
  lanes_[static_cast<std::size_t>(lane)] = {
      kept.settling, std::max(kept.until_look, 1), 0, 0, kept.orphans, kept.noisy};
  for (std::size_t i = 0; i < static_cast<std::size_t>(group_.n); ++i) {
    const std::size_t k = at(i, lane);
    reached_[k] = kept.reached[i];
    expected_[k] = kept.expected[i];
    const double size = std::fabs(group_.y[k]);
    relative_[k] = kept.noisy && group_.share[k] < 1 && size > 0 ? expected_[k] / size : 0;
    promised_[k] = kept.promised[i];
    rest_[k] = kept.rest[i];
    orphan_[k] = kept.orphan[i];
    if (!jitter_.empty()) jitter_[k] = kept.jitter.empty() ? 0 : kept.jitter[i];
  }
}

bool StateScales::has_unknown(int lane) const {
  for (std::size_t i = 0; i < static_cast<std::size_t>(group_.n); ++i)
    if (group_.largest[at(i, lane)] == 0) return true;
  return lanes_[static_cast<std::size_t>(lane)].orphans;
}

// What was nothing, or only rounding, may be fed from now on.
void StateScales::moved(int lane, const double* slope) {
  if (idle() || group_.counters[lane].steps == 0) return;
  if (joined()) return compare_with_largest(lane);
  const auto n = static_cast<std::size_t>(group_.n);
  Lane& own = lanes_[static_cast<std::size_t>(lane)];
  for (std::size_t i = 0; own.orphans && i < n; ++i)  // what an event has made something is that
    if (const std::size_t k = at(i, lane); orphan_[k] && group_.y[k] != 0) {
      orphan_[k] = 0;
      reached_[k] = expected_[k] = rest_[k] = 0;
      group_.largest[k] = group_.share[k] * std::fabs(group_.y[k]);
    }
  double top = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (!is_orphan(i, lane)) top = std::max(top, group_.largest[at(i, lane)]);
  bool fed = false;
  for (std::size_t i = 0; i < n; ++i)
    fed |= group_.largest[at(i, lane)] < resolved * top &&
           (slope[at(i, lane)] != 0 || !program_.autonomous);
  if (!fed && !own.orphans) return;
  prepare();
  faint_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) faint_[i] = group_.largest[at(i, lane)] < resolved * top;
  expect(lane, false);
  faint_.assign(n, 0);
}

void StateScales::prepare() {
  if (!size_.empty()) return;
  const auto n = static_cast<std::size_t>(group_.n), width = lanes_.size();
  jacobian_ = AlignedArray(static_cast<std::size_t>(program_.pattern.nonzeros()) * width);
  time_ = AlignedArray(width);
  for (AlignedArray* a : {&trial_, &slope_, &reached_, &expected_, &promised_, &rest_, &relative_})
    *a = AlignedArray(n * width);
  orphan_.assign(n * width, 0);
  faint_.assign(n, 0);
  for (auto* v : {&size_, &passing_, &inflow_, &yield_, &linear_, &diagonal_}) v->resize(n);
}

void StateScales::differentiate(double* t, double* y) {
  double* arrays[4] = {t, y, group_.parameters.data(), jacobian_.data()};
  if (jacobian_.size() > 0) program_.jacobian(arrays);
}

// What the inflow makes of a state: at rest against its own decay, or all of what its sources
// are, whichever is less. From those that are something to those they feed, and on from there; then
// again with a Jacobian at those sizes, for rates that were zero because of two.
void StateScales::expect(int lane, bool ahead) {
  prepare();
  const auto n = static_cast<std::size_t>(group_.n);
  std::copy_n(group_.y.data(), group_.y.size(), trial_.data());
  for (std::size_t l = 0; l < lanes_.size(); ++l)
    time_[l] = group_.t[l] + (ahead ? group_.h[l] : 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(group_.y[at(i, lane)])) return;
    const bool unknown = orphan_[at(i, lane)] || faint_[i] || (ahead && is_newborn(i, lane));
    size_[i] = passing_[i] = unknown ? 0 : group_.largest[at(i, lane)];
    if (size_[i] == 0) trial_[at(i, lane)] = 0;  // what orphans are to each other is rounding
  }
  bool news = true;
  int later = 0;
  for (int round = 0; round < most_rounds; ++round) {
    if (!news && !look_later(lane, later)) break;
    differentiate(time_.data(), trial_.data());
    double* arrays[4] = {time_.data(), trial_.data(), group_.parameters.data(), slope_.data()};
    program_.rhs(arrays);
    news = spread(lane);
    for (std::size_t i = 0; i < n; ++i)
      if (trial_[at(i, lane)] == 0) trial_[at(i, lane)] = size_[i];
  }
  take_shortest_step(lane, ahead ? group_.h[static_cast<std::size_t>(lane)] : time_without_scale);
  Lane& own = lanes_[static_cast<std::size_t>(lane)];
  const double kept = rounding_unit();
  bool any = false, orphans = false;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t k = at(i, lane);
    if (ahead && is_newborn(i, lane)) {
      orphans |= orphan_[k] != 0;
      if (size_[i] <= much_larger * promised_[k]) continue;
      any = true;
      group_.largest[k] = expected_[k] = promised_[k] = size_[i];
      rest_[k] = group_.share[k] < 1 ? 0 : kept * size_[i];
    } else if (faint_[i] && group_.largest[k] > 0 && !orphan_[k]) {
      if (size_[i] == 0) continue;
      any = true;
      reached_[k] = group_.largest[k];
      group_.largest[k] = expected_[k] = promised_[k] = std::max(size_[i], reached_[k]);
      rest_[k] = group_.share[k] < 1 ? 0 : kept * size_[i];
    } else if (group_.largest[k] == 0 || orphan_[k]) {
      const double size = size_[i];
      if (size == 0 && !orphan_[k]) reached_[k] = 0;
      orphan_[k] = size == 0;
      orphans |= size == 0;
      any |= size > 0;
      if (size > 0) reached_[k] = 0;
      group_.largest[k] = expected_[k] = promised_[k] = size;
      rest_[k] = group_.share[k] < 1 ? 0 : kept * size;
    } else if (own.settling == 0 && !own.noisy) {
      expected_[k] = 0;
    }
  }
  if (any) own.settling = steps_to_settle;
  own.orphans = orphans;
  if (!orphans) return;
  // Nothing feeds them: beside the largest of all, what rounding makes of them is nothing.
  double top = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (!orphan_[at(i, lane)]) top = std::max(top, group_.largest[at(i, lane)]);
  for (std::size_t i = 0; i < n; ++i)
    if (const std::size_t k = at(i, lane); orphan_[k]) group_.largest[k] = rounding_unit() * top;
}

// What is fed and neither used up nor bounded by what feeds it, a clock for example: what a first
// step makes of it.
void StateScales::take_shortest_step(int lane, double shortest) {
  for (double d : diagonal_)
    if (usable(d)) shortest = std::min(shortest, 1 / d);
  for (std::size_t i = 0; i < size_.size(); ++i)
    if (const double made = shortest * std::fabs(slope_[at(i, lane)]);
        size_[i] == 0 && usable(made))
      size_[i] = made;
}

// It has the size that was expected of it: its own is not known.
bool StateScales::is_newborn(std::size_t state, int lane) const {
  const std::size_t k = at(state, lane);
  return lanes_[static_cast<std::size_t>(lane)].settling > 0 && !orphan_[k] &&
         reached_[k] < expected_[k];
}

double StateScales::rounding_unit() const {
  return resolved / std::max(group_.options.rtol * group_.relative_floor(), resolved);
}

// An input that is still off says nothing of what it will feed: what it is after the times that
// states remember, from short to long. False if that has been tried, or would not matter.
bool StateScales::look_later(int lane, int& tried) {
  if (program_.autonomous || tried == 3) return false;
  const auto unknown = [](double size) { return size == 0; };
  if (std::none_of(size_.begin(), size_.end(), unknown)) return false;
  double shortest = INFINITY, longest = 0;
  for (double d : diagonal_)
    if (usable(d)) shortest = std::min(shortest, 1 / d), longest = std::max(longest, 1 / d);
  if (longest == 0) {  // nothing is remembered: as far as a first step, and further
    shortest = time_without_scale;
    longest = 100 * shortest;
  }
  const double times[] = {shortest, std::sqrt(shortest * longest), longest};
  const auto l = static_cast<std::size_t>(lane);
  time_[l] = group_.t[l] + times[tried++];
  return true;
}

// One Jacobian's worth of that. True if a state has got a size.
bool StateScales::spread(int lane) {
  const auto n = static_cast<std::size_t>(group_.n);
  const Sparsity& pattern = program_.pattern;
  std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
  for (std::size_t j = 0; j < n; ++j)
    for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p)
      if (static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(p)]) == j)
        diagonal_[j] = std::fabs(jacobian_[at(static_cast<std::size_t>(p), lane)]);
  known_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const double f = std::fabs(slope_[at(i, lane)]);
    inflow_[i] = std::isfinite(f) ? f : 0;
    yield_[i] = linear_[i] = 0;
    if (size_[i] > 0) known_.push_back(static_cast<int>(i));
  }
  bool news = false;
  for (bool first = true; first || !known_.empty(); first = false) {
    for (int k : known_) {
      const auto j = static_cast<std::size_t>(k);
      for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
        const auto i = static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(p)]);
        const double rate = std::fabs(jacobian_[at(static_cast<std::size_t>(p), lane)]);
        if (size_[i] > 0 || !usable(rate * size_[j])) continue;
        inflow_[i] = std::max(inflow_[i], rate * size_[j]);
        linear_[i] += rate * size_[j];
        yield_[i] += rate / diagonal_[j] * passing_[j];  // no end if the source is not used up
      }
    }
    known_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if (size_[i] > 0 || inflow_[i] == 0) continue;
      const double own = inflow_[i] / diagonal_[i];
      // Of a saturated source the derivative says nothing.
      const bool saturated = 0.5 * std::fabs(slope_[at(i, lane)]) > linear_[i];
      const double passing = usable(yield_[i]) && !saturated ? yield_[i] : own;
      const double size = std::min(own, passing);
      if (!usable(size)) continue;
      size_[i] = size;
      passing_[i] = passing;
      known_.push_back(static_cast<int>(i));
      news = true;
    }
  }
  return news;
}

void StateScales::accepted(LaneMask lanes) {
  if (idle()) return;
  for (int l = 0; l < group_.lanes; ++l) {
    if (!(lanes >> l & 1)) continue;
    if (joined()) {
      compare_with_largest(l);
      continue;
    }
    Lane& lane = lanes_[static_cast<std::size_t>(l)];
    lane.rejections = 0;
    if (lane.settling > 0) {
      --lane.settling;
      settle(l);
    }
    if (lane.noisy) follow_noise(l);
    if (lane.orphans) judge_orphans(l);
    if (--lane.until_look == 0) look(l);
  }
}

// What may grow again has no scale but itself: its noise falls with it.
void StateScales::follow_noise(int lane) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(group_.n); ++i)
    if (const std::size_t k = at(i, lane); relative_[k] > 0 && expected_[k] > 0) {
      expected_[k] = std::min(expected_[k], relative_[k] * std::fabs(group_.y[k]));
      group_.largest[k] = std::max(reached_[k], expected_[k]);
    }
}

// If a step has made something of states that nothing fed, something feeds them now, or did within
// the step.
void StateScales::judge_orphans(int lane) {
  const auto n = static_cast<std::size_t>(group_.n);
  bool any = false;
  std::copy_n(group_.y.data(), group_.y.size(), trial_.data());
  for (std::size_t i = 0; i < n; ++i)
    if (const std::size_t k = at(i, lane); orphan_[k]) {
      any |= group_.y[k] != 0;
      trial_[k] = 0;
    }
  if (!any) return;
  double* arrays[4] = {group_.t.data(), trial_.data(), group_.parameters.data(), slope_.data()};
  program_.rhs(arrays);
  for (std::size_t i = 0; i < n; ++i)
    if (orphan_[at(i, lane)] && slope_[at(i, lane)] != 0) return expect(lane, false);
  for (std::size_t i = 0; i < n; ++i)
    if (const std::size_t k = at(i, lane); orphan_[k] && group_.y[k] != 0) {
      orphan_[k] = 0;
      reached_[k] = expected_[k] = rest_[k] = 0;
      group_.largest[k] = group_.share[k] * std::fabs(group_.y[k]);
    }
}

// The expected sizes fade down to what rounding makes of them.
void StateScales::settle(int lane) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(group_.n); ++i) {
    const std::size_t k = at(i, lane);
    if (expected_[k] == 0 || orphan_[k]) continue;
    reached_[k] = std::max(reached_[k], group_.share[k] * std::fabs(group_.y[k]));
    expected_[k] = std::max(fading * expected_[k], rest_[k]);
    group_.largest[k] = std::max(reached_[k], expected_[k]);
  }
}

// The attempt was in vain, perhaps because nothing fed a state where it began and something does
// where it ended.
void StateScales::rejected(int lane) {
  if (idle() || joined()) return;
  Lane& own = lanes_[static_cast<std::size_t>(lane)];
  ++own.rejected;
  if (++own.rejections <= rejections_to_look && (has_unknown(lane) || own.settling > 0))
    expect(lane, true);
  if (own.rejections == rejections_to_look) look(lane);
}

// Hamming's table of differences, as in More and Wild, SIAM J. Sci. Comput. 33 (2011) 1292: the
// narrowest window counts in which a rate moves at all, before and after. In wider ones it might be
// the rate itself, unless that is a stair.
void StateScales::find_noise_of_inputs(int lane) {
  const auto n = static_cast<std::size_t>(group_.n), l = static_cast<std::size_t>(lane);
  if (program_.autonomous) return;
  if (jitter_.empty()) jitter_.assign(group_.y.size(), 0.0);
  for (std::size_t i = 0; i < n; ++i) jitter_[at(i, lane)] = 0;
  std::copy_n(group_.t.data(), lanes_.size(), time_.data());
  const double t = group_.t[l], h = group_.h[l];
  for (double window : windows) {
    for (double side : {-1.0, 1.0}) {
      std::vector<double>&sum = side < 0 ? linear_ : yield_, &first = passing_;
      std::fill(sum.begin(), sum.end(), 0.0);
      for (int k = 0; k < places_of_noise; ++k) {
        rates_at(lane, t + side * k * window / places_of_noise * h);
        for (std::size_t i = 0; i < n; ++i) {
          const double f = slope_[at(i, lane)];
          if (k == 0) first[i] = f;
          sum[i] += noise_weights[k] * (f - first[i]);
        }
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double here =
          noise_of_difference * std::min(std::fabs(linear_[i]), std::fabs(yield_[i]));
      if (double& own = jitter_[at(i, lane)]; own == 0 && std::isfinite(here)) own = here;
    }
  }
  for (double window : wide_windows)
    if (find_stair(lane, window * h)) return;
}

void StateScales::rates_at(int lane, double t) {
  time_[static_cast<std::size_t>(lane)] = t;
  double* arrays[4] = {time_.data(), group_.y.data(), group_.parameters.data(), slope_.data()};
  program_.rhs(arrays);
}

// A jump in a rate that stands still on either side of it is a stair: one of rounding, since those
// of the model are known. Found by bisection; what moves smoothly does not jump.
bool StateScales::find_stair(int lane, double window) {
  const auto n = static_cast<std::size_t>(group_.n);
  double left = group_.t[static_cast<std::size_t>(lane)], right = left + window;
  auto keep = [&](std::vector<double>& f) {
    for (std::size_t i = 0; i < n; ++i) f[i] = slope_[at(i, lane)];
  };
  rates_at(lane, left);
  keep(linear_);
  rates_at(lane, right);
  keep(yield_);
  std::size_t moves = n;
  double most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double change =
        std::fabs(yield_[i] - linear_[i]) / group_.weight(static_cast<int>(i), lane);
    if (jitter_[at(i, lane)] == 0 && change > most) {
      most = change;
      moves = i;
    }
  }
  if (moves == n) return false;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (left + right);
    if (!(left < middle && middle < right)) break;
    rates_at(lane, middle);
    const bool as_left = slope_[at(moves, lane)] == linear_[moves];
    keep(as_left ? linear_ : yield_);
    (as_left ? left : right) = middle;
  }
  for (std::size_t i = 0; i < n; ++i)
    if (double& own = jitter_[at(i, lane)]; own == 0) own = std::fabs(yield_[i] - linear_[i]);
  return true;
}

// Rounding in the flows through a state over the time that it remembers, and what that is to those
// it feeds.
void StateScales::look(int lane) {
  Lane& own = lanes_[static_cast<std::size_t>(lane)];
  own.until_look = steps_between_looks;
  if (own.settling > 0) return;
  prepare();
  differentiate(group_.t.data(), group_.y.data());
  const auto n = static_cast<std::size_t>(group_.n);
  const Sparsity& pattern = program_.pattern;
  std::fill(inflow_.begin(), inflow_.end(), 0.0);
  std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    const double size = std::fabs(group_.y[at(j, lane)]);
    for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
      const auto i = static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(p)]);
      const double entry = std::fabs(jacobian_[at(static_cast<std::size_t>(p), lane)]);
      inflow_[i] += entry * size;
      if (i == j) diagonal_[i] = entry;
    }
  }
  if (own.rejected >= many_rejections || own.rejections >= rejections_to_look || !jitter_.empty())
    find_noise_of_inputs(lane);
  own.rejected = 0;
  auto jitter = [&](std::size_t i) { return jitter_.empty() ? 0.0 : jitter_[at(i, lane)]; };
  const double h = group_.h[static_cast<std::size_t>(lane)];
  for (std::size_t i = 0; i < n; ++i) {
    size_[i] = h * diagonal_[i] > 1 ? 1 / diagonal_[i] : h;
    yield_[i] = inflow_[i] = (rounding * inflow_[i] + times_noise * jitter(i)) * size_[i];
  }
  for (int round = 0; round < rounds_of_noise; ++round) {
    passing_ = inflow_;
    for (std::size_t j = 0; j < n; ++j)
      for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
        const auto i = static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(p)]);
        const double entry = std::fabs(jacobian_[at(static_cast<std::size_t>(p), lane)]);
        if (i != j) passing_[i] += size_[i] * entry * yield_[j];
      }
    yield_.swap(passing_);
  }
  const double unit = 1 / (group_.options.rtol * std::max(group_.relative_floor(), 1e-30));
  bool noisy = false;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t k = at(i, lane);
    if (orphan_[k]) continue;
    const double noise = unit * yield_[i];
    if (!own.noisy) {
      reached_[k] = group_.largest[k];
      expected_[k] = 0;
    } else if (expected_[k] > 0) {
      reached_[k] = std::max(reached_[k], group_.share[k] * std::fabs(group_.y[k]));
      expected_[k] = 0;
    } else {
      reached_[k] = group_.largest[k];
    }
    const double size = std::fabs(group_.y[k]);
    relative_[k] = 0;
    if (noise > reached_[k] && std::isfinite(noise)) {
      expected_[k] = noise;
      if (group_.share[k] < 1 && size > 0) relative_[k] = noise / size;
      noisy = true;
    }
    group_.largest[k] = std::max(reached_[k], expected_[k]);
  }
  own.noisy = noisy;
}

}  // namespace stiffit
