// Small dense systems, real or complex, by elimination with row pivoting: coefficients of methods,
// consistent values of algebraic equations and fast reactions, jumps of sensitivities.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

namespace stiffit::internal {

// b <- a^-1 b; a is m x m and b m x columns, both by rows; a is used up. False if a is singular.
template <class Number>
bool small_solve(std::vector<Number>& a, std::vector<Number>& b, std::size_t m,
                 std::size_t columns = 1) {
  auto subtract = [&](std::size_t to, std::size_t from, Number factor) {
    for (std::size_t j = 0; j < columns; ++j) b[to * columns + j] -= factor * b[from * columns + j];
  };
  for (std::size_t k = 0; k < m; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < m; ++i)
      if (std::abs(a[i * m + k]) > std::abs(a[pivot * m + k])) pivot = i;
    if (!(std::abs(a[pivot * m + k]) > 0)) return false;
    if (pivot != k) {
      std::swap_ranges(&a[k * m], &a[k * m] + m, &a[pivot * m]);
      std::swap_ranges(&b[k * columns], &b[k * columns] + columns, &b[pivot * columns]);
    }
    for (std::size_t i = k + 1; i < m; ++i) {
      const Number factor = a[i * m + k] / a[k * m + k];
      if (factor == Number(0)) continue;
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

// The same for a matrix of rows that is known to be regular.
template <class Number>
std::vector<Number> small_solve(const std::vector<std::vector<Number>>& rows,
                                std::vector<Number> b) {
  std::vector<Number> a;
  for (const std::vector<Number>& row : rows) a.insert(a.end(), row.begin(), row.end());
  small_solve(a, b, b.size());
  return b;
}

}  // namespace stiffit::internal
