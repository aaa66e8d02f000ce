// The objective of a problem with other data in the place of its own: drawn anew, or counted more
// than once or not at all. Shares everything compiled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/objective/problem_objective.h"

namespace stiffit::internal {

class ResampledObjective final : public Objective {
 public:
  ResampledObjective(const ProblemObjective& whole, DataDraw draw)
      : whole_(whole), draw_(std::move(draw)) {}

  const std::vector<EstimatedParameter>& unknowns() const override { return whole_.unknowns(); }
  int data_count() const override { return whole_.data_count(); }
  bool least_squares() const override { return whole_.least_squares(); }
  bool unknown_noise() const override { return whole_.unknown_noise(); }
  Evaluation evaluate(std::span<const double> theta, Need need) const override {
    return whole_.evaluate(theta, need, draw_);
  }

 private:
  const ProblemObjective& whole_;
  DataDraw draw_;
};

}  // namespace stiffit::internal
