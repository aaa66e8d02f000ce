// Right-looking LU: a narrow panel with row exchanges, the rows of U beside it, then the rest by
// register tiles. The loops are written once and compiled for plain x86-64 and for AVX2 with FMA
// (which serves AVX-512 machines too).
// SPDX-License-Identifier: Apache-2.0
#include "linear/dense_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/thread_pool.h"

namespace stiffit::internal {
namespace {

#define STIFFIT_INLINE inline __attribute__((always_inline))

using Four = double __attribute__((vector_size(32), aligned(8), may_alias));

constexpr int max_panel = 32;
constexpr int block = 128;  // columns applied to the rest in one go: the rest is read n/128 times
constexpr int tile_vectors = 3;
constexpr int chunk = 128;  // rows

STIFFIT_INLINE Four* vector_at(double* p) { return reinterpret_cast<Four*>(p); }
STIFFIT_INLINE const Four* vector_at(const double* p) { return reinterpret_cast<const Four*>(p); }

// c[rows][vectors] -= a[depth][rows] * packed[depth][vectors]
template <int rows, int vectors>
STIFFIT_INLINE void multiply_tile(double* c, int stride, const double* a, const double* packed,
                                  int depth) {
  Four sum[rows][vectors] = {};
  for (int k = 0; k < depth; ++k)
    for (int r = 0; r < rows; ++r)
      for (int v = 0; v < vectors; ++v)
        sum[r][v] += a[k * rows + r] * vector_at(packed)[k * vectors + v];
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) vector_at(c + r * stride)[v] -= sum[r][v];
}

template <int vectors>
STIFFIT_INLINE void multiply_strip(double* c, int stride, const double* a, const double* b,
                                   int rows, int depth) {
  Four packed[block * tile_vectors];
  for (int k = 0; k < depth; ++k)
    for (int v = 0; v < vectors; ++v) packed[k * vectors + v] = vector_at(b + k * stride)[v];
  const double* p = reinterpret_cast<const double*>(packed);
  int i = 0;
  for (; i + 4 <= rows; i += 4)
    multiply_tile<4, vectors>(c + i * stride, stride, a + i * depth, p, depth);
  for (; i < rows; ++i) multiply_tile<1, vectors>(c + i * stride, stride, a + i * depth, p, depth);
}

// Columns first .. last of the rows below, with exchanges of whole rows.
STIFFIT_INLINE bool factor_panel(double* a, int n, int stride, int first, int last, int padded,
                                 int* pivot, const double* floor) {
  for (int k = first; k < last; ++k) {
    int best = k;
    double largest = std::fabs(a[k * stride + k]);
    for (int i = k + 1; i < n; ++i) {
      const double size = std::fabs(a[i * stride + k]);
      if (size > largest) {
        largest = size;
        best = i;
      }
    }
    pivot[k] = best;
    double* pivot_row = a + k * stride;
    if (best != k)
      for (int j = 0; j < stride; j += 4) {
        const Four swap = *vector_at(pivot_row + j);
        *vector_at(pivot_row + j) = *vector_at(a + best * stride + j);
        *vector_at(a + best * stride + j) = swap;
      }
    const double reciprocal = 1 / pivot_row[k];
    // NaN fails every comparison; leaving at once keeps it out of the padding.
    const bool good = largest > (floor ? floor[k] : 0.0) && std::fabs(reciprocal) > 0 &&
                      std::fabs(reciprocal) < HUGE_VAL;
    if (!good) return false;
    // Whole vectors are updated; zeros stand for what the pivot row must not change.
    alignas(32) double ahead[max_panel];
    const int from = first + (k + 1 - first) / 4 * 4;
    for (int j = from; j < padded; ++j) ahead[j - from] = j > k ? pivot_row[j] : 0.0;
    for (int i = k + 1; i < n; ++i) {
      double* row = a + i * stride;
      const double l = row[k] * reciprocal;
      for (int j = from; j < padded; j += 4)
        *vector_at(row + j) -= l * *vector_at(ahead + (j - from));
      row[k] = l;
    }
    pivot_row[k] = reciprocal;
  }
  return true;
}

// Rows of `a` side by side as multiply_tile reads them: by fours, the rest one by one.
STIFFIT_INLINE void pack_rows(const double* a, int stride, int rows, int depth, double* packed) {
  int i = 0;
  for (; i + 4 <= rows; i += 4)
    for (int k = 0; k < depth; ++k)
      for (int r = 0; r < 4; ++r) packed[i * depth + k * 4 + r] = a[(i + r) * stride + k];
  for (; i < rows; ++i)
    for (int k = 0; k < depth; ++k) packed[i * depth + k] = a[i * stride + k];
}

// c -= a * b, c of `rows` by `columns`, a whole number of vectors. The rows of `a` go in chunks
// that stay in the second-level cache while all strips of `b` pass by.
STIFFIT_INLINE void multiply(double* c, const double* a, const double* b, int stride, int rows,
                             int depth, int columns) {
  double packed[chunk * block];
  for (int first = 0; first < rows; first += chunk) {
    const int count = first + chunk < rows ? chunk : rows - first;
    pack_rows(a + std::ptrdiff_t(first) * stride, stride, count, depth, packed);
    double* to = c + std::ptrdiff_t(first) * stride;
    int j = 0;
    for (; j + 4 * tile_vectors <= columns; j += 4 * tile_vectors)
      multiply_strip<tile_vectors>(to + j, stride, packed, b + j, count, depth);
    for (; j < columns; j += 4) multiply_strip<1>(to + j, stride, packed, b + j, count, depth);
  }
}

// Applies the pivots first .. last to the columns from .. to, of their own rows and of those below.
STIFFIT_INLINE void apply_pivots(double* a, int n, int stride, int first, int last, int from,
                                 int to) {
  for (int begin = first; begin < last; begin += max_panel) {
    const int end = begin + max_panel < last ? begin + max_panel : last;
    for (int k = begin; k < end; ++k)
      for (int i = k + 1; i < end; ++i) {
        const double l = a[i * stride + k];
        for (int j = from; j < to; j += 4)
          *vector_at(a + i * stride + j) -= l * *vector_at(a + k * stride + j);
      }
    multiply(a + end * stride + from, a + end * stride + begin, a + begin * stride + from, stride,
             last - end, end - begin, to - from);
  }
  multiply(a + last * stride + from, a + last * stride + first, a + first * stride + from, stride,
           n - last, last - first, to - from);
}

using Apply = void (*)(double* a, int n, int stride, int first, int last, int from, int to);

struct Sharing {
  int threads;
  double least_updates;  // of a part, for them to share it
};

// The columns from .. to on all threads, cut between strips: every column meets the same operations
// in the same order as on one thread.
void apply_on_threads(Apply apply, Sharing sharing, double* a, int n, int stride, int first,
                      int last, int from, int to) {
  constexpr int strip = 4 * tile_vectors;
  const int strips = (to - from) / strip;
  const double work = double(n - first) * (last - first) * (to - from);
  if (sharing.threads == 1 || strips < sharing.threads || work < sharing.least_updates)
    return apply(a, n, stride, first, last, from, to);
  ThreadPool& pool = ThreadPool::of(sharing.threads);
  const int parts = pool.parts();
  pool.run([&](int part) {
    const int begin = from + strips * part / parts * strip;
    const int end = part + 1 == parts ? to : from + strips * (part + 1) / parts * strip;
    if (begin < end) apply(a, n, stride, first, last, begin, end);
  });
}

STIFFIT_INLINE bool factor_loops(double* a, int n, int* pivot, const double* floor, Sharing sharing,
                                 Apply apply) {
  const int stride = dense_stride(n), width = (n + 3) / 4 * 4;
  const int panel = n < 256 ? 16 : max_panel;
  for (int begin = 0; begin < n; begin += block) {
    const int end = begin + block < n ? begin + block : n;
    for (int first = begin; first < end; first += panel) {
      const int last = first + panel < end ? first + panel : end;
      const int padded = (last + 3) / 4 * 4;
      if (!factor_panel(a, n, stride, first, last, padded, pivot, floor)) return false;
      if (last < end) apply_pivots(a, n, stride, first, last, last, (end + 3) / 4 * 4);
    }
    if (end < n) apply_on_threads(apply, sharing, a, n, stride, begin, end, end, width);
  }
  return true;
}

STIFFIT_INLINE double dot(const double* a, const double* b, int n) {
  Four sum[2] = {};
  int j = 0;
  for (; j + 8 <= n; j += 8) {
    sum[0] += *vector_at(a + j) * *vector_at(b + j);
    sum[1] += *vector_at(a + j + 4) * *vector_at(b + j + 4);
  }
  const Four both = sum[0] + sum[1];
  double result = (both[0] + both[1]) + (both[2] + both[3]);
  for (; j < n; ++j) result += a[j] * b[j];
  return result;
}

// sums[r] += row r of `a` times `b`, four rows together, `n` a multiple of 4.
STIFFIT_INLINE void dot_rows(const double* a, int stride, const double* b, int n, double* sums) {
  Four sum[4] = {};
  for (int j = 0; j < n; j += 4) {
    const Four x = *vector_at(b + j);
    for (int r = 0; r < 4; ++r) sum[r] += *vector_at(a + r * stride + j) * x;
  }
  for (int r = 0; r < 4; ++r) sums[r] += (sum[r][0] + sum[r][1]) + (sum[r][2] + sum[r][3]);
}

// Four unknowns at a time: what the next ones wait for stays in registers, where a row's own sum
// would wait for the store of the unknown just found.
STIFFIT_INLINE void solve_loops(const double* a, int n, const int* pivot, double* b) {
  const int stride = dense_stride(n), fours = n / 4 * 4;
  for (int k = 0; k < n; ++k) {
    const double swap = b[k];
    b[k] = b[pivot[k]];
    b[pivot[k]] = swap;
  }
  for (int i = 0; i < fours; i += 4) {
    const double* row = a + i * stride;
    double x[4] = {};
    dot_rows(row, stride, b, i, x);
    for (int r = 0; r < 4; ++r) {
      x[r] = b[i + r] - x[r];
      for (int c = 0; c < r; ++c) x[r] -= row[r * stride + i + c] * x[c];
    }
    for (int r = 0; r < 4; ++r) b[i + r] = x[r];
  }
  for (int i = fours; i < n; ++i) b[i] -= dot(a + i * stride, b, i);
  for (int i = n - 1; i >= fours; --i) {
    const double* row = a + i * stride;
    b[i] = (b[i] - dot(row + i + 1, b + i + 1, n - i - 1)) * row[i];
  }
  for (int i = fours - 4; i >= 0; i -= 4) {
    const double* row = a + i * stride;
    double x[4] = {};
    for (int r = 0; r < 4; ++r)
      for (int j = fours; j < n; ++j) x[r] += row[r * stride + j] * b[j];
    dot_rows(row + i + 4, stride, b + i + 4, fours - i - 4, x);
    for (int r = 3; r >= 0; --r) {
      x[r] = b[i + r] - x[r];
      for (int c = 3; c > r; --c) x[r] -= row[r * stride + i + c] * x[c];
      x[r] *= row[r * stride + i + r];
    }
    for (int r = 0; r < 4; ++r) b[i + r] = x[r];
  }
}

void apply_plain(double* a, int n, int stride, int first, int last, int from, int to) {
  apply_pivots(a, n, stride, first, last, from, to);
}

#if defined(__x86_64__)
#define STIFFIT_AVX2 __attribute__((target("avx2,fma")))
STIFFIT_AVX2 void apply_avx2(double* a, int n, int stride, int first, int last, int from, int to) {
  apply_pivots(a, n, stride, first, last, from, to);
}
STIFFIT_AVX2 bool factor_avx2(double* a, int n, int* pivot, const double* floor, Sharing sharing) {
  return factor_loops(a, n, pivot, floor, sharing, apply_avx2);
}
STIFFIT_AVX2 void solve_avx2(const double* a, int n, const int* pivot, double* b) {
  solve_loops(a, n, pivot, b);
}
#else
bool factor_avx2(double* a, int n, int* pivot, const double* floor, Sharing sharing) {
  return factor_loops(a, n, pivot, floor, sharing, apply_plain);
}
constexpr auto solve_avx2 = solve_loops;
#endif

}  // namespace

bool factor_dense(double* a, int n, int* pivot, const double* floor, Isa isa, int threads,
                  double updates_for_threads) {
  const Sharing sharing{threads, updates_for_threads};
  return isa == Isa::portable ? factor_loops(a, n, pivot, floor, sharing, apply_plain)
                              : factor_avx2(a, n, pivot, floor, sharing);
}

void solve_dense(const double* a, int n, const int* pivot, double* b, Isa isa) {
  isa == Isa::portable ? solve_loops(a, n, pivot, b) : solve_avx2(a, n, pivot, b);
}

}  // namespace stiffit::internal
