// What one trajectory of the BDF decides by numbers alone: its order and step, when its matrix is
// made anew, when Newton is done. The arrays are in bdf_step.h, of all trajectories side by side;
// nothing here looks at another one, so that what a lane does never depends on its neighbours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/driver/matrix_policy.h"
#include "ode/methods/multistep/bdf_coefficients.h"

namespace stiffit::internal::bdf {

struct Lane {
  // Chosen over 19 problems at rtol 1e-4 ... 1e-12 (those of bdf_test.cpp and Robertson), against
  // CVODES with the same weights. In all, CVODES: 142,225 steps, 165,974 f, 2,518 J, 14,553 LU,
  // 3,822 rejected; here with strictness 1:
  //   J kept for 20 steps, new after a Newton of two iterations (as here):
  //                       128,568 steps, 150,416 f,  23,873 J,  27,197 LU, 2,017 rejected
  //   J at every step:    129,394        149,944    131,548    131,548     2,154
  //   J when Newton fails: 134,362       147,668      4,872      9,269     2,965
  // A fresh J saves a quarter of the steps on Robertson and the Oregonator and nothing elsewhere;
  // two iterations are the sign of where it does. Errors are 0.97 times those of CVODES (geometric
  // mean; worst case 2.1), steps 0.90 times.
  //
  // Errors add up over a run: a default tolerance of 1e-6 left 4e-4 on the Oregonator. The
  // tolerance is taken this much stricter, so that 1e-6 means four digits on every problem:
  // 166,691 steps (1.15 times CVODES) for errors 0.21 times its own (worst case 0.72).
  static constexpr double strictness = 6;
  // Rate of convergence believed until two iterations have measured it. With 1 every new J would
  // cost a second iteration (165,000 f with 0.3).
  static constexpr double rate_expected = 0.2;
  // Growth of the step: less than worth_changing is not used, so that the matrix stays.
  static constexpr double first_growth = 1e4, later_growth = 10, worth_changing = 1.5;

  int order = 1, wait = 0, failures = 0;
  double scaled_to = 1;  // the h of the Nordsieck array
  double h = 1;          // of the step being tried
  PastSteps steps;
  StepCoefficients c{};
  double growth_before = 1;  // c.growth of the step before
  double biggest_growth = 1;

  bool wants_jacobian = true;
  int jacobian_age = 0;
  int extra_iterations = 0;  // with this J, beyond one for each step
  double matrix = 1;         // the d of the factored matrix
  bool factored = false;     // false: that matrix is of no use
  double rate = 1;           // of Newton's convergence
  double change = 0, norm_e = 0;

  // Order one from the current state; the past is forgotten.
  void begin_again();
  // Another trajectory, or the same one after a break.
  void start();
  // The step to be tried next is this long.
  void prepare(double step);
  double diagonal() const { return c.lambda[1] / h; }
  // d has moved too far from that of the matrix.
  bool drifted(const MatrixPolicy& policy) const;
  void new_jacobian();

  // Newton: what a change is multiplied by, because the matrix is one for another h.
  double relaxation() const;
  void begin_newton(const MatrixPolicy& policy);
  enum class Newton { goes_on, converged, failed };
  // After an iteration whose change and that of the one `before` are known.
  Newton judge(int iteration, double before, double allowed, const MatrixPolicy& policy);

  void accepted();
  // After an accepted step. `lower` and `higher` give the norms that the neighbouring orders are
  // judged by: of z_q, and of e - factor e_before. What comes out: the order to change to (or the
  // same), and the growth of the step.
  struct Choice {
    int order;
    double growth;
  };
  bool considers_orders() const { return biggest_growth != 1 && wait <= 0; }
  bool considers_higher(int max_order) const { return order < max_order && steps.size[order] > 0; }
  double higher_factor() const;
  Choice choose(double error, const double* lower, const double* higher);
  void changed_order(int to);
  // The next step is chosen.
  void settled() {
    biggest_growth = later_growth;
    growth_before = c.growth;
  }

  // After a rejected one: the growth, and what is to be done besides.
  enum class Remedy { none, lower_order, begin_again };
  double shrink(double error, bool keeps_jacobian, Remedy& remedy);

 private:
  struct {
    int order;
    double h;
    PastSteps steps;
  } made_for_{};
};

}  // namespace stiffit::internal::bdf
