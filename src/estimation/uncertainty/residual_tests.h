// Tests of residuals: numbers that are large when what is left of the data is more than noise. What
// is left of pure noise by a fit is known (its projection), so every test is held against the same
// test of drawn noise, which makes it exact however few the data and however many the parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace stiffit::internal {

// Which residuals belong together.
struct ResidualLayout {
  // Measurements of one curve: those of each time, in the order of time.
  struct Series {
    int observable = 0;
    std::vector<std::vector<int>> times;
  };
  std::vector<Series> series;
  std::vector<int> observable;   // of each residual
  std::vector<int> noise_group;  // of each: whose common size the fit has found; -1: it was known
  int observables = 0, noise_groups = 0;
};

enum class ResidualTest {
  spread,       // sum of squares of those whose noise is known
  lack_of_fit,  // means of replicates beside the scatter around them (F test)
  serial,       // neighbours in time deviate to the same side (lag-one autocorrelation)
  drift,        // deviations add up along a series (mean square of cumulative sums)
  runs,         // changes of sign along a series (Wald and Wolfowitz)
};
const char* residual_test_name(ResidualTest test);

// One of them on some of the data.
struct AppliedTest {
  ResidualTest test = ResidualTest::spread;
  int observable = -1;  // -1: all of them
};
// Those for which there are enough data.
std::vector<AppliedTest> applicable_tests(const ResidualLayout& layout);

class ResidualTests {
 public:
  explicit ResidualTests(ResidualLayout layout);

  const std::vector<AppliedTest>& tests() const { return tests_; }
  // One number per test; the larger, the worse. Where the size of the noise was found by the fit
  // only the shape of the residuals counts.
  std::vector<double> statistics(std::span<const double> residuals) const;

 private:
  double spread(std::span<const double> r, int observable) const;
  double lack_of_fit(std::span<const double> r, int observable) const;
  double serial(std::span<const double> r, int observable) const;
  double drift(std::span<const double> r, int observable) const;
  double runs(std::span<const double> r, int observable) const;

  ResidualLayout layout_;
  std::vector<AppliedTest> tests_;
};

}  // namespace stiffit::internal
