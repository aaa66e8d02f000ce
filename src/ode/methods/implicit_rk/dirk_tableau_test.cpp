// Order conditions, stability and dense output of the tableaus, as numbers.
// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/implicit_rk/dirk_tableau.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

namespace stiffit::internal {
namespace {

using Numbers = std::vector<double>;
constexpr double rounding = 1e-14;

struct Trial {
  explicit Trial(const DirkTableau& tableau)
      : t(tableau), s(static_cast<std::size_t>(tableau.stages)), c(t.node, t.node + t.stages) {
    for (int i = 0; i < t.stages; ++i) {
      weights.push_back(t.weight(i));
      embedded.push_back(t.embedded[i]);
    }
  }
  Numbers times(const Numbers& v) const {  // A v
    Numbers out(s);
    for (int i = 0; i < t.stages; ++i) {
      out[i] = t.diagonal(i) * v[i];
      for (int j = 0; j < i; ++j) out[i] += t.a[i][j] * v[j];
    }
    return out;
  }
  static Numbers product(const Numbers& a, const Numbers& b) {
    Numbers out = a;
    for (std::size_t i = 0; i < b.size(); ++i) out[i] *= b[i];
    return out;
  }
  static double dot(const Numbers& a, const Numbers& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
  // All trees up to an order (Butcher's conditions): the elementary weight's vector and 1/density.
  struct Tree {
    Numbers vector;
    int order;
    double value;
  };
  std::vector<Tree> trees(int up_to) const {
    const Numbers one(s, 1.0), c2 = product(c, c), c3 = product(c2, c), c4 = product(c3, c);
    const Numbers ac = times(c), ac2 = times(c2), aac = times(ac);
    const std::vector<Tree> all = {{one, 1, 1},
                                   {c, 2, 1.0 / 2},
                                   {c2, 3, 1.0 / 3},
                                   {ac, 3, 1.0 / 6},
                                   {c3, 4, 1.0 / 4},
                                   {product(c, ac), 4, 1.0 / 8},
                                   {ac2, 4, 1.0 / 12},
                                   {aac, 4, 1.0 / 24},
                                   {c4, 5, 1.0 / 5},
                                   {product(c2, ac), 5, 1.0 / 10},
                                   {product(ac, ac), 5, 1.0 / 20},
                                   {product(c, ac2), 5, 1.0 / 15},
                                   {product(c, aac), 5, 1.0 / 30},
                                   {times(c3), 5, 1.0 / 20},
                                   {times(product(c, ac)), 5, 1.0 / 40},
                                   {times(ac2), 5, 1.0 / 60},
                                   {times(aac), 5, 1.0 / 120}};
    std::vector<Tree> wanted;
    for (const Tree& tree : all)
      if (tree.order <= up_to) wanted.push_back(tree);
    return wanted;
  }
  // R(z) from the stages themselves.
  std::complex<double> growth(std::complex<double> z) const {
    std::vector<std::complex<double>> k(s);
    std::complex<double> y = 1;
    for (int i = 0; i < t.stages; ++i) {
      std::complex<double> base = 1;
      for (int j = 0; j < i; ++j) base += z * t.a[i][j] * k[j];
      y = base / (1.0 - z * t.diagonal(i));
      k[i] = y;
    }
    return y;
  }

  const DirkTableau& t;
  std::size_t s;
  Numbers c, weights, embedded;
};

class Tableaus : public testing::TestWithParam<const DirkTableau*> {};

TEST_P(Tableaus, KeepTheirOrderConditions) {
  const Trial trial(*GetParam());
  const Numbers row = trial.times(Numbers(trial.s, 1.0)), second = trial.times(trial.c);
  for (std::size_t i = 0; i < trial.s; ++i) {
    EXPECT_NEAR(row[i], trial.c[i], rounding) << i;
    EXPECT_NEAR(second[i], trial.c[i] * trial.c[i] / 2, rounding) << i;  // stage order two
  }
  for (const Trial::Tree& tree : trial.trees(trial.t.order))
    EXPECT_NEAR(Trial::dot(trial.weights, tree.vector), tree.value, rounding) << tree.order;
  // The companion is of another order: the difference falls like h^estimated and no faster.
  const int other = trial.t.estimated > trial.t.order ? trial.t.estimated : trial.t.order - 1;
  for (const Trial::Tree& tree : trial.trees(other))
    EXPECT_NEAR(Trial::dot(trial.embedded, tree.vector), tree.value, rounding) << tree.order;
  double apart = 0;
  for (const Trial::Tree& tree : trial.trees(trial.t.estimated))
    apart +=
        std::fabs(Trial::dot(trial.weights, tree.vector) - Trial::dot(trial.embedded, tree.vector));
  EXPECT_GT(apart, 1e-4);
}

TEST_P(Tableaus, AreLStable) {
  const Trial trial(*GetParam());
  for (double y = 1e-3; y < 1e6; y *= 1.05) {  // poles are on the right: the axis is enough
    EXPECT_LE(std::abs(trial.growth({0, y})), 1 + 1e-12) << y;
    EXPECT_LE(std::abs(trial.growth(std::polar(y, 0.75 * M_PI))), 1 + 1e-12) << y;
  }
  EXPECT_LT(std::abs(trial.growth(-1e8)), 1e-6);
  EXPECT_LT(std::abs(trial.growth({0, 1e8})), 1e-6);
  // exp(z) up to the order
  const double z = 1e-2;
  EXPECT_LT(std::abs(trial.growth(z) - std::exp(z)), std::pow(z, trial.t.order + 1));
}

TEST_P(Tableaus, DenseOutputMeetsBothEndsAndTheirSlopes) {
  const Trial trial(*GetParam());
  for (int i = 0; i < trial.t.stages; ++i) {
    EXPECT_NEAR(trial.t.share(i, 1), trial.t.weight(i), 1e-13) << i;
    EXPECT_EQ(trial.t.share(i, 0), 0) << i;
    EXPECT_NEAR(trial.t.share_of_slope(i, 0), i == 0 ? 1 : 0, 1e-13) << i;
    EXPECT_NEAR(trial.t.share_of_slope(i, 1), i == trial.t.stages - 1 ? 1 : 0, 1e-13) << i;
  }
  for (double theta : {0.2, 0.5, 0.9}) {
    Numbers shares;
    for (int i = 0; i < trial.t.stages; ++i) shares.push_back(trial.t.share(i, theta));
    for (const Trial::Tree& tree : trial.trees(trial.t.order == 5 ? 4 : 2))
      EXPECT_NEAR(Trial::dot(shares, tree.vector), tree.value * std::pow(theta, tree.order), 1e-13);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Tableaus, testing::Values(&trbdf2_tableau, &esdirk54_tableau),
                         [](const auto& test) {
                           return test.param == &trbdf2_tableau ? "trbdf2" : "esdirk54";
                         });

}  // namespace
}  // namespace stiffit::internal
