// Does the model describe the data? Before anything is said about its parameters: tests of the
// residuals against noise as given, or, where its size is found by the fit, against its shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace stiffit::internal {

class ProblemObjective;
struct FitStatistics;
struct LocalFit;

struct AdequacyTest {
  std::string test, observable;  // observable empty: of all
  double statistic = 0, p_value = 1;
};

struct ObservableAdequacy {
  std::string observable;
  int data = 0;
  bool accepted = true;
  double p_value = std::numeric_limits<double>::quiet_NaN();  // NaN: too few data to say
  double s = 0;   // root mean square of the residuals, beside the noise if that is known
  double r2 = 0;  // share of the variance that the model accounts for
  std::string words;
};

struct Adequacy {
  std::string untested;  // why nothing was tested; empty: it was
  bool accepted = true;
  double p_value = std::numeric_limits<double>::quiet_NaN();
  std::vector<AdequacyTest> tests;
  std::vector<ObservableAdequacy> observables;
  int limits = 0;  // data of which only a limit is known
  double s = 0, r2 = 0;
  double aic = 0, aicc = 0, bic = 0;
  std::string words;  // one sentence

  bool tested() const { return untested.empty() && p_value == p_value; }
};

constexpr double adequacy_level = 0.05;  // of false alarms

// At the best fit. Draws noise by `seed`; the answer depends on nothing else.
//
// An answer that minimises nothing (of a linear fit along the data) follows the noise in its own
// way: `followed`, the derivative of the estimates by every measurement, [theta][row].
Adequacy assess_adequacy(const ProblemObjective& objective, const LocalFit& fit,
                         const FitStatistics& statistics, std::uint64_t seed,
                         const Eigen::MatrixXd* followed = nullptr);

}  // namespace stiffit::internal
