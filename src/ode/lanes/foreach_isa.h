// Includes the file named by STIFFIT_STEP_FILE once per instruction set, each time in a namespace
// of its own and compiled for that set. Everything from other headers must be included before, so
// that no shared inline function is compiled for a CPU that may not be there. No include guard.
// SPDX-License-Identifier: Apache-2.0

#define STIFFIT_ISA_NAMESPACE isa_portable
#define STIFFIT_VECTOR_BYTES 16
#include "ode/lanes/vector_code.h"
#include STIFFIT_STEP_FILE
#undef STIFFIT_ISA_NAMESPACE
#undef STIFFIT_VECTOR_BYTES

#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define STIFFIT_ISA_NAMESPACE isa_avx2
#define STIFFIT_VECTOR_BYTES 32
#include "ode/lanes/vector_code.h"
#include STIFFIT_STEP_FILE
#undef STIFFIT_ISA_NAMESPACE
#undef STIFFIT_VECTOR_BYTES
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512dq,avx512vl,prefer-vector-width=512")
#define STIFFIT_ISA_NAMESPACE isa_avx512
#define STIFFIT_VECTOR_BYTES 64
#include "ode/lanes/vector_code.h"
#include STIFFIT_STEP_FILE
#undef STIFFIT_ISA_NAMESPACE
#undef STIFFIT_VECTOR_BYTES
#pragma GCC pop_options
#endif

#undef STIFFIT_STEP_FILE
