// Does the check of gradients know right from wrong, and from not to be told?
// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/gradient_check.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stiffit {
namespace {

// exp(3 a) + cos(40 b) + a b, and noise that jumps from point to point.
class Wavy final : public Objective {
 public:
  explicit Wavy(double noise) : noise_(noise) {
    unknowns_ = {{"a", -2, 2, 0.3, Scale::log10}, {"b", -2, 2, 0.7, Scale::lin}};
  }
  const std::vector<Unknown>& unknowns() const override { return unknowns_; }
  int data_count() const override { return 1; }
  bool least_squares() const override { return false; }
  Evaluation evaluate(std::span<const double> x, Need) const override {
    Evaluation e;
    e.value = std::exp(3 * x[0]) + std::cos(40 * x[1]) + x[0] * x[1];
    e.value += noise_ * std::sin(1e9 * x[0] + 3e9 * x[1]);
    e.gradient = {3 * std::exp(3 * x[0]) + x[1], -40 * std::sin(40 * x[1]) + x[0]};
    return e;
  }

 private:
  double noise_;
  std::vector<Unknown> unknowns_;
};

const std::vector<double> point{0.3, 0.7};

TEST(GradientCheck, KnowsRightFromWrong) {
  const Wavy objective(0);
  std::vector<double> gradient = objective.evaluate(point, Need::gradient).gradient;
  for (const GradientCheck& c : check_gradient(objective, point, gradient)) {
    EXPECT_EQ(c.verdict, Verdict::right);
    EXPECT_LT(c.error, 2e-5);
  }
  gradient[1] *= 1 + 2e-4;
  const std::vector<GradientCheck> c = check_gradient(objective, point, gradient);
  EXPECT_EQ(c[0].verdict, Verdict::right);
  EXPECT_EQ(c[1].verdict, Verdict::wrong);
  EXPECT_FALSE(c[1].passed);
}

TEST(GradientCheck, SaysWhenItCannotTell) {
  const Wavy objective(1e-3);
  std::vector<double> gradient = objective.evaluate(point, Need::gradient).gradient;
  gradient[1] *= 1 + 2e-4;  // the noise hides it
  const std::vector<GradientCheck> c = check_gradient(objective, point, gradient);
  EXPECT_EQ(c[1].verdict, Verdict::unsure);
  EXPECT_FALSE(c[1].passed);
  gradient[1] *= 2;  // but not this
  EXPECT_EQ(check_gradient(objective, point, gradient)[1].verdict, Verdict::wrong);
  gradient[1] = NAN;
  EXPECT_EQ(check_gradient(objective, point, gradient)[1].verdict, Verdict::wrong);
}

}  // namespace
}  // namespace stiffit
