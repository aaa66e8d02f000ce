// Adams methods of variable order and step on one lane, in modified divided differences: explicit
// (Adams-Bashforth), or predicted with k steps, corrected with k + 1 and evaluated again
// (Adams-Bashforth-Moulton, PECE). F.T. Krogh (1969); L.F. Shampine, M.K. Gordon, Computer Solution
// of ODEs (1975); Hairer, Norsett, Wanner, Solving ODEs I, III.5 and III.7, whose letters are used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/methods/multistep/multistep_start.h"
#include "ode/one_lane_stepper.h"

namespace stiffit::internal {

class AdamsStepper final : public OneLaneStepper, public MultistepMethod {
 public:
  enum class Kind { explicit_only, corrected };
  AdamsStepper(LaneGroup& group, Kind kind);
  void start(LaneMask lanes) override;
  void attempt(LaneMask lanes) override;
  void interpolate(int lane, double theta, double* out) override;
  void accept(LaneMask lanes) override;
  int control_order() const override { return k_ + 1; }
  double next_step(int lane, bool accepted) override;
  int steps_to_start() const override { return max_order_ - 1; }
  void take_past(int lane, double h, const std::vector<std::vector<double>>& y,
                 const std::vector<std::vector<double>>& slope) override;
  static int largest_order(const IntegrationOptions& options);

 private:
  static constexpr int largest = 12;
  void find_coefficients();
  void begin_again();
  // Local error of order j + 1 in units of the tolerance, from the difference of order j.
  double local_error(int j, const double* difference) const;
  int better_order();

  Kind kind_;
  int max_order_;
  int k_ = 1;      // steps of the predictor
  int known_ = 0;  // differences of phi_ that are there: phi_[0] ... phi_[known_ - 1]
  bool starting_ = true;
  int failures_ = 0;
  double past_[largest + 2] = {};    // sizes of the steps taken, the last one first
  double ahead_[largest + 3] = {};   // t_{n+1} - t_{n-j}
  double behind_[largest + 3] = {};  // t_n - t_{n-j}
  double g_[largest + 3] = {};
  AlignedArray phi_[largest + 2], star_[largest + 2];
  AlignedArray f_, top_, work_;  // top_: the difference of order k at the predicted value
};

}  // namespace stiffit::internal
