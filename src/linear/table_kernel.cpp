// Row by row: a row is spread into a work vector, the U rows of its L entries are added, and what
// is left is kept. Written once for all lane counts; compiled for plain x86-64, AVX2 and AVX-512.
// SPDX-License-Identifier: Apache-2.0
#include "linear/table_kernel.h"

#include "linear/fixed_pivots.h"

namespace stiffit {
namespace {

#define STIFFIT_INLINE inline __attribute__((always_inline))

using One = double;
using Four = double __attribute__((vector_size(32), aligned(8), may_alias));
using Eight = double __attribute__((vector_size(64), aligned(8), may_alias));

STIFFIT_INLINE void keep_smaller(double& a, const double& b) {
  if (b < a) a = b;
}
template <class V>
STIFFIT_INLINE void keep_smaller(V& a, const V& b) {
  a = b < a ? b : a;
}
STIFFIT_INLINE double lane_of(const double& v, int) { return v; }
template <class V>
STIFFIT_INLINE double lane_of(const V& v, int lane) {
  return v[lane];
}

template <class V>
STIFFIT_INLINE void factor_loops(const EliminationTable& t, const double* d_lanes,
                                 const double* jacobian_lanes, double* lu_lanes, double* work_lanes,
                                 double* tail, std::size_t tail_size, int tail_stride,
                                 double* growth) {
  constexpr int lanes = sizeof(V) / sizeof(double);
  const V d = *reinterpret_cast<const V*>(d_lanes);
  const V* jacobian = reinterpret_cast<const V*>(jacobian_lanes);
  V* lu = reinterpret_cast<V*>(lu_lanes);
  V* work = reinterpret_cast<V*>(work_lanes);
  V sum = {}, minimum = V{} + 1.0;
  for (int i = 0; i < t.n; ++i) {
    const int begin = t.row_start[i], end = t.row_start[i + 1], diagonal = t.diagonal[i];
    const bool in_front = i < t.front;
    for (int s = begin; s < end; ++s) work[t.column[s]] = V{};
    if (!in_front)
      for (int j = t.front; j < t.n; ++j) work[j] = V{};
    V original = {};
    for (int q = t.input_start[i]; q < t.input_start[i + 1]; ++q) {
      const Elimination::Input& input = t.input[q];
      V value = {};
      if (input.source >= 0) value = jacobian[input.source];
      if (input.mass != 0) value = value - input.mass * d;
      if (!input.reaches_pivot) sum = sum + value * 0.0;
      if (input.slot == diagonal) original = value;
      work[t.column[input.slot]] = value;
    }
    for (int s = begin; s < diagonal; ++s) {
      const int k = t.column[s];
      if (k >= t.front) break;
      const V l = work[k] * lu[t.diagonal[k]];
      lu[s] = l;
      const int last = t.row_start[k + 1];
      for (int u = t.diagonal[k] + 1; u < last; ++u) {
        V& target = work[t.column[u]];
        target = target + l * lu[u];
      }
    }
    if (in_front) {
      const V reciprocal = -1.0 / work[i];
      lu[diagonal] = reciprocal;
      for (int s = diagonal + 1; s < end; ++s) lu[s] = work[t.column[s]];
      const V ratio = original * reciprocal;
      const V square = ratio * ratio;
      sum = sum + square;
      keep_smaller(minimum, square);
    } else {
      double* row = tail + std::size_t(i - t.front) * tail_stride;
      for (int j = t.front; j < t.n; ++j)
        for (int lane = 0; lane < lanes; ++lane)
          row[lane * tail_size + (j - t.front)] = lane_of(work[j], lane);
    }
  }
  reinterpret_cast<V*>(growth)[PivotRatios::sum] = sum;
  reinterpret_cast<V*>(growth)[PivotRatios::minimum] = minimum;
}

template <class V>
STIFFIT_INLINE void forward_loops(const EliminationTable& t, const double* lu_lanes,
                                  const double* b_lanes, double* y_lanes) {
  const V* lu = reinterpret_cast<const V*>(lu_lanes);
  const V* b = reinterpret_cast<const V*>(b_lanes);
  V* y = reinterpret_cast<V*>(y_lanes);
  for (int i = 0; i < t.n; ++i) {
    V sum = b[t.row[i]];
    for (int s = t.row_start[i]; s < t.diagonal[i]; ++s) {
      const int k = t.column[s];
      if (k >= t.front) break;
      sum = sum + lu[s] * y[k];
    }
    y[i] = sum;
  }
}

template <class V>
STIFFIT_INLINE void backward_loops(const EliminationTable& t, const double* lu_lanes,
                                   double* y_lanes, double* b_lanes) {
  const V* lu = reinterpret_cast<const V*>(lu_lanes);
  V* b = reinterpret_cast<V*>(b_lanes);
  V* y = reinterpret_cast<V*>(y_lanes);
  for (int i = t.n - 1; i >= t.front; --i) b[t.pivot_column[i]] = y[i];
  for (int i = t.front - 1; i >= 0; --i) {
    V sum = y[i];
    for (int s = t.diagonal[i] + 1; s < t.row_start[i + 1]; ++s) sum = sum + lu[s] * y[t.column[s]];
    y[i] = sum * lu[t.diagonal[i]];
    b[t.pivot_column[i]] = y[i];
  }
}

#define STIFFIT_TABLE_LOOPS(name, target_attribute, V)                                            \
  struct name {                                                                                   \
    target_attribute static void factor(const EliminationTable& t, const double* d,               \
                                        const double* jacobian, double* lu, double* work,         \
                                        double* tail, std::size_t tail_size, int tail_stride,     \
                                        double* growth) {                                         \
      factor_loops<V>(t, d, jacobian, lu, work, tail, tail_size, tail_stride, growth);            \
    }                                                                                             \
    target_attribute static void forward(const EliminationTable& t, const double* lu,             \
                                         const double* b, double* y) {                            \
      forward_loops<V>(t, lu, b, y);                                                              \
    }                                                                                             \
    target_attribute static void backward(const EliminationTable& t, const double* lu, double* y, \
                                          double* b) {                                            \
      backward_loops<V>(t, lu, y, b);                                                             \
    }                                                                                             \
    static TableKernel kernel() { return {factor, forward, backward}; }                           \
  };

#define STIFFIT_PLAIN
STIFFIT_TABLE_LOOPS(PlainOne, STIFFIT_PLAIN, One)
STIFFIT_TABLE_LOOPS(PlainFour, STIFFIT_PLAIN, Four)
STIFFIT_TABLE_LOOPS(PlainEight, STIFFIT_PLAIN, Eight)
#if defined(__x86_64__)
#define STIFFIT_AVX2 __attribute__((target("avx2,fma")))
#define STIFFIT_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma")))
STIFFIT_TABLE_LOOPS(Avx2One, STIFFIT_AVX2, One)
STIFFIT_TABLE_LOOPS(Avx2Four, STIFFIT_AVX2, Four)
STIFFIT_TABLE_LOOPS(Avx2Eight, STIFFIT_AVX2, Eight)
STIFFIT_TABLE_LOOPS(Avx512Eight, STIFFIT_AVX512, Eight)
#else
using Avx2One = PlainOne;
using Avx2Four = PlainFour;
using Avx2Eight = PlainEight;
using Avx512Eight = PlainEight;
#endif

}  // namespace

TableKernel table_kernel(int lanes, Isa isa) {
  const bool plain = isa == Isa::portable;
  if (lanes == 1) return plain ? PlainOne::kernel() : Avx2One::kernel();
  if (lanes == 4) return plain ? PlainFour::kernel() : Avx2Four::kernel();
  if (isa == Isa::avx512) return Avx512Eight::kernel();
  return plain ? PlainEight::kernel() : Avx2Eight::kernel();
}

}  // namespace stiffit
