// SPDX-License-Identifier: Apache-2.0
#include "ode/driver/exhaustion.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/far_side.h"

namespace stiffit::internal {
namespace {

constexpr double resolution = 1e-15;  // of the moment, as a share of the step
constexpr double clearly = 10;        // times what the tolerance allows
// A base that falls on at this share of its speed before, or rises, is not at rest.
constexpr double still = 1e-6;
// Next to zero, this small a part of a value, half of it is lost at half the speed if the law is of
// first order; at a larger part if it is of a lower one.
constexpr double next_to_zero = 1e-6, half_speed = 0.501;

}  // namespace

Exhaustion::Exhaustion(LaneGroup& group)
    : group_(group),
      program_(*group.problem.program),
      now_(program_.vanishing.size() * static_cast<std::size_t>(group.lanes)),
      next_(now_.size()),
      largest_(now_.size()),
      armed_(now_.size(), 1),
      time_(static_cast<std::size_t>(group.lanes)),
      trial_(static_cast<std::size_t>(group.n * group.lanes)),
      slope_(trial_.size()),
      parameters_(static_cast<std::size_t>(program_.parameter_slots)),
      values_(program_.vanishing.size()),
      landed_(static_cast<std::size_t>(group.n)) {}

void Exhaustion::evaluate(double* t, double* y, double* out) {
  double* arrays[4] = {t, y, group_.parameters.data(), out};
  program_.bases(arrays);
}

void Exhaustion::begin(int lane) {
  for (std::size_t k = 0; k < program_.vanishing.size(); ++k) {
    largest_[at(k, lane)] = 0;
    armed_[at(k, lane)] = 1;
  }
  unarmed_ &= ~(1u << lane);
}

void Exhaustion::restart(int lane, const LaneMarks& marks) {
  evaluate(group_.t.data(), group_.y.data(), next_.data());
  accept(1u << lane, marks);
}

void Exhaustion::look(const LaneMarks& marks) {
  for (std::size_t l = 0; l < time_.size(); ++l) time_[l] = group_.t[l] + group_.h[l];
  evaluate(time_.data(), group_.y_new.data(), next_.data());
  concerned_ = marks.small_bases(program_.vanishing.size(), next_.data(), largest_.data());
}

void Exhaustion::accept(LaneMask lanes, const LaneMarks& marks) {
  marks.take_bases(lanes, program_.vanishing.size(), next_.data(), now_.data(), largest_.data());
  for (LaneMask left = lanes & unarmed_; left; left &= left - 1) {
    const int l = std::countr_zero(left);
    bool all = true;
    for (std::size_t k = 0; k < program_.vanishing.size(); ++k) {
      if (now_[at(k, l)] > allowed(k, l)) armed_[at(k, l)] = 1;
      all &= armed_[at(k, l)] != 0;
    }
    if (all) unarmed_ &= ~(1u << l);
  }
}

double Exhaustion::allowed(std::size_t k, int lane) const {
  const IntegrationOptions& o = group_.options;
  const int state = program_.vanishing[k].state;
  const double floor = o.rtol * o.scaled_atol * largest_[at(k, lane)];
  return state < 0 ? floor : std::max(floor, group_.weight(state, lane));
}

double Exhaustion::value_at(std::size_t k, double time, const double* state) {
  if (const int own = program_.vanishing[k].state; own >= 0) return state[own];
  double* arrays[4] = {&time, const_cast<double*>(state), parameters_.data(), values_.data()};
  program_.bases_one(arrays);
  return values_[k];
}

Exhaustion::Verdict Exhaustion::judge(int lane, Stepper& stepper, bool may_retry) {
  const std::size_t l = lane, width = group_.lanes;
  share_ = 2;
  for (std::size_t k = 0; k < program_.vanishing.size(); ++k) {
    const double before = now_[at(k, lane)], after = next_[at(k, lane)];
    if (after > 0 && after < LaneMarks::small * largest_[at(k, lane)] && may_retry &&
        bounces(k, lane, stepper))
      return Verdict::leaps;
    if (!(after < 0)) continue;
    const double much = clearly * allowed(k, lane);
    base_ = static_cast<int>(k);
    if (before <= 0 && drained(k, lane)) return Verdict::leaves;
    if (after < -much && may_retry) return Verdict::leaps;
    if (!(before > 0) || !armed_[at(k, lane)]) continue;
    if (share_ > 1)
      for (std::size_t i = 0; i < parameters_.size(); ++i)
        parameters_[i] = group_.parameters[i * width + l];
    share_ = std::min(share_, locate(k, lane, stepper));
  }
  if (share_ > 1) return Verdict::passes;
  stepper.interpolate(lane, share_, landed_.data());
  const double time = group_.t[l] + share_ * group_.h[l];
  bool rests = false;
  for (std::size_t k = 0; k < program_.vanishing.size(); ++k) {
    if (!(now_[at(k, lane)] > 0) || value_at(k, time, landed_.data()) > 0) continue;
    const int state = program_.vanishing[k].state;
    if (state >= 0) landed_[state] = 0;
  }
  for (std::size_t k = 0; k < program_.vanishing.size() && !rests; ++k)
    if (now_[at(k, lane)] > 0 && armed_[at(k, lane)] && value_at(k, time, landed_.data()) <= 0 &&
        !falls_in_proportion(program_.vanishing[k].state, lane)) {
      const double rise = rise_at_landing(k, lane);
      base_ = static_cast<int>(k);
      if (rise < -least_drain(k, lane)) return Verdict::leaves;
      rests = rise <= still * now_[at(k, lane)] / group_.h[l];
    }
  return rests ? Verdict::lands : Verdict::passes;
}

// The interpolant has touched zero and comes back where the law says that the state goes on
// falling: (a - bt)^2 goes on like that where its equation, with a square root, does not.
bool Exhaustion::bounces(std::size_t k, int lane, Stepper& stepper) {
  const int state = program_.vanishing[k].state;
  if (state < 0) return false;
  const std::size_t i = state;
  constexpr double near_end = 0.99;
  stepper.interpolate(lane, near_end, landed_.data());
  const double rise = next_[at(k, lane)] - landed_[i];
  if (!(rise > 0)) return false;
  const std::size_t l = lane, width = group_.lanes;
  for (std::size_t j = 0; j < landed_.size(); ++j) landed_[j] = group_.y_new[j * width + l];
  const double kept = share_;
  share_ = 1;
  const double slope = slope_at_landing(lane)[i * width + l];
  share_ = kept;
  return slope < 0 && rise > 0.1 * (1 - near_end) * group_.h[l] * -slope;
}

// Where the base meets zero, on the far side.
double Exhaustion::locate(std::size_t k, int lane, Stepper& stepper) {
  const double t = group_.t[lane], h = group_.h[lane];
  auto value = [&](double theta) {
    stepper.interpolate(lane, theta, landed_.data());
    return value_at(k, t + theta * h, landed_.data());
  };
  return far_side(0, now_[at(k, lane)], 1, next_[at(k, lane)], resolution, value,
                  [](double x) { return !(x > 0); });
}

// f at landed_, [state][lane].
const double* Exhaustion::slope_at_landing(int lane) {
  const std::size_t l = lane, width = group_.lanes;
  std::copy_n(group_.y_new.data(), trial_.size(), trial_.data());
  for (std::size_t i = 0; i < landed_.size(); ++i) trial_[i * width + l] = landed_[i];
  for (std::size_t m = 0; m < width; ++m) time_[m] = group_.t[m] + share_ * group_.h[m];
  if (group_.inputs) group_.inputs->fill(time_[l], trial_.data(), group_.parameters.data());
  double* arrays[4] = {time_.data(), trial_.data(), group_.parameters.data(), slope_.data()};
  program_.rhs(arrays);
  ++group_.counters[l].f;
  return slope_.data();
}

// What the base gains per time where it is zero: the inflow, or a loss to something else.
double Exhaustion::rise_at_landing(std::size_t k, int lane) {
  const std::size_t l = lane, width = group_.lanes;
  const double h = group_.h[l], time = group_.t[l] + share_ * h;
  slope_at_landing(lane);
  if (const int state = program_.vanishing[k].state; state >= 0)
    return slope_[static_cast<std::size_t>(state) * width + l];
  const double step = 1e-6 * h, begin = value_at(k, time, landed_.data());
  std::vector<double> moved(landed_);
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += step * slope_[i * width + l];
  return (value_at(k, time + step, moved.data()) - begin) / step;
}

// A loss that would take this much more than rounding until the end.
double Exhaustion::least_drain(std::size_t k, int lane) const {
  const std::size_t l = lane;
  const double left = std::max(group_.end[l] - group_.t[l], group_.h[l]);
  return still * largest_[at(k, lane)] / left;
}

// A base at zero that something else goes on consuming.
bool Exhaustion::drained(std::size_t k, int lane) {
  const int state = program_.vanishing[k].state;
  const std::size_t l = lane, width = group_.lanes;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    parameters_[i] = group_.parameters[i * width + l];
  for (std::size_t j = 0; j < landed_.size(); ++j) landed_[j] = group_.y_new[j * width + l];
  if (state >= 0) landed_[state] = 0;
  const double kept = share_;
  share_ = 1;
  const double rise = rise_at_landing(k, lane);
  share_ = kept;
  return rise < -least_drain(k, lane);
}

void Exhaustion::note(int lane, double time, std::vector<UsedUp>& out) {
  evaluate(group_.t.data(), group_.y.data(), next_.data());
  for (std::size_t k = 0; k < program_.vanishing.size(); ++k) {
    if (now_[at(k, lane)] > 0 && armed_[at(k, lane)] && next_[at(k, lane)] <= 0) {
      out.push_back({time, static_cast<int>(k)});
      armed_[at(k, lane)] = 0;
      unarmed_ |= 1u << lane;
    }
  }
}

bool Exhaustion::spent(int lane, const double* slope, std::vector<UsedUp>& out) {
  const std::size_t l = lane, width = group_.lanes;
  bool any = false;
  AlignedArray moved;  // slopes where something has been set to zero
  for (std::size_t k = 0; k < program_.vanishing.size(); ++k) {
    const int state = program_.vanishing[k].state;
    if (state < 0 || !(now_[at(k, lane)] > 0) || !armed_[at(k, lane)]) continue;
    const std::size_t i = static_cast<std::size_t>(state) * width + l;
    const double value = group_.y[i];
    // What is left of it lasts for no time, or it is a trace that lasts for no more than a step: a
    // method of low order may go about in its tolerance for ever.
    const double rounding =
        LaneMarks::rounding_of_time * std::max(std::fabs(group_.t[l]), group_.h[l]);
    const double instant =
        value < LaneMarks::trace * allowed(k, lane) ? std::max(group_.h[l], rounding) : rounding;
    if (!(value > 0) || !(slope[i] < 0) || !(value <= -slope[i] * instant) ||
        falls_in_proportion(state, lane) || !at_rest_without(state, lane))
      continue;
    // What uses it up makes of it what it would have: sums that the equations keep are kept.
    const double left = value / slope[i];
    for (std::size_t j = static_cast<std::size_t>(lane); j < trial_.size(); j += width)
      if (const double change = left * (slope_[j] - slope[j]);
          slope_[j] != slope[j] && std::isfinite(change))
        group_.y[j] += change;
    group_.y[i] = 0;
    armed_[at(k, lane)] = 0;
    unarmed_ |= 1u << lane;
    out.push_back({group_.t[l], static_cast<int>(k)});
    any = true;
    moved = AlignedArray(trial_.size());
    double* arrays[4] = {group_.t.data(), group_.y.data(), group_.parameters.data(), moved.data()};
    program_.rhs(arrays);
    ++group_.counters[l].f;
    slope = moved.data();
  }
  return any;
}

// What the state would gain per time if it were that; slope_ has what the others would.
double Exhaustion::slope_at(int state, double value, int lane) {
  const std::size_t l = lane, width = group_.lanes;
  std::copy_n(group_.y.data(), trial_.size(), trial_.data());
  const std::size_t i = static_cast<std::size_t>(state) * width + l;
  trial_[i] = value;
  if (group_.inputs) group_.inputs->fill(group_.t[l], trial_.data(), group_.parameters.data());
  double* arrays[4] = {group_.t.data(), trial_.data(), group_.parameters.data(), slope_.data()};
  program_.rhs(arrays);
  ++group_.counters[l].f;
  return slope_[i];
}

// Nothing makes the state or takes from it where it is zero.
bool Exhaustion::at_rest_without(int state, int lane) { return slope_at(state, 0, lane) == 0; }

// The law of fractional order is another's: this one loses in proportion to what it is, and is
// never used up.
bool Exhaustion::falls_in_proportion(int state, int lane) {
  if (state < 0) return false;
  const double small = next_to_zero * group_.y[state * group_.lanes + lane];
  const double loss = slope_at(state, small, lane);
  return loss < 0 && slope_at(state, 0.5 * small, lane) >= half_speed * loss;
}

std::string Exhaustion::trouble() const {
  return program_.vanishing[base_].name +
         " falls below zero, where a power of it with a fractional exponent has no value,";
}

}  // namespace stiffit::internal
