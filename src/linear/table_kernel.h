// The inner loops of the table-driven elimination, for a lane count and an instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "compile/kernel.h"

namespace stiffit::internal {

// An Elimination as the loops see it. Pivots from `front` on form a block that is treated as dense:
// of its rows only the entries before the block have slots.
struct EliminationTable {
  struct Input {  // work[column] starts as jacobian[source] - mass * d
    int column;
    int source;  // -1: none
    double mass;
    bool reaches_pivot;
  };

  int n = 0;
  int front = 0;
  const int* row_start = nullptr;
  const int* column = nullptr;
  const int* diagonal = nullptr;     // in the block: the end of the row
  const int* twins = nullptr;        // of each pivot: how many rows from it on share one U pattern
  const int* input_start = nullptr;  // by rows
  const Input* input = nullptr;
  const int* row = nullptr;           // of each pivot
  const int* pivot_column = nullptr;  // of each pivot
};

// What is factored is J - d M, with the conventions of lu_tapes.h.
struct TableKernel {
  // Eliminates the first `front` pivots. The block left over goes to `tail`, one matrix per lane,
  // tail_size apart, rows tail_stride apart. `work` is [n][lane].
  void (*factor)(const EliminationTable&, const double* d, const double* jacobian, double* lu,
                 double* work, double* tail, std::size_t tail_size, int tail_stride,
                 double* growth);
  // y <- L^-1 b in pivot order, and x <- U^-1 y for the pivots before `front`, y[front..] given.
  void (*forward)(const EliminationTable&, const double* lu, const double* b, double* y);
  void (*backward)(const EliminationTable&, const double* lu, double* y, double* b);
};

TableKernel table_kernel(int lanes, Isa isa);

}  // namespace stiffit::internal
