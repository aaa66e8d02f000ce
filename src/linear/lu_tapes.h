// The elimination and the solve written out as straight-line tapes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/tape.h"
#include "linear/elimination.h"
#include "linear/table_kernel.h"

namespace stiffit::internal {

// What is factored is J - d M, which spares the negations: kept are minus the entries of L, the
// entries of U, and minus the reciprocal pivots, by the slots of the elimination.
// Arrays: d[1], jacobian[nonzeros], lu[fill], growth[PivotRatios::count].
Tape factor_tape(const Elimination& elimination);
// Arrays: lu[fill], b[n] in place, scratch[n].
Tape solve_tape(const Elimination& elimination);

// The elimination of the first pivots; the block left over goes to a fifth array, a dense matrix.
Tape front_tape(const Elimination& elimination, int front, int tail_stride);
// The solve of a table with a dense block, before and after that block: arrays {lu, b, y}, y being
// [n] in pivot order.
Tape forward_tape(const EliminationTable& table);
Tape backward_tape(const EliminationTable& table);

}  // namespace stiffit::internal
