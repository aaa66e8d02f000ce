// SPDX-License-Identifier: Apache-2.0
#include "ode/lanes/lane_marks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stiffit::internal {
namespace {

struct MarkTrial {
  MarkTrial(int lanes, Isa isa, int states, int bases)
      : problem{make(lanes, isa, states, bases), {}, {}, {}},
        now(static_cast<std::size_t>(bases * lanes)),
        next(now.size()),
        largest(now.size()),
        slope(static_cast<std::size_t>(states * lanes)) {}
  static std::shared_ptr<const Program> make(int lanes, Isa isa, int states, int bases) {
    auto program = std::make_shared<Program>();
    program->lanes = lanes;
    program->isa = isa;
    program->states = states;
    for (int k = 0; k < bases; ++k)
      program->vanishing.push_back({k % 3 == 2 ? -1 : k % states, "base"});
    return program;
  }
  std::size_t at(int row, int lane) const {
    return static_cast<std::size_t>(row * group.lanes + lane);
  }
  const Problem problem;
  const IntegrationOptions options;
  LaneGroup group{problem, options};
  LaneMarks marks{*problem.program};
  AlignedArray now, next, largest, slope;
};

// Numbers of all sizes and signs, with zeros and what is no number.
double any_number(std::mt19937_64& dice) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const double kind = uniform(dice);
  if (kind < 0.05) return 0;
  if (kind < 0.08) return NAN;
  const double size = std::pow(10, kind < 0.3 ? -20 * uniform(dice) : uniform(dice) - 0.5);
  return uniform(dice) < 0.2 ? -size : size;
}

double size_of_any(std::mt19937_64& dice) {
  const double x = any_number(dice);
  return std::isnan(x) ? 1 : std::fabs(x);
}

template <class Check>
void over_all_shapes(Check check) {
  std::mt19937_64 dice{7};
  for (Isa isa : possible_isas())
    for (int lanes : {1, 4, 8})
      for (int states : {1, 2, 5, 9})
        for (int round = 0; round < 40; ++round) {
          MarkTrial trial(lanes, isa, states, 1 + round % 4);
          LaneGroup& g = trial.group;
          for (std::size_t k = 0; k < g.y.size(); ++k) {
            g.y[k] = any_number(dice);
            g.y_new[k] = any_number(dice);
            g.largest[k] = size_of_any(dice);
            g.share[k] = (k / static_cast<std::size_t>(lanes)) % 2 ? 1 : 1e-18;
            trial.slope[k] = any_number(dice) * (round % 2 ? 1 : 1e15);
          }
          for (std::size_t k = 0; k < trial.next.size(); ++k) {
            trial.now[k] = any_number(dice);
            trial.next[k] = any_number(dice);
            trial.largest[k] = size_of_any(dice);
          }
          for (std::size_t l = 0; l < g.t.size(); ++l) {
            g.t[l] = size_of_any(dice);
            g.h[l] = size_of_any(dice);
            g.error[l] = std::fabs(any_number(dice));
          }
          check(trial);
        }
}

TEST(LaneMarks, SayOfAnAttemptWhatEveryLaneWould) {
  over_all_shapes([](MarkTrial& trial) {
    const LaneGroup& g = trial.group;
    const LaneMarks::Attempt marks = trial.marks.after_attempt(g);
    for (int l = 0; l < g.lanes; ++l) {
      bool below = false, fallen = false;
      for (int i = 0; i < g.n; ++i) {
        const std::size_t k = trial.at(i, l);
        below |= std::signbit(g.y_new[k]);
        fallen |= g.share[k] < 1 && std::fabs(g.y[k]) > 2 * std::fabs(g.y_new[k]);
      }
      EXPECT_EQ(marks.passed >> l & 1, g.error[l] <= 1 ? 1u : 0u);
      EXPECT_EQ(marks.below >> l & 1, below ? 1u : 0u);
      EXPECT_EQ(marks.fallen >> l & 1, fallen ? 1u : 0u);
    }
    EXPECT_EQ((marks.passed | marks.below | marks.fallen) >> g.lanes, 0u);
  });
}

TEST(LaneMarks, SayOfBasesWhatEveryLaneWould) {
  over_all_shapes([](MarkTrial& trial) {
    const LaneGroup& g = trial.group;
    const auto bases = trial.problem.program->vanishing.size();
    const LaneMask small = trial.marks.small_bases(bases, trial.next.data(), trial.largest.data());
    const LaneMask spent = trial.marks.spent_bases(g, trial.largest.data(), trial.slope.data());
    for (int l = 0; l < g.lanes; ++l) {
      bool any_small = false, any_spent = false;
      for (int b = 0; b < static_cast<int>(bases); ++b) {
        const std::size_t k = trial.at(b, l);
        any_small |= !(trial.next[k] >= LaneMarks::small * trial.largest[k]);
        const int state = trial.problem.program->vanishing[b].state;
        if (state < 0) continue;
        const std::size_t i = trial.at(state, l);
        const std::size_t at = l;
        const double allowed =
            std::max(g.weight(state, l), g.options.rtol * g.options.scaled_atol * trial.largest[k]);
        const double rounding = LaneMarks::rounding_of_time * std::max(std::fabs(g.t[at]), g.h[at]);
        const double instant =
            g.y[i] < LaneMarks::trace * allowed ? std::max(g.h[at], rounding) : rounding;
        any_spent |= g.y[i] > 0 && trial.slope[i] < 0 && g.y[i] <= -trial.slope[i] * instant;
      }
      EXPECT_EQ(small >> l & 1, any_small ? 1u : 0u);
      EXPECT_EQ(spent >> l & 1, any_spent ? 1u : 0u);
    }
  });
}

TEST(LaneMarks, TakeTheBasesOfTheLanesNamed) {
  over_all_shapes([](MarkTrial& trial) {
    const auto bases = static_cast<int>(trial.problem.program->vanishing.size());
    const LaneMask lanes = 0x5a & ((1u << trial.group.lanes) - 1);
    std::vector<double> now(trial.now.data(), trial.now.data() + trial.now.size()),
        largest(trial.largest.data(), trial.largest.data() + trial.largest.size());
    trial.marks.take_bases(lanes, static_cast<std::size_t>(bases), trial.next.data(),
                           trial.now.data(), trial.largest.data());
    for (int b = 0; b < bases; ++b)
      for (int l = 0; l < trial.group.lanes; ++l) {
        const std::size_t k = trial.at(b, l);
        const bool taken = lanes >> l & 1;
        const double value = trial.next[k];
        const double wanted = taken ? value : now[k];
        EXPECT_TRUE(trial.now[k] == wanted || (std::isnan(trial.now[k]) && std::isnan(wanted)));
        const double most = taken && std::fabs(value) > largest[k] ? std::fabs(value) : largest[k];
        EXPECT_TRUE(trial.largest[k] == most || (std::isnan(trial.largest[k]) && std::isnan(most)));
      }
  });
}

}  // namespace
}  // namespace stiffit::internal
