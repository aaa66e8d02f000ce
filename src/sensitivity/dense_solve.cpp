// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/dense_solve.h"

#include <cmath>
#include <utility>

namespace stiffit {

bool solve_dense(std::vector<double>& a, std::vector<double>& b, std::size_t m,
                 std::size_t columns) {
  auto subtract = [&](std::size_t to, std::size_t from, double factor) {
    for (std::size_t j = 0; j < columns; ++j) b[to * columns + j] -= factor * b[from * columns + j];
  };
  for (std::size_t k = 0; k < m; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < m; ++i)
      if (std::fabs(a[i * m + k]) > std::fabs(a[pivot * m + k])) pivot = i;
    if (!(std::fabs(a[pivot * m + k]) > 0)) return false;
    if (pivot != k) {
      for (std::size_t j = 0; j < m; ++j) std::swap(a[k * m + j], a[pivot * m + j]);
      for (std::size_t j = 0; j < columns; ++j)
        std::swap(b[k * columns + j], b[pivot * columns + j]);
    }
    for (std::size_t i = k + 1; i < m; ++i) {
      const double factor = a[i * m + k] / a[k * m + k];
      if (factor == 0) continue;
      for (std::size_t j = k; j < m; ++j) a[i * m + j] -= factor * a[k * m + j];
      subtract(i, k, factor);
    }
  }
  for (std::size_t k = m; k-- > 0;) {
    for (std::size_t j = k + 1; j < m; ++j) subtract(k, j, a[k * m + j]);
    for (std::size_t j = 0; j < columns; ++j) b[k * columns + j] /= a[k * m + k];
  }
  return true;
}

}  // namespace stiffit
