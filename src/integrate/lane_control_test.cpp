// SPDX-License-Identifier: Apache-2.0
#include "integrate/lane_control.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stiffit {
namespace {

// Each lane is controlled as it would be alone; lanes that are not named stay as they are.
TEST(LaneControl, IsStepControlOfEveryLane) {
  for (Isa isa : possible_isas())
    for (int lanes : {4, 8}) {
      auto program = std::make_shared<Program>();
      program->lanes = lanes;
      program->isa = isa;
      program->states = 3;
      const Problem problem{program, nullptr, nullptr};
      const IntegrationOptions options;
      LaneGroup group(problem, options);
      LaneControl control(*program);
      std::vector<StepControl> alone(static_cast<std::size_t>(lanes));
      std::vector<double> t(alone.size()), h(alone.size(), 0.1), largest(alone.size());
      for (std::size_t l = 0; l < alone.size(); ++l) group.h[l] = h[l];
      for (int round = 0; round < 200; ++round) {
        const auto mask = static_cast<LaneMask>(round * 2654435761u >> 7) & ((1u << lanes) - 1);
        for (std::size_t l = 0; l < alone.size(); ++l) {
          const double error = std::pow(10.0, 8 * std::sin(1.7 * round + static_cast<double>(l)));
          group.error[l] = error;
          if (!(mask >> l & 1)) continue;
          if (error > 1) {
            h[l] = alone[l].after_reject(h[l], error, 5);
            group.h[l] = control.after_reject(static_cast<int>(l), group.h[l], error, 5);
          } else {
            for (std::size_t i = 0; i < 3; ++i) {
              const double y = std::cos(round + static_cast<double>(i * l));
              group.y[i * alone.size() + l] = y;
              largest[l] = std::max(largest[l], std::fabs(y));
            }
            t[l] += h[l];
            h[l] = alone[l].after_accept(h[l], error, 5);
          }
        }
        LaneMask passed = mask;
        for (std::size_t l = 0; l < alone.size(); ++l)
          if (group.error[l] > 1) passed &= ~(1u << l);
        control.after_accept(passed, group, 5);
        for (std::size_t l = 0; l < alone.size(); ++l) {
          ASSERT_NEAR(group.h[l] / h[l], 1, 1e-11) << round << " lane " << l;
          ASSERT_NEAR(group.t[l], t[l], 1e-11 * t[l]);
          ASSERT_DOUBLE_EQ(group.noise[l], std::max(1e-16 * largest[l], 1e-300));
        }
      }
    }
}

}  // namespace
}  // namespace stiffit
