// The instantiations of the BDF.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "integrate/bdf_coefficients.h"
#include "integrate/matrix_policy.h"
#include "integrate/method_registry.h"
#include "integrate/step_control.h"

#define STIFFIT_STEP_FILE "integrate/bdf_step.h"
#include "integrate/foreach_isa.h"

namespace stiffit {

std::unique_ptr<Stepper> make_bdf(LaneGroup& group) {
#if defined(__x86_64__)
  switch (group.problem.program->isa) {
    case Isa::avx512:
      return std::make_unique<isa_avx512::BdfStepper>(group);
    case Isa::avx2:
      return std::make_unique<isa_avx2::BdfStepper>(group);
    default:
      break;
  }
#endif
  return std::make_unique<isa_portable::BdfStepper>(group);
}

}  // namespace stiffit
