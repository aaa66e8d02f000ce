// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/multistep/bdf_lane.h"

#include <algorithm>
#include <cmath>

#include "ode/driver/step_control.h"

namespace stiffit::internal::bdf {
namespace {

// Estimated errors are multiplied by these before a step or order is chosen.
constexpr double safety = 6, safety_lower = 6, safety_higher = 10;

// error^(-1/power), or 1 where that is not worth a change: most steps need no root.
double growth_for(double error, int power) {
  double limit = 1;
  for (int k = 0; k < power; ++k) limit *= 1 / Lane::worth_changing;
  return error < limit ? 1 / (rough_root(error, power) + 1e-6) : 1;
}

}  // namespace

void Lane::begin_again() {
  order = 1;
  wait = 2;
  failures = 0;
  scaled_to = 1;
  steps = {};
}

void Lane::start() {
  begin_again();
  wants_jacobian = true;
  biggest_growth = first_growth;
}

// c is that of the step before if nothing it looks at has changed.
void Lane::prepare(double step) {
  h = step;
  bool same = order == made_for_.order && h == made_for_.h;
  for (int i = 0; i < order; ++i) same &= steps.size[i] == made_for_.steps.size[i];
  if (same) return;
  c = step_coefficients(order, h, steps);
  made_for_ = {order, h, steps};
}

bool Lane::drifted(const MatrixPolicy& policy) const {
  const double drift = diagonal() / matrix;
  return !(factored && drift >= policy.smallest_drift && drift <= policy.largest_drift);
}

void Lane::new_jacobian() {
  wants_jacobian = false;
  jacobian_age = 0;
  extra_iterations = 0;
  rate = rate_expected;
}

// A matrix made for another h takes too much in the slow components or too little in the fast.
double Lane::relaxation() const {
  const double ratio = matrix / (c.lambda[1] * (1 / h));
  return 2 * ratio / (1 + ratio);
}

void Lane::begin_newton(const MatrixPolicy& policy) {
  // The rate in slow components or fast ones, if J were still right.
  const double ratio = matrix / (c.lambda[1] * (1 / h));
  if (!policy.keeps_jacobian) rate = std::max(rate, std::fabs(1 - ratio) / (1 + ratio));
}

Lane::Newton Lane::judge(int iteration, double before, double allowed, const MatrixPolicy& policy) {
  if (std::isnan(change)) return Newton::failed;
  if (iteration > 1) {
    rate = std::max(0.3 * rate, change / before);
    if (rate > policy.slowest) return Newton::failed;
    ++extra_iterations;
  }
  // What is left of the error after a change of size one.
  const double left = policy.keeps_jacobian ? std::min(1.0, rate) : rate / (1 - rate);
  if (change * left > allowed) return Newton::goes_on;
  wants_jacobian = extra_iterations > policy.most_extra;
  return Newton::converged;
}

void Lane::accepted() {
  scaled_to = h;
  steps.push(h);
  failures = 0;
  --wait;
}

double Lane::higher_factor() const {
  double power = 1;
  for (int k = 0; k <= order; ++k) power *= h / steps.size[1];
  return c.growth / growth_before * power;
}

Lane::Choice Lane::choose(double error, const double* lower, const double* higher) {
  Choice choice{order, 1};
  if (biggest_growth == 1) {  // just failed: no change for two steps
    wait = std::max(wait, 2);
    return choice;
  }
  choice.growth = growth_for(safety * error, order + 1);
  if (wait <= 0) wait = 2;
  auto consider = [&](int other, double other_error) {
    const double growth = growth_for(other_error, other + 1);
    if (growth > choice.growth) choice = {other, growth};
  };
  if (lower) consider(order - 1, safety_lower * c.lower * *lower);
  if (higher) consider(order + 1, safety_higher * c.higher * *higher);
  choice.growth = std::min(choice.growth, biggest_growth);
  return choice;
}

void Lane::changed_order(int to) {
  order = to;
  wait = order + 1;
}

double Lane::shrink(double error, bool keeps_jacobian, Remedy& remedy) {
  biggest_growth = 1;
  wants_jacobian = keeps_jacobian || std::isnan(error);
  remedy = Remedy::none;
  if (std::isnan(error)) return 0.25;
  if (++failures >= 3) {
    remedy = Remedy::begin_again;  // the past misleads
    return 0.1;
  }
  double growth = std::max(0.1, 1 / rough_root(safety * error, order + 1));
  if (failures == 2) {
    growth = std::min(growth, 0.2);
    if (order > 1) remedy = Remedy::lower_order;
  }
  return std::min(growth, 0.9);
}

}  // namespace stiffit::internal::bdf
