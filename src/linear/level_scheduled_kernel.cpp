// The loops over short rows, written out for lengths up to eight.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/constant_length.h"
#include "linear/fixed_pivots.h"
#include "linear/level_schedule.h"

namespace stiffit::internal {
namespace {

#define STIFFIT_INLINE inline __attribute__((always_inline))

STIFFIT_INLINE void shift(const LevelSchedule& t, double d, LevelSchedule::Range slots,
                          double* numbers) {
  const auto end = t.shifted.end();
  auto next = std::lower_bound(t.shifted.begin(), end, slots.from);
  if (t.mass.empty()) {
    for (; next != end && *next < slots.to; ++next) numbers[*next] -= d;
  } else {
    const double* mass = t.mass.data() + (next - t.shifted.begin());
    for (; next != end && *next < slots.to; ++next) numbers[*next] -= *mass++ * d;
  }
}

// The first entry of J is read for slots that have none, so there has to be one.
STIFFIT_INLINE void begin_loops(const LevelSchedule& t, double d, const double* jacobian,
                                LevelSchedule::Range slots, double* numbers) {
  for (int slot = slots.from; slot < slots.to; ++slot) {
    // All ones where there is an entry: a branch would be mispredicted at every fourth slot.
    const int source = t.source[slot], there = ~(source >> 31);
    const auto bits = std::bit_cast<std::int64_t>(jacobian[source & there]);
    numbers[slot] = std::bit_cast<double>(bits & std::int64_t{there});
  }
  shift(t, d, slots, numbers);
}

void begin_dense(const LevelSchedule& t, double d, const double* jacobian, double* numbers) {
  std::fill(numbers + t.block_begin, numbers + t.size, 0.0);
  for (const LevelSchedule::Copy& copy : t.copies) numbers[copy.slot] = jacobian[copy.source];
  shift(t, d, {t.block_begin, t.size}, numbers);
}

STIFFIT_INLINE double largest_square(const LevelSchedule& t, const double* numbers, int row) {
  double largest = 0;
  for (int q = t.block_input_start[row]; q < t.block_input_start[row + 1]; ++q) {
    const double value = numbers[t.block_inputs[q]], square = value * value;
    largest = square > largest ? square : largest;
  }
  return largest;
}

STIFFIT_INLINE void update(const LevelSchedule::Run& run, const int*& pair, const int*& target,
                           double* numbers) {
  with_constant_length<8>(
      run.length, [&](auto length) __attribute__((always_inline)) {
        for (int c = 0; c < run.count; ++c, pair += 2, target += length) {
          const double* u = numbers + pair[1];
          const double l = numbers[pair[0]] * u[0];
          numbers[pair[0]] = l;
          for (int j = 0; j < length; ++j) numbers[target[j]] += l * u[j + 1];
        }
      });
}

STIFFIT_INLINE void eliminate_loops(const LevelSchedule& t, int b, double* numbers,
                                    const double* originals, double* growth) {
  const LevelSchedule::Block &block = t.blocks[b], &next = t.blocks[b + 1];
  double sum = 0, minimum = 1;
  const int *pair = t.pairs.data() + block.pair, *target = t.targets.data() + block.target;
  for (int q = block.level; q < next.level; ++q) {
    const LevelSchedule::Level& level = t.levels[q];
    for (int p = level.first; p < level.last; ++p) {
      double& pivot = numbers[t.pivot[p]];
      pivot = -1.0 / pivot;
      const double ratio = originals[p] * pivot, square = ratio * ratio;
      sum += square;
      minimum = square < minimum ? square : minimum;
    }
    for (int r = level.first_run; r < level.last_run; ++r)
      update(t.updates[r], pair, target, numbers);
  }
  growth[PivotRatios::sum] = sum;
  growth[PivotRatios::minimum] = minimum;
}

STIFFIT_INLINE void late_loops(const LevelSchedule& t, double* numbers) {
  const int *pair = t.late_pairs.data(), *target = t.late_targets.data();
  for (const LevelSchedule::Run& run : t.late_updates) update(run, pair, target, numbers);
}

// What pivots are compared with, as the matrix has it.
void note_originals(const LevelSchedule& t, int from, int to, const double* numbers,
                    double* originals) {
  for (int p = from; p < to; ++p)
    originals[p] = p < t.front ? numbers[t.pivot[p]] : largest_square(t, numbers, p - t.front);
}

// Pivots of the dense block are found later: the growth of its rows stands for theirs.
double dense_minimum(const LevelSchedule& t, const double* numbers, const double* originals) {
  double minimum = 1;
  for (int p = t.front; p < t.n; ++p) {
    const double* row = numbers + t.block_begin + (p - t.front) * t.block_stride;
    double largest = 0;
    for (int j = 0; j < t.n - t.front; ++j) {
      const double square = row[j] * row[j];
      largest = square > largest ? square : largest;
    }
    const double ratio = originals[p] / largest;
    minimum = ratio < minimum ? ratio : minimum;
  }
  return minimum;
}

STIFFIT_INLINE void forward_loops(const LevelSchedule& t, int k, const double* numbers,
                                  const double* b, double* y) {
  const LevelSchedule::Block &block = t.blocks[k], &end = t.blocks[k + 1];
  const int *at = t.at.data() + block.forward_entry, *row = t.row.data() + block.place;
  numbers += block.forward_entry;
  double* next = y + block.place;
  for (int r = block.forward_run; r < end.forward_run; ++r)
    with_constant_length<8>(
        t.forward[r].length, [&](auto length) __attribute__((always_inline)) {
          for (int c = 0; c < t.forward[r].count; ++c, numbers += length, at += length) {
            double sum = b[*row++];
            for (int j = 0; j < length; ++j) sum += numbers[j] * y[at[j]];
            *next++ = sum;
          }
        });
}

STIFFIT_INLINE void backward_loops(const LevelSchedule& t, int k, const double* numbers, double* y,
                                   double* b) {
  const LevelSchedule::Block& block = t.blocks[k];
  const int *at = t.at.data() + block.backward_entry, *column = t.column.data();
  numbers += block.backward_entry;
  for (int r = block.backward_run; r < block.backward_end; ++r)
    with_constant_length<8>(
        t.backward[r].length, [&](auto length) __attribute__((always_inline)) {
          for (int c = 0; c < t.backward[r].count; ++c, numbers += length + 1, at += length + 1) {
            double sum = y[at[0]];
            for (int j = 1; j <= length; ++j) sum += numbers[j] * y[at[j]];
            sum *= numbers[0];
            y[at[0]] = sum;
            b[column[at[0]]] = sum;
          }
        });
}

#define STIFFIT_SHORT_ROW_LOOPS(name, target_attribute)                                            \
  struct name {                                                                                    \
    target_attribute static void begin(const LevelSchedule& t, double d, const double* jacobian,   \
                                       LevelSchedule::Range slots, double* numbers) {              \
      begin_loops(t, d, jacobian, slots, numbers);                                                 \
    }                                                                                              \
    target_attribute static void eliminate(const LevelSchedule& t, int block, double* numbers,     \
                                           const double* originals, double* growth) {              \
      eliminate_loops(t, block, numbers, originals, growth);                                       \
    }                                                                                              \
    target_attribute static void add_late(const LevelSchedule& t, double* numbers) {               \
      late_loops(t, numbers);                                                                      \
    }                                                                                              \
    target_attribute static void forward(const LevelSchedule& t, int block, const double* numbers, \
                                         const double* b, double* y) {                             \
      forward_loops(t, block, numbers, b, y);                                                      \
    }                                                                                              \
    target_attribute static void backward(const LevelSchedule& t, int block,                       \
                                          const double* numbers, double* y, double* b) {           \
      backward_loops(t, block, numbers, y, b);                                                     \
    }                                                                                              \
    static LevelScheduledKernel kernel() {                                                         \
      return {begin,    begin_dense,   note_originals, eliminate,                                  \
              add_late, dense_minimum, forward,        backward};                                  \
    }                                                                                              \
  };

#define STIFFIT_PLAIN
STIFFIT_SHORT_ROW_LOOPS(Plain, STIFFIT_PLAIN)
#if defined(__x86_64__)
#define STIFFIT_AVX2 __attribute__((target("avx2,fma")))
STIFFIT_SHORT_ROW_LOOPS(Avx2, STIFFIT_AVX2)
#else
using Avx2 = Plain;
#endif

}  // namespace

LevelScheduledKernel level_scheduled_kernel(Isa isa) {
  return isa == Isa::portable ? Plain::kernel() : Avx2::kernel();
}

}  // namespace stiffit::internal
