// What follows an accepted step, for all lanes at once: whole vectors, because numbers that are
// written one by one and read together are waited for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/driver/step_control.h"
#include "ode/stepper.h"

namespace stiffit::internal {

class LaneControl {
 public:
  explicit LaneControl(const Program& program);
  void restart(int lane);
  // These lanes, whose y is new, move on by h, take their next h and note how large they are.
  void after_accept(LaneMask lanes, LaneGroup& group, int order) {
    accept_(*this, lanes, group, order);
  }
  // The same where methods choose their steps: only the magnitudes.
  void note_magnitudes(LaneMask lanes, LaneGroup& group) const {
    if (group.scaled_tolerance()) note_(lanes, group);
  }
  // Those of the lanes whose next row lies in their step, and where in it.
  LaneMask due(LaneMask lanes, const LaneGroup& group, const double* next, double* theta) const {
    return due_(lanes, group, next, theta);
  }
  // States [state][lane] to a row of each lane, whether it wants one or not; the lanes whose states
  // are all finite.
  LaneMask write(int n, const double* states, double* const* rows) const {
    return write_(n, states, rows);
  }
  double after_reject(int lane, double h, double error, int order);

  static constexpr int most = 8;
  // [lane] each, see StepMemory.
  alignas(64) double inverse[most], size[most], cap[most];

 private:
  void (*accept_)(LaneControl&, LaneMask, LaneGroup&, int);
  void (*note_)(LaneMask, LaneGroup&);
  LaneMask (*due_)(LaneMask, const LaneGroup&, const double*, double*);
  LaneMask (*write_)(int, const double*, double* const*);
};

}  // namespace stiffit::internal
