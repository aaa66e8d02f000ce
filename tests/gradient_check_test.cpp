// Does the check of gradients know right from wrong, and from not to be told?
// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/gradient_check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/number.h"
#include "estimation/objective/gradient_methods.h"
#include "io/data/read_data.h"
#include "io/files/load_model.h"
#include "io/files/load_problem.h"

namespace stiffit::internal {
namespace {

// exp(3 a) + cos(40 b) + a b, and noise that jumps from point to point.
class Wavy final : public Objective {
 public:
  explicit Wavy(double noise) : noise_(noise) {
    unknowns_ = {{"a", -2, 2, 0.3, Scale::log10}, {"b", -2, 2, 0.7, Scale::lin}};
  }
  const std::vector<EstimatedParameter>& unknowns() const override { return unknowns_; }
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
  std::vector<EstimatedParameter> unknowns_;
};

const std::vector<double> point{0.3, 0.7};

TEST(GradientCheck, KnowsRightFromWrong) {
  const Wavy objective(0);
  std::vector<double> gradient = objective.evaluate(point, Need::gradient).gradient;
  for (const GradientCheck& c : check_gradient(objective, point, gradient)) {
    EXPECT_EQ(c.verdict, GradientVerdict::right);
    EXPECT_LT(c.error, 2e-5);
  }
  gradient[1] *= 1 + 2e-4;
  const std::vector<GradientCheck> c = check_gradient(objective, point, gradient);
  EXPECT_EQ(c[0].verdict, GradientVerdict::right);
  EXPECT_EQ(c[1].verdict, GradientVerdict::wrong);
  EXPECT_FALSE(c[1].passed);
}

TEST(GradientCheck, SaysWhenItCannotTell) {
  const Wavy objective(1e-3);
  std::vector<double> gradient = objective.evaluate(point, Need::gradient).gradient;
  gradient[1] *= 1 + 2e-4;  // the noise hides it
  const std::vector<GradientCheck> c = check_gradient(objective, point, gradient);
  EXPECT_EQ(c[1].verdict, GradientVerdict::unsure);
  EXPECT_FALSE(c[1].passed);
  gradient[1] *= 2;  // but not this
  EXPECT_EQ(check_gradient(objective, point, gradient)[1].verdict, GradientVerdict::wrong);
  gradient[1] = NAN;
  EXPECT_EQ(check_gradient(objective, point, gradient)[1].verdict, GradientVerdict::wrong);
}

// A -> B -> C, measured at B with errors of a share of what is measured: d objective / d ln k in
// closed form, which is a sum of residuals that all but cancels if the share is small.
struct Chain {
  double share;
  static constexpr long double k1 = 1.25L, k2 = 0.3L;
  static long double b(long double t) { return k1 / (k1 - k2) * (expl(-k2 * t) - expl(-k1 * t)); }
  double measured(double t) const {
    return static_cast<double>(b(t) * (1 + share * sinl(7.0L * t)));
  }
  std::vector<double> gradient(const std::vector<double>& times) const {
    long double by_k1 = 0, by_k2 = 0;
    for (const double t : times) {
      const long double off = b(t) - measured(t), gap = k1 - k2, e1 = expl(-k1 * t),
                        e2 = expl(-k2 * t);
      by_k1 += off * k1 * (-k2 / (gap * gap) * (e2 - e1) + k1 / gap * t * e1);
      by_k2 += off * k2 * (k1 / (gap * gap) * (e2 - e1) - k1 / gap * t * e2);
    }
    return {static_cast<double>(by_k1), static_cast<double>(by_k2)};
  }
};

TEST(SettledGradient, MovesNoMoreWithTheTolerance) {
  const std::vector<double> times{0.5, 1, 2, 4, 8};
  for (const double share : {1e-1, 1e-4, 1e-6, 1e-8, 1e-9}) {
    const Chain chain{share};
    std::string table = "time,B\n";
    for (const double t : times)
      table += format_number(t) + "," + format_number(chain.measured(t)) + "\n";
    const auto model =
        load_model_text("m.rxn",
                        "A -> B; k1*A\nB -> C; k2*B\nA = 1; B = 0; C = 0; k1 = 1.25; k2 = 0.3\n")
            .model;
    const DataRequest data{{{"d.csv", table}}, {"k1,k2"}, {}};
    const ObjectiveOptions options;
    const ProblemObjective objective(load_data_problem(model, data).problem, options);
    const std::vector<double> theta = objective.nominal(), truth = chain.gradient(times);
    const Evaluation first = objective.evaluate(theta, Need::gradient);
    ASSERT_TRUE(first.ok()) << first.failure;
    auto error = [&](const Evaluation& e) {
      double worst = 0;
      for (std::size_t u = 0; u < 2; ++u)
        worst = std::max(worst, std::abs(e.gradient[u] / truth[u] - 1));
      return worst;
    };
    const SettledGradient result =
        settle_gradient(objective, options, theta, Need::gradient, first);
    SCOPED_TRACE(share);
    EXPECT_TRUE(result.settled());
    EXPECT_LT(error(result.evaluation), 2e-3);
    if (share >= 1e-4) {  // a good one stays as it is
      EXPECT_EQ(result.rtol, options.integration.rtol);
      EXPECT_EQ(result.evaluation.gradient, first.gradient);
    }
    if (share == 1e-9) {
      EXPECT_GT(error(first), 1e-2);
      EXPECT_GT(result.first_error, error(first) / 3);
      EXPECT_LT(result.first_error, error(first) * 3);
    }
  }
}

}  // namespace
}  // namespace stiffit::internal
