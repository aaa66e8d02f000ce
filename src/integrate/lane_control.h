// Step control of all lanes at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrate/step_control.h"
#include "integrate/stepper.h"

namespace stiffit {

class LaneControl {
 public:
  explicit LaneControl(const Program& program);
  void restart(int lane);
  // The next h of these lanes, whose steps h have passed with this error.
  void after_accept(LaneMask lanes, double* h, const double* error, int order) {
    accept_(*this, lanes, h, error, order);
  }
  double after_reject(int lane, double h, double error, int order);

  static constexpr int most = 8;
  // [lane] each, see StepMemory.
  alignas(64) double inverse[most], size[most], cap[most];

 private:
  void (*accept_)(LaneControl&, LaneMask, double*, const double*, int);
};

}  // namespace stiffit
