// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/sampling/places.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/normal_draw.h"

using namespace stiffit::internal;

namespace {

constexpr std::size_t both[] = {0, 1};

Draws draws_of(const std::function<std::vector<double>(SplitMix&)>& one, int each = 1000) {
  SplitMix random(7);
  Draws draws(8);
  for (auto& chain : draws)
    for (int k = 0; k < each; ++k) chain.push_back(one(random));
  return draws;
}

std::vector<double> shares(const Draws& draws, const std::vector<double>& best,
                           double effective = 2000) {
  std::vector<double> count;
  double all = 0;
  for (auto& chain : separate_places(draws, both, best, effective))
    for (int place : chain) {
      if (count.size() <= static_cast<std::size_t>(place))
        count.resize(static_cast<std::size_t>(place) + 1);
      count[static_cast<std::size_t>(place)] += 1;
      all += 1;
    }
  for (double& c : count) c /= all;
  return count;
}

// Bent, heavy-tailed, uniform, skewed, a hollow in a plain: thin in parts, but without a gap.
TEST(Places, OneCloudIsOnePlace) {
  const std::function<std::vector<double>(SplitMix&)> clouds[] = {
      [](SplitMix& r) -> std::vector<double> {
        return {normal_draw(r), normal_draw(r)};
      },
      [](SplitMix& r) -> std::vector<double> {
        const double a = normal_draw(r);
        return {a, a * a + 0.01 * normal_draw(r)};
      },
      [](SplitMix& r) -> std::vector<double> {
        const double wide = std::sqrt(-2 / std::log(r.unit() + 1e-12));  // two degrees of freedom
        return {wide * normal_draw(r), wide * normal_draw(r)};
      },
      [](SplitMix& r) -> std::vector<double> {
        return {r.unit(), 100 * r.unit()};
      },
      [](SplitMix& r) -> std::vector<double> {
        return {std::log(r.unit() + 1e-12), std::exp(2 * normal_draw(r))};
      },
      [](SplitMix& r) -> std::vector<double> {
        const bool plain = r.chance(20);
        return {plain ? 80 * r.unit() - 40 : normal_draw(r),
                plain ? 80 * r.unit() - 40 : normal_draw(r)};
      }};
  for (auto& cloud : clouds) EXPECT_EQ(shares(draws_of(cloud), {0, 0}).size(), 1u);
}

TEST(Places, AGapPartsThem) {
  // A narrow one, a wide plain beyond a gap in the first unknown, and a third in the second.
  const Draws draws = draws_of([](SplitMix& r) -> std::vector<double> {
    const int kind = r.below(10);
    if (kind == 0) return {-5 + 3 * r.unit(), normal_draw(r)};
    return {0.1 * normal_draw(r), normal_draw(r) + (kind < 4 ? 20 : 0)};
  });
  std::vector<double> found = shares(draws, {0, 20});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[0], 0.3, 0.02);
  EXPECT_NEAR(found[1], 0.6, 0.02);
  EXPECT_NEAR(found[2], 0.1, 0.02);
  found = shares(draws, {-4, 0});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[0], 0.1, 0.02);
  // So few effective draws do not show it.
  EXPECT_LT(shares(draws, {0, 0}, 60).size(), 3u);
}

// One chain that strayed is no place of the distribution, nor are a few draws.
TEST(Places, MostChainsMustHaveBeenThere) {
  Draws draws = draws_of([](SplitMix& r) -> std::vector<double> {
    return {normal_draw(r), normal_draw(r)};
  });
  for (std::size_t k = 0; k < 500; ++k) draws[2][k][0] += 30;
  EXPECT_EQ(shares(draws, {0, 0}).size(), 1u);
  for (auto& chain : draws)
    for (std::size_t k = 0; k < 5; ++k) chain[k][1] -= 50;
  EXPECT_EQ(shares(draws, {0, 0}).size(), 1u);
  for (auto& chain : draws)
    for (std::size_t k = 0; k < 100; ++k) chain[k][1] -= 50;
  EXPECT_EQ(shares(draws, {0, 0}).size(), 2u);
}

}  // namespace
