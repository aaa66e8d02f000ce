// SPDX-License-Identifier: Apache-2.0
#include "ode/driver/step_control.h"

#include <algorithm>
#include <cmath>

#define STIFFIT_ISA_NAMESPACE one_number
namespace stiffit::internal::one_number {
using Vector = double;
using Bits = unsigned long;
}  // namespace stiffit::internal::one_number
#include "ode/driver/step_formula.h"

namespace stiffit::internal {

double rough_root(double x, int order) {
  return x > 0 ? one_number::rough_exp2(one_number::rough_log2(x) / order) : 0;
}

double step_after_rejection(double h, double error, int order) {
  if (!std::isfinite(error)) return 0.25 * h;
  return h / std::clamp(rough_root(error, order) / step_safety, 1.1, 1 / step_smallest);
}

double StepControl::after_accept(double h, double error, int order) {
  one_number::StepMemory memory{inverse, size, cap};
  h = one_number::step_after(h, error, 1.0 / order, memory);
  inverse = memory.inverse;
  size = memory.size;
  cap = memory.cap;
  return h;
}

double StepControl::after_reject(double h, double error, int order) {
  cap = 1;
  return step_after_rejection(h, error, order);
}

}  // namespace stiffit::internal
