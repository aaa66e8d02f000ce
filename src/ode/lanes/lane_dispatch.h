// Chooses the instantiation of a stepper for the program's lanes and instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/stepper.h"

// STIFFIT_DISPATCH(Class, group): a new Class<W> from the namespace of the program's ISA.
#define STIFFIT_DISPATCH_IN(space, Class, group)         \
  do {                                                   \
    switch ((group).lanes) {                             \
      case 1:                                            \
        return std::make_unique<space::Class<1>>(group); \
      case 4:                                            \
        return std::make_unique<space::Class<4>>(group); \
      default:                                           \
        return std::make_unique<space::Class<8>>(group); \
    }                                                    \
  } while (false)

#if defined(__x86_64__)
#define STIFFIT_DISPATCH(Class, group)                   \
  do {                                                   \
    switch ((group).problem.program->isa) {              \
      case Isa::avx512:                                  \
        STIFFIT_DISPATCH_IN(isa_avx512, Class, group);   \
      case Isa::avx2:                                    \
        STIFFIT_DISPATCH_IN(isa_avx2, Class, group);     \
      default:                                           \
        STIFFIT_DISPATCH_IN(isa_portable, Class, group); \
    }                                                    \
  } while (false)
#else
#define STIFFIT_DISPATCH(Class, group) STIFFIT_DISPATCH_IN(isa_portable, Class, group)
#endif
