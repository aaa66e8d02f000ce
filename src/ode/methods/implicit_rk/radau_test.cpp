// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ode/methods/implicit_rk/radau_coefficients.h"
#include "ode/reference_trial.h"

namespace stiffit::internal {
namespace {

TEST(RadauCoefficients, ThreeStagesAreTheKnownOnes) {
  const RadauCoefficients& r = radau_coefficients(3);
  const double root = std::sqrt(6.0);
  EXPECT_NEAR(r.node[0], (4 - root) / 10, 1e-16);
  EXPECT_NEAR(r.node[1], (4 + root) / 10, 1e-16);
  EXPECT_NEAR(r.matrix[0], (88 - 7 * root) / 360, 1e-16);
  EXPECT_NEAR(r.matrix[5], (-2 - 3 * root) / 225, 1e-16);
  EXPECT_NEAR(r.matrix[8], 1.0 / 9, 1e-16);
  EXPECT_NEAR(r.real_eigenvalue, 3.6378342527444957, 1e-14);
  EXPECT_NEAR(r.eigenvalues[0].real(), 2.6810828736277521, 1e-14);
  EXPECT_NEAR(std::fabs(r.eigenvalues[0].imag()), 3.0504301992474106, 1e-14);
  // Hairer and Wanner's estimate, (8.20): gamma0/3 (-13 - 7 sqrt 6, -13 + 7 sqrt 6, -1).
  const double share = 1 / r.real_eigenvalue / 3;
  EXPECT_NEAR(r.error[0], share * (-13 - 7 * root), 1e-13);
  EXPECT_NEAR(r.error[1], share * (-13 + 7 * root), 1e-13);
  EXPECT_NEAR(r.error[2], -share, 1e-13);
}

// B(2s - 1) and C(s): with both, the order is 2s - 1.
TEST(RadauCoefficients, SimplifyingAssumptionsHold) {
  for (int stages : {3, 5, 7}) {
    const RadauCoefficients& r = radau_coefficients(stages);
    const std::size_t s = stages;
    for (int k = 1; k <= 2 * stages - 1; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < s; ++j)
        sum += r.matrix[(s - 1) * s + j] * std::pow(r.node[j], k - 1);
      EXPECT_NEAR(sum, 1.0 / k, 1e-15) << stages << " " << k;
    }
    for (std::size_t i = 0; i < s; ++i)
      for (int k = 1; k <= stages; ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < s; ++j) sum += r.matrix[i * s + j] * std::pow(r.node[j], k - 1);
        EXPECT_NEAR(sum, std::pow(r.node[i], k) / k, 1e-15) << stages << " " << k;
      }
  }
}

TEST(RadauCoefficients, EigenvectorsTakeTheInverseApart) {
  for (int stages : {3, 5, 7}) {
    const RadauCoefficients& r = radau_coefficients(stages);
    const std::size_t s = stages;
    double worst = 0;
    for (std::size_t i = 0; i < s; ++i)
      for (std::size_t j = 0; j < s; ++j) {
        double sum = r.real_out[i] * r.real_eigenvalue * r.real_in[j];
        for (std::size_t k = 0; k < r.eigenvalues.size(); ++k)
          sum += 2 * (r.out[k * s + i] * r.eigenvalues[k] * r.in[k * s + j]).real();
        worst = std::max(worst, std::fabs(sum - r.inverse[i * s + j]));
      }
    EXPECT_LT(worst, 1e-11) << stages;
  }
}

// x'' = -x. That the order is the same on other problems follows from the assumptions above.
TEST(Radau, HasTheOrderAskedForWithFixedSteps) {
  System s;
  Graph& g = s.graph;
  const NodeId rates[2] = {g.state(1), g.mul(g.number(-1), g.state(0))};
  for (int i = 0; i < 2; ++i) {
    s.states.push_back({i ? "v" : "x", {}, false});
    s.initial.push_back(g.number(i));
    s.rates.push_back(rates[i]);
    s.rhs.push_back(rates[i]);
    s.terms.push_back({{i, g.number(1)}});
  }
  Problem problem = make_problem(compile(s, {}));
  const double steps[] = {1, 2, 4};
  for (int k = 0; k < 3; ++k) {
    const int order = 5 + 4 * k;
    double errors[2];
    for (int half = 0; half < 2; ++half) {
      IntegrationOptions options;
      options.method = "radau";
      options.max_order = order;
      options.fixed_step = half ? steps[k] / 2 : steps[k];
      Request request;
      request.times = {16};
      const Trajectory run = simulate(problem, request, options);
      errors[half] = std::hypot(run.states[0] - std::sin(16.0), run.states[1] - std::cos(16.0));
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.5) << errors[0] << " " << errors[1];
  }
}

}  // namespace
}  // namespace stiffit::internal
