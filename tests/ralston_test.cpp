// The toy method of docs/adding-a-method.md: it has its order, and its error estimate is of use.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "compiled_model.h"
#include "ode/stepper.h"

namespace stiffit::internal {

std::unique_ptr<Stepper> make_ralston(LaneGroup& group);

namespace {

struct Walk {
  double error = 0, estimate = 0;  // of the end against exp(-1); of the first step
};

// x' = -x from 1, with steps of this size to time 1.
Walk walk(int steps) {
  const CompiledModel decay = compile_model(resolve_text("decay", "species x = 1; x' = -x;"));
  IntegrationOptions options;
  options.atol = 1e-6;
  options.fixed_step = 1.0 / steps;
  LaneGroup group(decay.problem, options);
  group.y[0] = 1;
  group.h[0] = options.fixed_step;
  group.end[0] = group.bound[0] = 1;
  auto stepper = make_ralston(group);
  stepper->start(1);
  Walk result;
  for (int k = 0; k < steps; ++k) {
    stepper->attempt(1);
    if (k == 0) result.estimate = group.error[0];
    stepper->accept(1);
    group.t[0] += group.h[0];
  }
  result.error = std::fabs(group.y[0] - std::exp(-1.0));
  return result;
}

TEST(Ralston, IsOfOrderThree) {
  const Walk coarse = walk(20), fine = walk(40);
  EXPECT_NEAR(std::log2(coarse.error / fine.error), 3, 0.1);
  // The estimate is that of order two: h^3/6 of one step.
  EXPECT_NEAR(std::log2(coarse.estimate / fine.estimate), 3, 0.2);
}

}  // namespace
}  // namespace stiffit::internal
