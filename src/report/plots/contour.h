// Where a function on a grid is below zero, as closed rings to be filled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "report/plots/plot.h"

namespace stiffit::internal {

// values[j * xs.size() + i] belongs to (xs[i], ys[j]); both ascending. Between neighbours the
// values are taken to be straight. Rings close along the border of the grid.
std::vector<std::vector<PlotPoint>> rings_below_zero(const std::vector<double>& xs,
                                                     const std::vector<double>& ys,
                                                     const std::vector<double>& values);

}  // namespace stiffit::internal
