// Functions of four lanes. Only this unit's own functions are compiled for AVX2; the headers above
// the pragma keep the baseline.
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include <limits>

#include "compile/machine/vector_math.h"

#pragma GCC target("avx2,fma")

namespace stiffit::internal {
namespace {

using Lanes = double __attribute__((vector_size(32)));
using LaneMask = long __attribute__((vector_size(32)));

inline bool all_true(LaneMask mask) {
  return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)) == 0xf;
}

}  // namespace
}  // namespace stiffit::internal

#define STIFFIT_VECTOR(NAME) _ZGVdN4v_##NAME
#define STIFFIT_VECTOR2(NAME) _ZGVdN4vv_##NAME
#include "compile/guarded_math.h"

namespace stiffit::internal {

const void* math_function_avx2(Op op) { return guarded_function(op); }

}  // namespace stiffit::internal

#endif
