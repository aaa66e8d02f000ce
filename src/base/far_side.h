// Where a function changes within an interval: regula falsi with bisection (the Illinois rule).
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stiffit::internal {

// The function is `low` at `left`, before the change, and `high` at `right`, beyond it, of the
// other sign or zero. The result lies beyond the change, by no more than the resolution.
template <class Function, class Beyond>
double far_side(double left, double low, double right, double high, double resolution,
                Function value_at, Beyond is_beyond) {
  // Where a function is flat next to its root, secants are slow: every third round halves, and all
  // of the last ones do.
  constexpr int most_rounds = 100, secant_rounds = 45;
  for (int i = 0; i < most_rounds && right - left > resolution; ++i) {
    double middle = left + (right - left) * (low / (low - high));
    if (!(middle > left && middle < right) || i % 3 == 2 || i >= secant_rounds)
      middle = 0.5 * (left + right);
    const double value = value_at(middle);
    if (is_beyond(value)) {
      right = middle;
      high = value;
      low *= 0.5;
      if (value == 0) break;
    } else {
      left = middle;
      low = value;
      high *= 0.5;
    }
  }
  return right;
}

}  // namespace stiffit::internal
