// The numbers of a fixed-leading-coefficient BDF step with uneven steps behind it.
// Brown, Byrne, Hindmarsh, SIAM J. Sci. Stat. Comput. 10 (1989) 1038; Jackson, Sacks-Davis, ACM
// TOMS 6 (1980) 295.
//
// The past is a polynomial w of degree q in s = (t - t_n)/h, kept as its coefficients z_j (the
// Nordsieck array). It takes the values y_n ... y_{n-q+1} and has the slope h f(y_n) at s = 0. The
// step adds Lambda(s) e to the prediction, e = y_n - predicted y_n.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stiffit::internal::bdf {

constexpr int largest_order = 6, usual_order = 5;  // the sixth is for those who ask

// Sizes of the steps taken, the last one first.
struct PastSteps {
  double size[largest_order + 1] = {};
  void push(double h);
};

struct StepCoefficients {
  double lambda[largest_order + 1];  // Lambda(s) = sum of lambda[j] s^j
  double error;                      // local error of this order / e
  double lower;   // local error of order q - 1 / z_q, z_q as of after the step; 0 for q = 1
  double higher;  // local error of order q + 1 / (e - its value predicted from the last step)
  double growth;  // e / (h^(q+1) y^(q+1) / (q+1)!)
};

// Of a step h of order q after `past`.
StepCoefficients step_coefficients(int q, double h, const PastSteps& past);

// The polynomial s^2 (s + xi_1) ... (s + xi_{m}), xi_i = (t_n - t_{n-i})/h after a step: what an
// order change adds to w without touching y_n, its slope and m values before. shape[j] belongs
// to s^j, j <= m + 2.
void change_shape(int m, double h, const PastSteps& past, double* shape);

}  // namespace stiffit::internal::bdf
