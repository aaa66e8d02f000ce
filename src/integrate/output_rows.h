// The columns to show, computed from the states of a finished trajectory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrate/simulate.h"
#include "linear/aligned_array.h"

namespace stiffit {

// Memory for many trajectories, one after another.
class OutputRows {
 public:
  explicit OutputRows(const Program& program);
  void fill(const Request& request, Trajectory& trajectory);

 private:
  const Program& program_;
  AlignedArray time_, y_, out_, parameters_;
};

}  // namespace stiffit
