// Row by row: a row is spread into a work vector, the U rows of its L entries are added, and what
// is left is kept. Written once for all lane counts; compiled for plain x86-64, AVX2 and AVX-512.
// SPDX-License-Identifier: Apache-2.0
#include "linear/table_kernel.h"

#include "linear/fixed_pivots.h"

// Vectors are returned only by functions that are always inlined: no ABI is involved.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace stiffit::internal {
namespace {

#define STIFFIT_INLINE inline __attribute__((always_inline))

using One = double;
using Four = double __attribute__((vector_size(32), aligned(8), may_alias));
using Eight [[maybe_unused]] = double __attribute__((vector_size(64), aligned(8), may_alias));

// Eight lanes where vectors have four: GCC would take a vector of eight through memory.
struct TwoFours {
  Four low, high;
  double operator[](int lane) const { return lane < 4 ? low[lane] : high[lane - 4]; }
};
STIFFIT_INLINE TwoFours operator+(const TwoFours& a, const TwoFours& b) {
  return {a.low + b.low, a.high + b.high};
}
STIFFIT_INLINE TwoFours operator-(const TwoFours& a, const TwoFours& b) {
  return {a.low - b.low, a.high - b.high};
}
STIFFIT_INLINE TwoFours operator*(const TwoFours& a, const TwoFours& b) {
  return {a.low * b.low, a.high * b.high};
}
STIFFIT_INLINE TwoFours operator/(const TwoFours& a, const TwoFours& b) {
  return {a.low / b.low, a.high / b.high};
}

template <class V>
STIFFIT_INLINE V all_lanes(double value) {
  return V{} + value;
}
template <>
STIFFIT_INLINE TwoFours all_lanes<TwoFours>(double value) {
  return {Four{} + value, Four{} + value};
}

// The second argument if it compares so; NaN never does.
STIFFIT_INLINE void keep_smaller(double& a, const double& b) { a = b < a ? b : a; }
STIFFIT_INLINE void keep_larger(double& a, const double& b) { a = b > a ? b : a; }
template <class V>
STIFFIT_INLINE void keep_smaller(V& a, const V& b) {
  a = b < a ? b : a;
}
template <class V>
STIFFIT_INLINE void keep_larger(V& a, const V& b) {
  a = b > a ? b : a;
}
STIFFIT_INLINE void keep_smaller(TwoFours& a, const TwoFours& b) {
  keep_smaller(a.low, b.low);
  keep_smaller(a.high, b.high);
}
STIFFIT_INLINE void keep_larger(TwoFours& a, const TwoFours& b) {
  keep_larger(a.low, b.low);
  keep_larger(a.high, b.high);
}
STIFFIT_INLINE double lane_of(const double& v, int) { return v; }
template <class V>
STIFFIT_INLINE double lane_of(const V& v, int lane) {
  return v[lane];
}

// Eliminates `count` neighbours of a row at once, pivots k on, whose U rows share one pattern
// beyond themselves: the work vector is read and written once for all of them.
template <int count, class V>
STIFFIT_INLINE void add_pivot_rows(const EliminationTable& t, int k, V* lu, V* l_slots, V* work) {
  V l[count];
  const V* u[count];
  for (int a = 0; a < count; ++a) {
    const int diagonal = t.diagonal[k + a];
    V value = work[k + a];
    for (int b = 0; b < a; ++b) value = value + l[b] * u[b][a - b - 1];
    l[a] = value * lu[diagonal];
    l_slots[a] = l[a];
    u[a] = lu + diagonal + 1;
  }
  for (int a = 0; a < count; ++a) u[a] += count - 1 - a;
  const int first = t.diagonal[k + count - 1] + 1;
  const int length = t.row_start[k + count] - first;
  const int* column = t.column + first;
  for (int j = 0; j < length; ++j) {
    V value = work[column[j]];
    for (int a = 0; a < count; ++a) value = value + l[a] * u[a][j];
    work[column[j]] = value;
  }
}

template <class V>
STIFFIT_INLINE void factor_loops(const EliminationTable& t, const double* d_lanes,
                                 const double* jacobian_lanes, double* lu_lanes, double* work_lanes,
                                 double* tail, std::size_t tail_size, int tail_stride,
                                 double* growth) {
  constexpr int lanes = sizeof(V) / sizeof(double);
  const V zero = all_lanes<V>(0.0), minus_one = all_lanes<V>(-1.0);
  const V d = *reinterpret_cast<const V*>(d_lanes);
  const V* jacobian = reinterpret_cast<const V*>(jacobian_lanes);
  V* lu = reinterpret_cast<V*>(lu_lanes);
  V* work = reinterpret_cast<V*>(work_lanes);
  V sum = zero, minimum = all_lanes<V>(1.0);
  for (int i = 0; i < t.n; ++i) {
    const int begin = t.row_start[i], end = t.row_start[i + 1], diagonal = t.diagonal[i];
    const bool in_front = i < t.front;
    const int stop = in_front ? i : t.front;  // pivots from here on are not applied
    for (int s = begin; s < end; ++s) work[t.column[s]] = zero;
    if (!in_front)
      for (int j = t.front; j < t.n; ++j) work[j] = zero;
    V original = zero, largest_before = zero;
    for (int q = t.input_start[i]; q < t.input_start[i + 1]; ++q) {
      const EliminationTable::Input& input = t.input[q];
      V value = input.source >= 0 ? jacobian[input.source] : zero;
      if (input.mass != 0) value = value - all_lanes<V>(input.mass) * d;
      if (!input.reaches_pivot) sum = sum + value * zero;
      if (input.column == i) original = value;
      if (!in_front) keep_larger(largest_before, value * value);
      work[input.column] = value;
    }
    for (int s = begin; s < diagonal;) {
      const int k = t.column[s];
      const int together = t.twins[k] < stop - k ? t.twins[k] : stop - k;
      if (together >= 4) {
        add_pivot_rows<4>(t, k, lu, lu + s, work);
        s += 4;
      } else if (together >= 2) {
        add_pivot_rows<2>(t, k, lu, lu + s, work);
        s += 2;
      } else {
        add_pivot_rows<1>(t, k, lu, lu + s, work);
        ++s;
      }
    }
    if (in_front) {
      const V reciprocal = minus_one / work[i];
      lu[diagonal] = reciprocal;
      for (int s = diagonal + 1; s < end; ++s) lu[s] = work[t.column[s]];
      const V ratio = original * reciprocal;
      const V square = ratio * ratio;
      sum = sum + square;
      keep_smaller(minimum, square);
    } else {
      // Pivots are found later: here the growth of the row stands for theirs.
      V largest_after = zero;
      double* row = tail + std::size_t(i - t.front) * tail_stride;
      for (int j = t.front; j < t.n; ++j) {
        keep_larger(largest_after, work[j] * work[j]);
        for (int lane = 0; lane < lanes; ++lane)
          row[lane * tail_size + (j - t.front)] = lane_of(work[j], lane);
      }
      keep_smaller(minimum, largest_before / largest_after);
    }
  }
  reinterpret_cast<V*>(growth)[PivotRatios::sum] = sum;
  reinterpret_cast<V*>(growth)[PivotRatios::minimum] = minimum;
}

// start + sum of lu[s] * y[column[s]], in chains that do not wait for each other.
template <class V>
STIFFIT_INLINE V sum_products(V start, const V* lu, const int* column, int count, const V* y) {
  constexpr int chains = sizeof(V) > 32 ? 2 : 4;
  V sum[chains];
  sum[0] = start;
  for (int c = 1; c < chains; ++c) sum[c] = all_lanes<V>(0.0);
  int s = 0;
  for (; s + chains <= count; s += chains)
    for (int c = 0; c < chains; ++c) sum[c] = sum[c] + lu[s + c] * y[column[s + c]];
  for (; s < count; ++s) sum[0] = sum[0] + lu[s] * y[column[s]];
  for (int c = 1; c < chains; ++c) sum[0] = sum[0] + sum[c];
  return sum[0];
}

template <class V>
STIFFIT_INLINE void forward_loops(const EliminationTable& t, const double* lu_lanes,
                                  const double* b_lanes, double* y_lanes) {
  const V* lu = reinterpret_cast<const V*>(lu_lanes);
  const V* b = reinterpret_cast<const V*>(b_lanes);
  V* y = reinterpret_cast<V*>(y_lanes);
  for (int i = 0; i < t.n; ++i) {
    const int begin = t.row_start[i], end = t.diagonal[i];
    y[i] = sum_products(b[t.row[i]], lu + begin, t.column + begin, end - begin, y);
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
    const int begin = t.diagonal[i] + 1, end = t.row_start[i + 1];
    y[i] = sum_products(y[i], lu + begin, t.column + begin, end - begin, y) * lu[begin - 1];
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
STIFFIT_TABLE_LOOPS(PlainEight, STIFFIT_PLAIN, TwoFours)
#if defined(__x86_64__)
#define STIFFIT_AVX2 __attribute__((target("avx2,fma")))
#define STIFFIT_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma")))
STIFFIT_TABLE_LOOPS(Avx2One, STIFFIT_AVX2, One)
STIFFIT_TABLE_LOOPS(Avx2Four, STIFFIT_AVX2, Four)
STIFFIT_TABLE_LOOPS(Avx2Eight, STIFFIT_AVX2, TwoFours)
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

}  // namespace stiffit::internal
