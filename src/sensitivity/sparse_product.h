// Products of sparse matrices with many vectors side by side, as a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "base/thresholds.h"
#include "compile/kernel.h"
#include "sensitivity/sparse_rows.h"

namespace stiffit::internal {

// out += sum of M_k x_k. Arrays: {out, x_0, entries of M_0, x_1, entries of M_1, ...}, all
// [element][lane]: entries are the same number in every lane. Straight-line code for matrices of
// `most_entries` together, else loops over the indices.
Kernel sparse_product(std::initializer_list<const SparseRows*> matrices, int lanes, Isa isa,
                      double most_entries = Thresholds{}.product_entries);

}  // namespace stiffit::internal
