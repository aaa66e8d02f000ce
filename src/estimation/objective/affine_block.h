// Unknowns that predictions are affine in, a few at a time: the values that bring the predictions
// nearest to measurements, both perhaps compared as logarithms, by weighted least squares within
// bounds. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/fit_problem.h"

namespace stiffit::internal {

// prediction = base + sum of slope * value over the unknowns of the block.
struct AffineRow {
  Transformation transformation = Transformation::none;
  double measurement = 0, base = 0, noise = 1;
  std::vector<double> slopes;
};

struct AffineBlock {
  std::vector<AffineRow> rows;
  std::vector<double> low, high;
  std::vector<double> values;

  // Moves `values` to the best ones; from where they are, or (`afresh`) from the best ones of
  // relative residuals, which need no iteration.
  void solve(bool afresh);
};

}  // namespace stiffit::internal
