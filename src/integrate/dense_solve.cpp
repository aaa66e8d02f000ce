// SPDX-License-Identifier: Apache-2.0
#include "integrate/dense_solve.h"

#include <algorithm>
#include <cmath>

namespace stiffit {

bool solve_dense(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t m = b.size();
  for (std::size_t k = 0; k < m; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < m; ++i)
      if (std::fabs(a[i * m + k]) > std::fabs(a[pivot * m + k])) pivot = i;
    if (!(std::fabs(a[pivot * m + k]) > 0)) return false;
    if (pivot != k) {
      std::swap_ranges(a.begin() + static_cast<long>(k * m),
                       a.begin() + static_cast<long>(k * m + m),
                       a.begin() + static_cast<long>(pivot * m));
      std::swap(b[k], b[pivot]);
    }
    for (std::size_t i = k + 1; i < m; ++i) {
      const double factor = a[i * m + k] / a[k * m + k];
      if (factor == 0) continue;
      for (std::size_t j = k; j < m; ++j) a[i * m + j] -= factor * a[k * m + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = m; k-- > 0;) {
    for (std::size_t j = k + 1; j < m; ++j) b[k] -= a[k * m + j] * b[j];
    b[k] /= a[k * m + k];
  }
  return true;
}

}  // namespace stiffit
