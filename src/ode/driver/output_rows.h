// The columns to show, computed from the states of a finished trajectory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "linear/aligned_array.h"
#include "ode/simulate.h"

namespace stiffit::internal {

// Memory for many trajectories, one after another.
class OutputRows {
 public:
  explicit OutputRows(const Program& program);
  void fill(const Request& request, Trajectory& trajectory);

 private:
  void copy_states(std::size_t rows, Trajectory& trajectory) const;

  const Program& program_;
  bool in_order_ = false;  // the columns are all states, one after the other
  AlignedArray time_, y_, out_, parameters_;
};

}  // namespace stiffit::internal
