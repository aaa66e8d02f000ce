// Staggered sensitivities of the BDF: once a step of the states has converged, every direction
// solves the linear equation of the same formula, with the matrix at the new state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrate/bdf_coefficients.h"
#include "integrate/stepper.h"
#include "sensitivity/tangents.h"

namespace stiffit {

class BdfTangents final : public Tangents, public NordsieckFollower {
 public:
  BdfTangents(const SensitivityProblem& problem, std::span<const Direction> directions,
              LinearisedStep& derivatives);

  // The trajectory whose array is followed.
  void attach(const LaneGroup& group) { group_ = &group; }
  bool step();  // the one last tried; false: singular

  void begin_again() override;
  void tried(const Step& step) override;
  void change_order(bool up, int top, const double* shape, double factor) override;

  void write(double theta, double* out) override;
  bool step(const LinearisedStep&) override { return step(); }
  void accept() override;
  void land(double theta) override;
  double error(const Tolerance& tolerance, std::span<const double> sizes) override;

  using Tangents::write;

 private:
  void slope(const double* s, AlignedArray& out);  // J s + df/dp d, J and df/dp as last evaluated
  void evaluate(double t, const double* y);
  void interpolate(double theta, AlignedArray& out) const;

  static constexpr int top_order = bdf::largest_order;
  LinearisedStep& derivatives_;
  const LaneGroup* group_ = nullptr;
  std::vector<double> by_state_, by_parameter_;
  AlignedArray past_[top_order + 1], predicted_[top_order + 1], e_;  // past_[0] is unused: s_
  int order_ = 1;
  double h_ = 1, ratio_ = 1, lambda_[top_order + 2] = {}, error_ = 0, strictness_ = 1;
};

}  // namespace stiffit
