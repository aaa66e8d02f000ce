// SPDX-License-Identifier: Apache-2.0
#include "ode/driver/state_scales.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace stiffit::internal {
namespace {

constexpr int most_rounds = 12;        // of Jacobians, each at what the one before made known
constexpr int steps_to_settle = 16;    // by then 1e-24 is left of what was expected
constexpr double fading = 1.0 / 1024;  // of an expected size, from step to step
constexpr double resolved = 1e-16;     // of what a state may become: below, it is nothing
constexpr double much_larger = 100;    // than what was expected: that was of another situation
constexpr double time_without_scale = 1e-3;  // as the first step where nothing tells its size

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
  lanes_[lane] = {0, steps_between_looks, 0, 0, 0, false, false, false, -1};
  busy_ |= 1u << lane;
  for (std::size_t i = 0; !jitter_.empty() && i < static_cast<std::size_t>(group_.n); ++i)
    jitter_[at(i, lane)] = 0;
  if (!orphan_.empty())
    for (std::size_t i = 0; i < static_cast<std::size_t>(group_.n); ++i) orphan_[at(i, lane)] = 0;
  if (has_unknown(lane)) expect(lane, false);
}

KeptScales StateScales::keep(int lane) const {
  KeptScales kept;
  const Lane& own = lanes_[lane];
  kept.settling = own.settling;
  kept.until_look = static_cast<int>(steps_to_look(lane));
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
  lanes_[lane] = {kept.settling,
                  std::max(kept.until_look, 1),
                  0,
                  0,
                  0,
                  kept.orphans,
                  kept.noisy,
                  kept.noisy,
                  -1};
  busy_ |= 1u << lane;
  renewed_ = true;
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
  return lanes_[lane].orphans;
}

// What was nothing, or only rounding, may be fed from now on.
void StateScales::moved(int lane, const double* slope) {
  if (idle() || group_.counters[lane].steps == 0) return;
  if (joined()) return compare_with_largest(lane);
  const std::size_t n = group_.n;
  Lane& own = lanes_[lane];
  busy_ |= 1u << lane;
  renewed_ = true;  // the step that led here is not told of as accepted
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
  const std::size_t n = group_.n;
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
    const bool complete = round > 0 && std::count(size_.begin(), size_.end(), 0.0) == 0;
    if (complete || (!news && !look_later(lane, later))) break;
    differentiate(time_.data(), trial_.data());
    double* arrays[4] = {time_.data(), trial_.data(), group_.parameters.data(), slope_.data()};
    program_.rhs(arrays);
    news = spread(lane);
    for (std::size_t i = 0; i < n; ++i)
      if (trial_[at(i, lane)] == 0) trial_[at(i, lane)] = size_[i];
  }
  take_shortest_step(lane, ahead ? group_.h[lane] : time_without_scale);
  Lane& own = lanes_[lane];
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
  own.expected_at = group_.counters[lane].steps;
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
  return lanes_[lane].settling > 0 && !orphan_[k] && reached_[k] < expected_[k];
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
  const std::size_t l = lane;
  time_[l] = group_.t[l] + times[tried++];
  return true;
}

// One Jacobian's worth of that. True if a state has got a size.
bool StateScales::spread(int lane) {
  const std::size_t n = group_.n;
  const Sparsity& pattern = program_.pattern;
  std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
  for (std::size_t j = 0; j < n; ++j)
    for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p)
      if (static_cast<std::size_t>(pattern.row[p]) == j)
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
      const std::size_t j = k;
      for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
        const std::size_t i = pattern.row[p];
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
  if (joined()) {
    for (; lanes; lanes &= lanes - 1) compare_with_largest(std::countr_zero(lanes));
    return;
  }
  // Most often no lane has anything to do, and none will until the next look.
  const bool some = program_.autonomous && --rounds_to_look_ > 0;
  for (LaneMask left = some ? lanes & busy_ : lanes; left; left &= left - 1)
    follow(std::countr_zero(left));
  if (some && !renewed_) return;
  renewed_ = false;
  rounds_to_look_ = steps_between_looks;
  for (int l = 0; l < group_.lanes; ++l)
    rounds_to_look_ = std::min(rounds_to_look_, steps_to_look(l));
}

long StateScales::steps_to_look(int lane) const {
  return lanes_[lane].look_at - group_.counters[lane].steps;
}

void StateScales::follow(int l) {
  Lane& lane = lanes_[l];
  lane.rejections = 0;
  lane.tried = 0;
  if (lane.settling > 0) lane.settling = settle(l) ? 0 : lane.settling - 1;
  if (lane.fading_noise) follow_noise(l);
  if (lane.orphans) judge_orphans(l);
  if (steps_to_look(l) <= 0 ||
      (!program_.autonomous && rejected_since_look(l) >= many_rejections)) {
    if (lane.settling == 0) look(l);
    lane.look_at = group_.counters[l].steps + steps_between_looks;
  }
  if (lane.settling == 0 && !lane.fading_noise && !lane.orphans) busy_ &= ~(1u << l);
}

// If a step has made something of states that nothing fed, something feeds them now, or did within
// the step.
void StateScales::judge_orphans(int lane) {
  const std::size_t n = group_.n;
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

// The expected sizes fade down to what rounding makes of them. True if every state has shown a size
// that is no less than what is left of what was expected.
bool StateScales::settle(int lane) {
  bool known = true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(group_.n); ++i) {
    const std::size_t k = at(i, lane);
    if (expected_[k] == 0 || orphan_[k]) continue;
    reached_[k] = std::max(reached_[k], group_.share[k] * std::fabs(group_.y[k]));
    expected_[k] = std::max(fading * expected_[k], rest_[k]);
    group_.largest[k] = std::max(reached_[k], expected_[k]);
    known &= reached_[k] >= expected_[k];
  }
  return known;
}

// The attempt was in vain, perhaps because nothing fed a state where it began and something does
// where it ended.
void StateScales::rejected(int lane) {
  if (idle() || joined()) return;
  Lane& own = lanes_[lane];
  busy_ |= 1u << lane;
  own.tried = std::max(own.tried, group_.h[lane]);
  if (++own.rejections <= rejections_to_look && (has_unknown(lane) || own.settling > 0) &&
      !expects_the_same(lane))
    expect(lane, true);
  if (own.rejections == rejections_to_look) look(lane);
}

// What only the state decides is what it was when the lane stood here before.
bool StateScales::expects_the_same(int lane) const {
  return program_.autonomous && lanes_[lane].expected_at == group_.counters[lane].steps &&
         group_.h[lane] <= much_larger * time_without_scale;
}

// Methods that choose their steps themselves count what they reject.
long StateScales::rejected_since_look(int lane) const {
  return group_.counters[lane].rejected - lanes_[lane].rejected;
}

bool StateScales::explain_failure(int lane) {
  if (idle() || joined()) return false;
  Lane& own = lanes_[lane];
  busy_ |= 1u << lane;
  own.rejections = rejections_to_look;
  return look(lane);
}

}  // namespace stiffit::internal
