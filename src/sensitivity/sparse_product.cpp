// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/sparse_product.h"

#include <limits>
#include <memory>

namespace stiffit::internal {
namespace {

constexpr std::size_t still_warm = 24;  // instructions after which an element is fetched again

struct Tables {
  std::vector<SparseRows> matrices;
  std::size_t lanes;
};

void run_tables(const void* context, double* const* arrays) {
  const auto& t = *static_cast<const Tables*>(context);
  for (std::size_t m = 0; m < t.matrices.size(); ++m) {
    const SparseRows& rows = t.matrices[m];
    const double *x = arrays[2 * m + 1], *entries = arrays[2 * m + 2];
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows.rows()); ++i) {
      double* out = arrays[0] + i * t.lanes;
      for (std::size_t e = rows.row_start[i]; e < static_cast<std::size_t>(rows.row_start[i + 1]);
           ++e) {
        const double* from = x + rows.column[e] * t.lanes;
        for (std::size_t l = 0; l < t.lanes; ++l) out[l] += entries[e * t.lanes + l] * from[l];
      }
    }
  }
}

}  // namespace

Kernel sparse_product(std::initializer_list<const SparseRows*> matrices, int lanes, Isa isa,
                      double most_entries) {
  std::size_t entries = 0;
  for (const SparseRows* rows : matrices) entries += rows->nonzeros();
  if (isa == Isa::portable || static_cast<double>(entries) > most_entries) {
    auto tables = std::make_shared<Tables>();
    for (const SparseRows* rows : matrices) tables->matrices.push_back(*rows);
    tables->lanes = lanes;
    return Kernel::from_function(run_tables, tables.get(), tables);
  }
  Tape tape;
  constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  struct Element {
    Value value = 0;
    std::size_t touched = never;
  };
  std::vector<std::vector<Element>> x(matrices.size());
  auto element = [&](std::size_t m, int column) {
    if (x[m].size() <= static_cast<std::size_t>(column))
      x[m].resize(static_cast<std::size_t>(column) + 1);
    Element& known = x[m][column];
    if (known.touched == never || tape.code.size() - known.touched > still_warm)
      known.value = tape.load(2 * static_cast<int>(m) + 1, column);
    known.touched = tape.code.size();
    return known.value;
  };
  const int rows = matrices.size() ? (*matrices.begin())->rows() : 0;
  for (int i = 0; i < rows; ++i) {
    const std::size_t row = i;
    bool any = false;
    Value sum = 0;
    std::size_t m = 0;
    for (const SparseRows* matrix : matrices) {
      for (int e = matrix->row_start[row]; e < matrix->row_start[row + 1]; ++e) {
        if (!any) sum = tape.load(0, i);
        any = true;
        const Value factor = element(m, matrix->column[e]);
        sum = tape.fma(tape.load(2 * static_cast<int>(m) + 2, e), factor, sum);
      }
      ++m;
    }
    if (any) tape.store(0, i, sum);
  }
  tape.arrays = 1 + 2 * static_cast<int>(matrices.size());
  return make_kernel(tape, lanes, isa);
}

}  // namespace stiffit::internal
