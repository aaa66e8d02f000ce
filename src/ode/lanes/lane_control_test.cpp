// SPDX-License-Identifier: Apache-2.0
#include "ode/lanes/lane_control.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stiffit::internal {
namespace {

std::shared_ptr<const Program> program_of(int lanes, Isa isa, int states) {
  auto program = std::make_shared<Program>();
  program->lanes = lanes;
  program->isa = isa;
  program->states = states;
  return program;
}

// Lanes of a program that does nothing.
struct Trial {
  Trial(int lanes, Isa isa, int states) : problem{program_of(lanes, isa, states), {}, {}, {}} {}
  const Problem problem;
  const IntegrationOptions options;
  LaneGroup group{problem, options};
  LaneControl control{*problem.program};
};

// Each lane is controlled as it would be alone; lanes that are not named stay as they are.
TEST(LaneControl, IsStepControlOfEveryLane) {
  for (Isa isa : possible_isas())
    for (int lanes : {4, 8}) {
      Trial trial(lanes, isa, 3);
      LaneGroup& group = trial.group;
      LaneControl& control = trial.control;
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
          double top = 0;
          for (std::size_t i = 0; i < 3; ++i)
            top = std::max(top, group.largest[i * alone.size() + l]);
          ASSERT_DOUBLE_EQ(top, largest[l]);
        }
      }
    }
}

// A row is due at the end of a step, not behind it, and only in lanes that are asked for.
TEST(LaneControl, FindsTheRowsInTheStepsOfLanes) {
  for (Isa isa : possible_isas())
    for (int lanes : {4, 8}) {
      Trial trial(lanes, isa, 3);
      LaneGroup& group = trial.group;
      const std::size_t count = lanes;
      AlignedArray next(count), theta(count);
      for (std::size_t l = 0; l < count; ++l) {
        const double t = group.t[l] = 1 + 0.25 * static_cast<double>(l), h = group.h[l] = 0.5;
        const double rows[] = {t, t + 0.125, t + h, std::nextafter(t + h, 9), INFINITY};
        next[l] = rows[l % 5];
      }
      for (LaneMask asked : {~0u, 0x5au, 0u}) {
        const LaneMask due =
            trial.control.due(asked & ((1u << lanes) - 1), group, next.data(), theta.data());
        for (std::size_t l = 0; l < count; ++l) {
          const bool inside = l % 5 < 3 && asked >> l & 1;
          EXPECT_EQ(due >> l & 1, inside) << l;
          const double places[] = {0, 0.25, 1};
          if (inside) {
            EXPECT_EQ(theta[l], places[l % 5]);
          }
        }
        EXPECT_EQ(due >> lanes, 0u);
      }
    }
}

// Every lane's states to a row of its own, and nothing behind it; lanes with a number that is not
// finite are told.
TEST(LaneControl, WritesTheRowsOfLanes) {
  for (Isa isa : possible_isas())
    for (int lanes : {4, 8})
      for (int n = 1; n <= 13; ++n) {
        const Trial trial(lanes, isa, n);
        const std::size_t count = lanes, states = n;
        AlignedArray all(states * count);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = 0.5 * static_cast<double>(i);
        const std::size_t bad = static_cast<std::size_t>(n) % count;
        all[(states - 1) * count + bad] = n % 2 ? NAN : -INFINITY;
        std::vector<std::vector<double>> rows(count, std::vector<double>(states + 1, 7));
        double* to[LaneControl::most];
        for (std::size_t l = 0; l < count; ++l) to[l] = rows[l].data();
        EXPECT_EQ(trial.control.write(n, all.data(), to), ((1u << lanes) - 1) & ~(1u << bad));
        for (std::size_t l = 0; l < count; ++l) {
          for (std::size_t i = 0; i < states; ++i)
            if (l != bad || i + 1 < states) {
              ASSERT_EQ(rows[l][i], all[i * count + l]) << n << ", lane " << l;
            }
          EXPECT_FALSE(std::isfinite(rows[bad][states - 1]));
          EXPECT_EQ(rows[l][states], 7);
        }
      }
}

}  // namespace
}  // namespace stiffit::internal
