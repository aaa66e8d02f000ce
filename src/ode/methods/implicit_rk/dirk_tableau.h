// Singly diagonally implicit Runge-Kutta methods whose first stage is explicit, as data:
//   Y_i = y + h (a_i1 k_1 + ... + a_i(i-1) k_(i-1) + gamma k_i),  k_i = f(t + c_i h, Y_i),
// stiffly accurate: the last stage is the new state, and its slope the first of the next step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stiffit::internal {

struct DirkTableau {
  static constexpr int most_stages = 7, most_powers = 4;
  int stages;
  int order;      // of the result
  int estimated;  // the error estimate falls like h^estimated
  double gamma;
  double node[most_stages];
  double a[most_stages][most_stages];  // below the diagonal; the last row is that of the weights
  double embedded[most_stages];        // weights of the other result: the error is the difference
  // The state at t + theta h is y + h sum_i k_i sum_p dense[p][i] theta^(p + 1).
  int powers;
  double dense[most_powers][most_stages];
  // What the estimate is multiplied by before it is compared with the tolerance: with these errors
  // are like those of CVODES at the same tolerance (method_table_test).
  double caution;

  // Of the stage's own slope: a_ii.
  double diagonal(int i) const { return i == 0 ? 0 : gamma; }
  double weight(int i) const { return i == stages - 1 ? gamma : a[stages - 1][i]; }
  double error(int i) const { return weight(i) - embedded[i]; }
  // Of k_i in the state at t + theta h, over h.
  double share(int i, double theta) const {
    double sum = 0;
    for (int p = powers; p-- > 0;) sum = theta * (sum + dense[p][i]);
    return sum;
  }
  // Of k_i in the slope there.
  double share_of_slope(int i, double theta) const {
    double sum = 0;
    for (int p = powers; p-- > 0;) sum = theta * sum + (p + 1) * dense[p][i];
    return sum;
  }
  // What every norm is multiplied by: the tolerance is meant for the result of a run.
  double strictness(double rtol) const;
};

extern const DirkTableau trbdf2_tableau, esdirk54_tableau;

}  // namespace stiffit::internal
