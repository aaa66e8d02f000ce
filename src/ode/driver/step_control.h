// Step sizes from error estimates: elementary control with Gustafsson's prediction.
// Gustafsson, ACM TOMS 20 (1994) 496; Hairer and Wanner, Solving ODEs II, IV.8.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stiffit::internal {

// Bounds of the factor from one step to the next.
inline constexpr double step_safety = 0.9, step_smallest = 0.2, step_largest = 6;

// x^(1/order) to about 1e-4, for step control: no library call.
double rough_root(double x, int order);

// The step after one that was rejected.
double step_after_rejection(double h, double error, int order);

// The controller of one lane.
struct StepControl {
  double inverse = 0;         // 1/h of the last accepted step; 0: there is none
  double size = 0;            // log2 of its error
  double cap = step_largest;  // the next step may grow by this much: 1 after a rejection

  void restart() { *this = {}; }
  double after_accept(double h, double error, int order);
  double after_reject(double h, double error, int order);
};

}  // namespace stiffit::internal
