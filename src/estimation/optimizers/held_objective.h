// An objective with one unknown held at a value: what a profile minimises.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/optimizers/objective.h"

namespace stiffit::internal {

class HeldObjective : public Objective {
 public:
  HeldObjective(const Objective& whole, std::size_t held, double theta)
      : whole_(whole), held_(held), theta_(theta), unknowns_(whole.unknowns()) {
    unknowns_.erase(unknowns_.begin() + static_cast<std::ptrdiff_t>(held));
  }

  const std::vector<EstimatedParameter>& unknowns() const override { return unknowns_; }
  int data_count() const override { return whole_.data_count(); }
  bool least_squares() const override { return whole_.least_squares(); }
  bool unknown_noise() const override { return whole_.unknown_noise(); }

  std::vector<double> whole_point(std::span<const double> theta) const {
    std::vector<double> x(theta.begin(), theta.end());
    x.insert(x.begin() + static_cast<std::ptrdiff_t>(held_), theta_);
    return x;
  }

  Evaluation evaluate(std::span<const double> theta, Need need) const override {
    Evaluation e = whole_.evaluate(whole_point(theta), need);
    std::size_t n = unknowns_.size() + 1;
    without(e.gradient, 1, n);
    without(e.jacobian, e.residuals.size(), n);
    if (e.fisher.size() == n * n) {
      without(e.fisher, n, n);
      auto row = e.fisher.begin() + static_cast<std::ptrdiff_t>(held_ * (n - 1));
      e.fisher.erase(row, row + static_cast<std::ptrdiff_t>(n - 1));
    }
    return e;
  }

 private:
  // Takes the held column out of `rows` rows of n.
  void without(std::vector<double>& values, std::size_t rows, std::size_t n) const {
    if (values.size() != rows * n) return;
    std::size_t to = 0;
    for (std::size_t k = 0; k < values.size(); ++k)
      if (k % n != held_) values[to++] = values[k];
    values.resize(to);
  }

  const Objective& whole_;
  std::size_t held_;
  double theta_;
  std::vector<EstimatedParameter> unknowns_;
};

}  // namespace stiffit::internal
