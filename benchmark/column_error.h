// How far a run is from a trusted one: the largest difference in units of each column's largest
// value; NaN if it did not finish. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ode/simulate.h"

namespace stiffit::internal::benchmark {

inline double column_error(const Trajectory& run, const Trajectory& trusted, std::size_t columns) {
  double worst = 0;
  for (std::size_t k = 0; k < columns; ++k) {
    double top = 0, most = 0;
    for (std::size_t i = k; i < trusted.outputs.size(); i += columns) {
      top = std::max(top, std::fabs(trusted.outputs[i]));
      most = std::max(most, std::fabs(run.outputs[i] - trusted.outputs[i]));
    }
    if (top > 0) worst = std::max(worst, most / top);
  }
  return run.outcome.status == Status::done ? worst : NAN;
}

}  // namespace stiffit::internal::benchmark
