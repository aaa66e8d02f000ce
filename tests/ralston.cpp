// Ralston's pair of orders three and two (1962): a toy that shows how a method is added.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "ode/lanes/fused_step.h"
#include "ode/lanes/lane_dispatch.h"
#include "ode/method_registry.h"
#include "ode/methods/explicit_rk/explicit_rk_tableaus.h"

namespace stiffit::internal {

struct RalstonTableau {
  static constexpr int stages = 3, order = 3;
  static constexpr bool pair = true, first_same_as_last = false;
  static constexpr Interpolation interpolation = Interpolation::hermite;
  static constexpr double node[3] = {0, 1.0 / 2, 3.0 / 4};
  static constexpr double a[3][2] = {{0}, {1.0 / 2}, {0, 3.0 / 4}};
  static constexpr double weight[3] = {2.0 / 9, 1.0 / 3, 4.0 / 9};
  // Minus the midpoint rule, of order two.
  static constexpr double error[3] = {2.0 / 9, 1.0 / 3 - 1, 4.0 / 9};
};

}  // namespace stiffit::internal

#define STIFFIT_TABLEAU RalstonTableau
#define STIFFIT_STEPPER RalstonStepper
#define STIFFIT_STEP_FILE "ode/methods/explicit_rk/explicit_rk_step.h"
#include "ode/lanes/foreach_isa.h"

namespace stiffit::internal {

std::unique_ptr<Stepper> make_ralston(LaneGroup& group) { STIFFIT_DISPATCH(RalstonStepper, group); }

}  // namespace stiffit::internal
