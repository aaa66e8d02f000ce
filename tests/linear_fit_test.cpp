// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <iostream>

#include "linear_fit_trial.h"

namespace stiffit {
namespace {

TEST(LinearFit, Explore52) {
  const std::string table = reference_table("bk52_rkf45_grid.csv");
  if (table.empty()) GTEST_SKIP();
  FitProblem problem = linear_problem("enzyme-reversible", {table}, "k1,k_1,k2,k_2");
  for (Curve curve : {Curve::linear, Curve::cubic, Curve::smooth}) {
    LinearFitOptions options;
    options.curve = curve;
    LinearFit fit(problem, options);
    LinearFitResult r = fit.solve();
    std::cout.precision(17);
    std::cout << r.values.transpose() << "\n"
              << r.condition << " rank " << r.rank << "\n"
              << r.covariance.diagonal().cwiseSqrt().transpose() << "\n"
              << r.in_practice.transpose() << "\n";
    for (auto& n : r.noise) std::cout << n.series << " " << n.sd << " " << n.freedom << "\n";
    std::cout << r.g << "\n";
  }
  for (double s : {0.01, 0.05, 0.5}) {
    LinearFit fit(problem, {});
    Moments m[4];
    for (int seed = 0; seed < 300; ++seed) {
      LinearFitResult r = fit.solve(noisy(problem, s, seed), false);
      for (int j = 0; j < 4; ++j) m[j].add(r.values(j));
    }
    for (auto& x : m) std::cout << x.mean() << " +- " << x.sd() << "   ";
    LinearFitResult r = fit.solve(noisy(problem, s, 1));
    std::cout << "\n" << r.covariance.diagonal().cwiseSqrt().transpose() << "\n";
    for (auto& n : r.noise) std::cout << n.series << " " << n.sd << " " << n.freedom << "\n";
  }
}

TEST(LinearFit, Explore51) {
  const std::string table = reference_table("bk51_rkf45_grid.csv");
  if (table.empty()) GTEST_SKIP();
  FitProblem problem = linear_problem("oscillator-k51", {table}, "k");
  for (LinearMethod method : {LinearMethod::integral, LinearMethod::derivative})
    for (Curve curve : {Curve::linear, Curve::cubic, Curve::smooth})
      for (bool correct : {false, true}) {
        LinearFitOptions options;
        options.method = method;
        options.curve = curve;
        options.correct_bias = correct;
        LinearFit fit(problem, options);
        auto t0 = std::chrono::steady_clock::now();
        std::cout << method_name(method) << " curve " << (int)curve << " correct " << correct
                  << ": " << fit.solve().values(0);
        for (double s : {0.06, 0.5}) {
          Moments m;
          double sd = 0;
          for (int seed = 0; seed < 200; ++seed) {
            LinearFitResult r = fit.solve(noisy(problem, s, seed), seed == 0);
            m.add(r.values(0));
            if (seed == 0) sd = std::sqrt(r.covariance(0, 0));
          }
          std::cout << "   s=" << s << " " << m.mean() << " " << m.sd() << " (" << sd << ")";
        }
        std::cout << "  "
                  << std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count() /
                         400 * 1e3
                  << " ms each\n";
      }
}

}  // namespace
}  // namespace stiffit
