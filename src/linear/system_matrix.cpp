// The union of the Jacobian's pattern and the diagonal of the masses.
// SPDX-License-Identifier: Apache-2.0
#include "linear/system_matrix.h"

namespace stiffit::internal {

SystemMatrix system_matrix(const Sparsity& jacobian, const std::vector<double>& mass) {
  SystemMatrix matrix;
  matrix.pattern.n = jacobian.n;
  auto push = [&](int row, int source, double coefficient) {
    matrix.pattern.row.push_back(row);
    matrix.source.push_back(source);
    matrix.mass.push_back(coefficient);
  };
  for (int column = 0; column < jacobian.n; ++column) {
    const double m = mass.empty() ? 1.0 : mass[column];
    bool diagonal_done = m == 0;
    for (int p = jacobian.column_start[column]; p < jacobian.column_start[column + 1]; ++p) {
      const int row = jacobian.row[p];
      if (!diagonal_done && row > column) push(column, -1, m);
      if (row >= column) diagonal_done = true;
      push(row, p, row == column ? m : 0.0);
    }
    if (!diagonal_done) push(column, -1, m);
    matrix.pattern.column_start.push_back(matrix.pattern.nonzeros());
  }
  return matrix;
}

void gather_lane(const SystemMatrix& matrix, double d, const double* jacobian, int lanes, int lane,
                 double* values) {
  for (std::size_t p = 0; p < matrix.source.size(); ++p) {
    const int source = matrix.source[p];
    // A zero mass must not turn an infinite d into NaN, nor an absent entry touch the Jacobian.
    const double shift = matrix.mass[p] == 0 ? 0.0 : matrix.mass[p] * d;
    values[p] = source < 0 ? shift : shift - jacobian[std::size_t(source) * lanes + lane];
  }
}

}  // namespace stiffit::internal
