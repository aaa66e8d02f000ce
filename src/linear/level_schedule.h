// An elimination whose rows are short, laid out so that nothing has to be asked on the way: pivots
// that do not wait for each other stand side by side, sorted by the lengths of their rows, and
// loops over rows of one length have no end that a CPU could foresee wrongly. Subtrees of pivots
// small enough for the second cache follow each other as blocks, which need nothing of each other
// and so may be on different threads; what they have in common comes last. For one lane.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compile/kernel.h"
#include "linear/elimination.h"

namespace stiffit::internal {

// Pivots have places, in the order in which they are eliminated. One array of numbers holds: L by
// rows in the order of places; then for each place before the block, in the order of the backward
// substitution, its reciprocal pivot and its U row; then the dense block.
struct LevelSchedule {
  struct Run {  // neighbours with rows of one length
    int length, count;
  };
  struct Level {              // pivots that do not wait for each other
    int first, last;          // places
    int first_run, last_run;  // of `updates`
  };
  // Where a block begins in `levels`, in `forward` and in what these walk along: it ends where the
  // next one begins. `backward` has the blocks from the last to the first.
  struct Block {
    int level = 0, pair = 0, target = 0;
    int place = 0, forward_run = 0, forward_entry = 0;
    int backward_run = 0, backward_end = 0, backward_entry = 0;
  };
  struct Copy {
    int slot, source;
  };
  struct Range {
    int from, to;
  };

  int n = 0, front = 0, block_stride = 0;
  int block_begin = 0, size = 0;  // in the array of numbers
  std::vector<int> row, column;   // of the matrix, by places
  std::vector<int> pivot;         // by places before the block: where its reciprocal pivot is
  std::vector<int> at;            // L and U: the place of each entry's column
  std::vector<Run> forward, backward;
  std::vector<Level> levels;
  // Updates: an L entry and the reciprocal pivot before the U row it is multiplied with, then
  // where the products go.
  std::vector<Run> updates;
  std::vector<int> pairs, targets;
  // The same, of what blocks add to what they have in common: after all of them, in their order.
  std::vector<Run> late_updates;
  std::vector<int> late_pairs, late_targets;
  // Blocks on their own, what they have in common (it may be empty), and the end.
  std::vector<Block> blocks;
  int own_blocks() const { return static_cast<int>(blocks.size()) - 2; }
  // Where the L and the U of a block are in the array of numbers.
  Range lower(int block) const {
    return {blocks[block].forward_entry, blocks[block + 1].forward_entry};
  }
  Range upper(int block) const {
    return {blocks[block].backward_entry,
            block > 0 ? blocks[block - 1].backward_entry : static_cast<int>(at.size())};
  }
  // What it starts from: the entry of J of every slot of L and U (-1: none), those of the dense
  // block, and the slots from which d is subtracted, times `mass` if there is any.
  std::vector<int> source;
  std::vector<Copy> copies;
  std::vector<int> shifted;
  std::vector<double> mass;
  std::vector<int> unseen;                           // entries of J whose NaN reaches no pivot
  std::vector<int> block_inputs, block_input_start;  // slots, by rows of the block
};

// Updates per entry of L, where none of them is in the dense block: how long rows are.
double mean_row(const Elimination& elimination, int front);

LevelSchedule level_scheduled(const Elimination& elimination, int front, int pivots_of_block);

struct LevelScheduledKernel {
  // The matrix in some slots of L or U, or in the dense block.
  void (*begin)(const LevelSchedule&, double d, const double* jacobian, LevelSchedule::Range slots,
                double* numbers);
  void (*begin_dense)(const LevelSchedule&, double d, const double* jacobian, double* numbers);
  // What the pivots at these places are compared with, as the matrix has it.
  void (*note_originals)(const LevelSchedule&, int from, int to, const double* numbers,
                         double* originals);
  // Eliminates the pivots of a block; growth: PivotRatios, of this block.
  void (*eliminate)(const LevelSchedule&, int block, double* numbers, const double* originals,
                    double* growth);
  // Before the last of them: what the others add to it.
  void (*add_late)(const LevelSchedule&, double* numbers);
  double (*dense_minimum)(const LevelSchedule&, const double* numbers, const double* originals);
  // y by places: those of a block, and with the last one those of the dense block.
  void (*forward)(const LevelSchedule&, int block, const double* numbers, const double* b,
                  double* y);
  // The last block first, the dense block before it.
  void (*backward)(const LevelSchedule&, int block, const double* numbers, double* y, double* b);
};

LevelScheduledKernel level_scheduled_kernel(Isa isa);

}  // namespace stiffit::internal
