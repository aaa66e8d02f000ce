// Step sizes from error estimates: elementary control with Gustafsson's prediction.
// Gustafsson, ACM TOMS 20 (1994) 496; Hairer and Wanner, Solving ODEs II, IV.8.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stiffit {

// x^(1/order) to about 1e-4, for step control: no library call.
double rough_root(double x, int order);

// The controller of one lane.
struct StepControl {
  double safety = 0.9, smallest = 0.2, largest = 6;
  // Of the last accepted step: 1/h (0: there is none), log2 of the error.
  double accepted_inverse = 0, accepted_size = 0;
  bool after_rejection = false;

  void restart() {
    accepted_inverse = 0;
    after_rejection = false;
  }
  double after_accept(double h, double error, int order);
  double after_reject(double h, double error, int order);
};

}  // namespace stiffit
