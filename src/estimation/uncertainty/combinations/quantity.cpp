// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/combinations/quantity.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {

std::vector<double> values_of(const std::vector<EstimatedParameter>& unknowns,
                              std::span<const double> theta) {
  std::vector<double> values(theta.size());
  for (std::size_t i = 0; i < theta.size(); ++i)
    values[i] = from_theta(theta[i], unknowns[i].scale);
  return values;
}

QuantityScale::QuantityScale(const Objective& objective, const Quantity& quantity,
                             std::span<const double> best)
    : unknowns_(objective.unknowns()), quantity_(quantity) {
  const std::vector<double> values = values_of(unknowns_, best);
  std::vector<double> gradient;
  const double value = quantity.value(values, &gradient);
  double terms = 0;
  for (std::size_t i = 0; i < values.size(); ++i) terms += std::abs(gradient[i] * values[i]);
  small_ = 0.1 * std::max(std::abs(value), 0.01 * terms);
  if (!(small_ > 0) || !std::isfinite(small_)) small_ = 1;
}

double QuantityScale::stretch(double value) const { return std::asinh(value / small_); }
double QuantityScale::value(double stretched) const { return small_ * std::sinh(stretched); }
double QuantityScale::by_factors(double value) const {
  return std::hypot(value, small_) / std::abs(value);
}

StretchedQuantity QuantityScale::at(std::span<const double> theta) const {
  StretchedQuantity q;
  const std::vector<double> values = values_of(unknowns_, theta);
  q.value = quantity_.value(values, &q.slopes);
  q.stretched = stretch(q.value);
  const double slope = 1 / std::hypot(q.value, small_);
  for (std::size_t i = 0; i < values.size(); ++i)
    q.slopes[i] *= slope * theta_slope(values[i], unknowns_[i].scale);
  return q;
}

double PulledObjective::pull(std::span<const double> theta) const {
  const double off = weight_ * (scale_.at(theta).stretched - target_);
  return 0.5 * unit_ * off * off;
}

Evaluation PulledObjective::evaluate(std::span<const double> theta, Need need) const {
  Evaluation e = whole_.evaluate(theta, need);
  if (!e.ok()) return e;
  const StretchedQuantity q = scale_.at(theta);
  if (!std::isfinite(q.stretched)) {
    e.failure = scale_.quantity().formula + " has no value there";
    e.value = std::nan("");
    return e;
  }
  const double strength = weight_ * std::sqrt(unit_), off = strength * (q.stretched - target_);
  e.value += 0.5 * off * off;
  const std::size_t n = theta.size();
  for (std::size_t i = 0; i < e.gradient.size(); ++i) e.gradient[i] += off * strength * q.slopes[i];
  if (e.fisher.size() == n * n)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        e.fisher[i * n + j] += strength * strength * q.slopes[i] * q.slopes[j];
  if (!e.residuals.empty()) {
    const bool derivatives = e.jacobian.size() == e.residuals.size() * n;
    e.residuals.push_back(off);
    if (derivatives)
      for (std::size_t i = 0; i < n; ++i) e.jacobian.push_back(strength * q.slopes[i]);
  }
  return e;
}

}  // namespace stiffit::internal
