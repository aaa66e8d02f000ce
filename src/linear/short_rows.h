// An elimination whose rows are short, laid out so that nothing has to be asked on the way: pivots
// that do not wait for each other stand side by side, sorted by the lengths of their rows, and
// loops over rows of one length have no end that a CPU could foresee wrongly. Subtrees of pivots
// small enough for the second cache follow each other as blocks; what they have in common comes
// last. For one lane. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compile/kernel.h"
#include "linear/elimination.h"

namespace stiffit {

// Pivots have places, in the order in which they are eliminated. One array of numbers holds: L by
// rows in the order of places; then for each place before the block, in the order of the backward
// substitution, its reciprocal pivot and its U row; then the dense block.
struct ShortRows {
  struct Run {  // neighbours with rows of one length
    int length, count;
  };
  struct Level {              // pivots that do not wait for each other
    int first, last;          // places
    int first_run, last_run;  // of `updates`
  };
  struct Copy {
    int slot, source;
  };
  struct Shift {
    int slot;
    double mass;
  };

  int n = 0, front = 0, block_stride = 0;
  int u_begin = 0, block_begin = 0, size = 0;  // in the array of numbers
  std::vector<int> row, column;                // of the matrix, by places
  std::vector<int> pivot;  // by places before the block: where its reciprocal pivot is
  std::vector<int> at;     // L and U: the place of each entry's column
  std::vector<Run> forward, backward;
  std::vector<Level> levels;
  // Updates: an L entry and the reciprocal pivot before the U row it is multiplied with, then
  // where the products go.
  std::vector<Run> updates;
  std::vector<int> pairs, targets;
  // What it starts from.
  std::vector<Copy> copies;
  std::vector<Shift> shifts;
  std::vector<int> unseen;                           // slots whose NaN reaches no pivot
  std::vector<int> block_inputs, block_input_start;  // slots, by rows of the block
};

// Updates per entry of L, where none of them is in the dense block: how long rows are.
double mean_row(const Elimination& elimination, int front);

ShortRows short_rows(const Elimination& elimination, int front);

struct ShortRowKernel {
  // Eliminates all pivots before the block; `originals` has room for them. growth: PivotRatios.
  void (*factor)(const ShortRows&, double d, const double* jacobian, double* numbers,
                 double* originals, double* growth);
  // y by places: all of them after `forward`; `backward` is given those of the block.
  void (*forward)(const ShortRows&, const double* numbers, const double* b, double* y);
  void (*backward)(const ShortRows&, const double* numbers, double* y, double* b);
};

ShortRowKernel short_row_kernel(Isa isa);

}  // namespace stiffit
