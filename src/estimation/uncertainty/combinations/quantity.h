// A function of the values of the estimated parameters, and the objective with a pull on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "estimation/optimizers/objective.h"

namespace stiffit::internal {

struct Quantity {
  std::string name, formula;
  // NaN where it has no value. `gradient`: by the values, if not null.
  std::function<double(std::span<const double> values, std::vector<double>* gradient)> value;
};

// Of the unknowns on their scales.
std::vector<double> values_of(const std::vector<EstimatedParameter>& unknowns,
                              std::span<const double> theta);

// A quantity at theta, stretched so that steps are factors far from zero and differences around it,
// with its derivatives by theta.
struct StretchedQuantity {
  double value = 0, stretched = 0;
  std::vector<double> slopes;  // d stretched / d theta
};

class QuantityScale {
 public:
  QuantityScale(const Objective& objective, const Quantity& quantity, std::span<const double> best);
  const Quantity& quantity() const { return quantity_; }
  StretchedQuantity at(std::span<const double> theta) const;
  double stretch(double value) const;
  double value(double stretched) const;
  // d ln |value| / d stretched.
  double by_factors(double value) const;

 private:
  const std::vector<EstimatedParameter>& unknowns_;
  const Quantity& quantity_;
  double small_ = 1;  // below this size differences count
};

// value + unit/2 (weight (stretched - target))^2. Whatever the weight and the target, the minimum
// is the lowest point of the objective among all with the same value of the quantity, since the
// pull is the same at all of them: a point of the quantity's profile.
class PulledObjective : public Objective {
 public:
  PulledObjective(const Objective& whole, const QuantityScale& scale, double target, double weight,
                  double unit)
      : whole_(whole), scale_(scale), target_(target), weight_(weight), unit_(unit) {}

  const std::vector<EstimatedParameter>& unknowns() const override { return whole_.unknowns(); }
  int data_count() const override { return whole_.data_count(); }
  bool least_squares() const override { return whole_.least_squares(); }
  bool unknown_noise() const override { return whole_.unknown_noise(); }
  Evaluation evaluate(std::span<const double> theta, Need need) const override;
  // What the pull adds at a point.
  double pull(std::span<const double> theta) const;

 private:
  const Objective& whole_;
  const QuantityScale& scale_;
  double target_, weight_, unit_;
};

}  // namespace stiffit::internal
