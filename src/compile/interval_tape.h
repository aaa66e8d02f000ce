// A tape run on intervals: bounds of its results while time, and states if asked, run through
// theirs. Arrays as in the kernels of a program: {time, states, parameters, result}.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compile/interval.h"
#include "compile/tape.h"

namespace stiffit::internal {

class IntervalTape {
 public:
  IntervalTape() = default;
  explicit IntervalTape(Tape tape);

  // What it reads.
  const std::vector<int>& states() const { return states_; }
  const std::vector<int>& parameters() const { return parameters_; }
  bool reads_time() const { return reads_time_; }

  // `states` and `parameters` are numbers that stand still. `scratch` belongs to the caller.
  void run(const Interval& time, const double* states, const double* parameters, Interval* results,
           std::vector<Interval>& scratch) const;
  // The states move: `moving[k]` bounds the state numbered states()[k].
  void run(const Interval& time, const std::vector<Interval>& moving, const double* parameters,
           Interval* results, std::vector<Interval>& scratch) const;

 private:
  template <class StateAt>
  void run_with(const Interval& time, StateAt&& state_at, const double* parameters,
                Interval* results, std::vector<Interval>& scratch) const;

  Tape tape_;
  std::vector<int> states_, parameters_;
  std::vector<int> place_;  // per instruction that loads a state: its number in `states_`
  bool reads_time_ = false;
};

}  // namespace stiffit::internal
