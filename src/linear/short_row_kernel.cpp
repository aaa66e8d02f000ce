// The loops over short rows, written out for lengths up to eight.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "base/constant_length.h"
#include "linear/fixed_pivots.h"
#include "linear/short_rows.h"

namespace stiffit {
namespace {

#define STIFFIT_INLINE inline __attribute__((always_inline))

STIFFIT_INLINE void begin(const ShortRows& t, double d, const double* jacobian, double* numbers) {
  std::memset(numbers, 0, sizeof(double) * static_cast<std::size_t>(t.size));
  for (const ShortRows::Copy& copy : t.copies) numbers[copy.slot] = jacobian[copy.source];
  for (const ShortRows::Shift& shift : t.shifts) numbers[shift.slot] -= shift.mass * d;
}

STIFFIT_INLINE double largest_square(const ShortRows& t, const double* numbers, int row) {
  double largest = 0;
  for (int q = t.block_input_start[row]; q < t.block_input_start[row + 1]; ++q) {
    const double value = numbers[t.block_inputs[q]], square = value * value;
    largest = square > largest ? square : largest;
  }
  return largest;
}

STIFFIT_INLINE void factor_loops(const ShortRows& t, double d, const double* jacobian,
                                 double* numbers, double* originals, double* growth) {
  begin(t, d, jacobian, numbers);
  double sum = 0, minimum = 1;
  for (int slot : t.unseen) sum += numbers[slot] * 0.0;
  for (int p = 0; p < t.front; ++p) originals[p] = numbers[t.pivot[p]];
  for (int p = t.front; p < t.n; ++p) originals[p] = largest_square(t, numbers, p - t.front);
  const int *pair = t.pairs.data(), *target = t.targets.data();
  for (const ShortRows::Level& level : t.levels) {
    for (int p = level.first; p < level.last; ++p) {
      double& pivot = numbers[t.pivot[p]];
      pivot = -1.0 / pivot;
      const double ratio = originals[p] * pivot, square = ratio * ratio;
      sum += square;
      minimum = square < minimum ? square : minimum;
    }
    for (int r = level.first_run; r < level.last_run; ++r)
      with_constant_length<8>(
          t.updates[r].length, [&](auto length) __attribute__((always_inline)) {
            for (int c = 0; c < t.updates[r].count; ++c, pair += 2, target += length) {
              const double* u = numbers + pair[1];
              const double l = numbers[pair[0]] * u[0];
              numbers[pair[0]] = l;
              for (int j = 0; j < length; ++j) numbers[target[j]] += l * u[j + 1];
            }
          });
  }
  // Pivots of the block are found later: the growth of its rows stands for theirs.
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
  growth[PivotRatios::sum] = sum;
  growth[PivotRatios::minimum] = minimum;
}

STIFFIT_INLINE void forward_loops(const ShortRows& t, const double* numbers, const double* b,
                                  double* y) {
  const int *at = t.at.data(), *row = t.row.data();
  double* next = y;
  for (const ShortRows::Run& run : t.forward)
    with_constant_length<8>(
        run.length, [&](auto length) __attribute__((always_inline)) {
          for (int c = 0; c < run.count; ++c, numbers += length, at += length) {
            double sum = b[*row++];
            for (int j = 0; j < length; ++j) sum += numbers[j] * y[at[j]];
            *next++ = sum;
          }
        });
}

STIFFIT_INLINE void backward_loops(const ShortRows& t, const double* numbers, double* y,
                                   double* b) {
  for (int p = t.front; p < t.n; ++p) b[t.column[p]] = y[p];
  const int *at = t.at.data() + t.u_begin, *column = t.column.data();
  numbers += t.u_begin;
  for (const ShortRows::Run& run : t.backward)
    with_constant_length<8>(
        run.length, [&](auto length) __attribute__((always_inline)) {
          for (int c = 0; c < run.count; ++c, numbers += length + 1, at += length + 1) {
            double sum = y[at[0]];
            for (int j = 1; j <= length; ++j) sum += numbers[j] * y[at[j]];
            sum *= numbers[0];
            y[at[0]] = sum;
            b[column[at[0]]] = sum;
          }
        });
}

#define STIFFIT_SHORT_ROW_LOOPS(name, target_attribute)                                         \
  struct name {                                                                                 \
    target_attribute static void factor(const ShortRows& t, double d, const double* jacobian,   \
                                        double* numbers, double* originals, double* growth) {   \
      factor_loops(t, d, jacobian, numbers, originals, growth);                                 \
    }                                                                                           \
    target_attribute static void forward(const ShortRows& t, const double* numbers,             \
                                         const double* b, double* y) {                          \
      forward_loops(t, numbers, b, y);                                                          \
    }                                                                                           \
    target_attribute static void backward(const ShortRows& t, const double* numbers, double* y, \
                                          double* b) {                                          \
      backward_loops(t, numbers, y, b);                                                         \
    }                                                                                           \
    static ShortRowKernel kernel() { return {factor, forward, backward}; }                      \
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

ShortRowKernel short_row_kernel(Isa isa) {
  return isa == Isa::portable ? Plain::kernel() : Avx2::kernel();
}

}  // namespace stiffit
