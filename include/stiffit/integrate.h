// Any system x' = f(t, x), given as functions, by any method of the library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stiffit/options.h"
#include "stiffit/results.h"

namespace stiffit {
inline namespace api {

struct OdeFunctions {
  using Function = std::function<void(double t, const double* x, double* out)>;
  Function rates;  // out = f(t, x)
  // out[row*n + column] = df_row/dx_column, zero where nothing is written; or, with a pattern, the
  // entries in its order. Not given: differences, whose errors are felt at tolerances below 1e-8.
  Function jacobian = {};
  // Row and column of everything in the Jacobian that may differ from zero; empty: all may.
  std::vector<std::pair<int, int>> pattern = {};
  Function time_derivative = {};        // out = df/dt; not given: a difference
  bool autonomous = false;              // f does not depend on t
  std::vector<std::string> names = {};  // of the states; else x1, x2, ...
};

// From x0 at times.front(), a row at each of the times. `f` of the result counts all calls of
// `rates`, those for differences too. What a function throws comes out of here. Throws InputError.
TimeCourse integrate(const OdeFunctions& system, const std::vector<double>& x0,
                     const std::vector<double>& times, const IntegrateOptions& options = {});

}  // namespace api
}  // namespace stiffit
