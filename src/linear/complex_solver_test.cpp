// SPDX-License-Identifier: Apache-2.0
#include "linear/complex_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace stiffit::internal {
namespace {

using Complex = std::complex<double>;

// A ring of n: each column has its diagonal, the next and the second next row.
Sparsity ring(int n) {
  Sparsity s;
  s.n = n;
  for (int column = 0; column < n; ++column) {
    std::vector<int> rows{column, (column + 1) % n, (column + 2) % n};
    std::sort(rows.begin(), rows.end());
    s.row.insert(s.row.end(), rows.begin(), rows.end());
    s.column_start.push_back(static_cast<int>(s.row.size()));
  }
  return s;
}

TEST(ComplexSolver, SolvesWithAndWithoutMass) {
  for (int n : {3, 10, 60})
    for (int largest_dense : {0, 100})
      for (bool algebraic : {false, true}) {
        const Sparsity pattern = ring(n);
        std::vector<double> mass, j;
        for (int p = 0; p < pattern.nonzeros(); ++p) j.push_back(std::sin(1.0 + 2.3 * p) * 3);
        if (algebraic)
          for (int i = 0; i < n; ++i) mass.push_back(i % 3 ? 1 : 0);
        auto solver = make_complex_solver(pattern, mass, largest_dense);
        const Complex d{2.5, -1.5};
        ASSERT_TRUE(solver->factor(d, j.data()));
        std::vector<Complex> x, b(static_cast<std::size_t>(n));
        for (int i = 0; i < n; ++i) x.emplace_back(std::cos(i), i * 0.1);
        for (std::size_t c = 0; c < x.size(); ++c) {
          b[c] += (mass.empty() ? 1 : mass[c]) * d * x[c];
          for (int p = pattern.column_start[c]; p < pattern.column_start[c + 1]; ++p)
            b[pattern.row[p]] -= j[p] * x[c];
        }
        solver->solve(b.data());
        for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT(std::abs(b[i] - x[i]), 1e-11) << n;
      }
}

TEST(ComplexSolver, SaysWhenItIsSingular) {
  const Sparsity pattern = ring(4);
  const std::vector<double> none(static_cast<std::size_t>(pattern.nonzeros()), 0.0);
  for (int largest_dense : {0, 100}) {
    auto solver = make_complex_solver(pattern, {}, largest_dense);
    EXPECT_FALSE(solver->factor({0, 0}, none.data()));
    EXPECT_TRUE(solver->factor({0, 1}, none.data()));
    EXPECT_FALSE(solver->factor({NAN, 1}, none.data()));
  }
}

}  // namespace
}  // namespace stiffit::internal
