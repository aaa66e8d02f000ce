// Where laws of fractional order use something up. Their solutions reach zero in finite time and
// rest there; a step that goes beyond ends at that moment, and the trajectory goes on from zero.
// What an inflow then makes anew leaves zero by itself. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ode/lanes/lane_marks.h"
#include "ode/stepper.h"

namespace stiffit::internal {

class Exhaustion {
 public:
  explicit Exhaustion(LaneGroup& group);

  enum class Verdict {
    passes,
    leaps,   // so far below zero that the step means nothing: try a shorter one
    lands,   // something is used up within the step
    leaves,  // a base goes on falling below zero: its law has no value there
  };
  // The lane's trajectory begins, or goes on from another state.
  void begin(int lane);
  void restart(int lane, const LaneMarks& marks);
  // After an attempt, once for all lanes; then of each lane that passed its error test and is
  // concerned.
  void look(const LaneMarks& marks);
  LaneMask concerned() const { return concerned_; }
  Verdict judge(int lane, Stepper& stepper, bool may_retry);
  // Of the last verdict `lands`: the moment as a share of the step, and the state there.
  double share() const { return share_; }
  const std::vector<double>& landed() const { return landed_; }
  int base() const { return base_; }
  // The step has been taken.
  void accept(LaneMask lanes, const LaneMarks& marks);
  // The lanes where something may be.
  LaneMask may_be_spent(const double* slope, const LaneMarks& marks) const {
    return marks.spent_bases(group_, largest_.data(), slope);
  }
  // The trajectory stands at the landing.
  void note(int lane, double time, std::vector<UsedUp>& out);
  // What is so little that it is gone within rounding of the time is set to zero; true if any is.
  bool spent(int lane, const double* slope, std::vector<UsedUp>& out);
  std::string trouble() const;  // of the last verdict `leaves`

 private:
  std::size_t at(std::size_t base, int lane) const {
    return base * static_cast<std::size_t>(group_.lanes) + static_cast<std::size_t>(lane);
  }
  double allowed(std::size_t base, int lane) const;
  double locate(std::size_t base, int lane, Stepper& stepper);
  double value_at(std::size_t base, double time, const double* state);
  double rise_at_landing(std::size_t base, int lane);
  double least_drain(std::size_t base, int lane) const;
  bool drained(std::size_t base, int lane);
  double slope_at(int state, double value, int lane);
  bool at_rest_without(int state, int lane);
  bool falls_in_proportion(int state, int lane);
  bool bounces(std::size_t base, int lane, Stepper& stepper);
  const double* slope_at_landing(int lane);
  void evaluate(double* t, double* y, double* out);

  LaneGroup& group_;
  const Program& program_;
  AlignedArray now_, next_, largest_;  // [base][lane] at t, at t + h, and the largest so far
  std::vector<char> armed_;  // [base][lane] has been above its tolerance since it was spent
  AlignedArray time_, trial_, slope_;
  std::vector<double> parameters_, values_, landed_;  // of one lane
  LaneMask concerned_ = 0, unarmed_ = 0;
  double share_ = 1;
  int base_ = -1;
};

}  // namespace stiffit::internal
