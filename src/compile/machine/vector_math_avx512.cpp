// Functions of eight lanes. Only this unit's own functions are compiled for AVX-512; the headers
// above the pragma keep the baseline.
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include <limits>

#include "compile/machine/vector_math.h"

#pragma GCC target("avx2,fma,avx512f,avx512dq,avx512vl")

namespace stiffit::internal {
namespace {

using Lanes = double __attribute__((vector_size(64)));
using LaneMask = long __attribute__((vector_size(64)));

inline bool all_true(LaneMask mask) {
  return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask)) == 0xff;
}

}  // namespace
}  // namespace stiffit::internal

#define STIFFIT_VECTOR(NAME) _ZGVeN8v_##NAME
#define STIFFIT_VECTOR2(NAME) _ZGVeN8vv_##NAME
#include "compile/guarded_math.h"

namespace stiffit::internal {

const void* math_function_avx512(Op op) { return guarded_function(op); }

}  // namespace stiffit::internal

#endif
