// Rates by linear least squares along the data: no starting values, no integration of the model.
// The integral method (Belbas and Kim, section 2), the derivative method (5.2) and that for
// rational models (section 4). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "estimation/direct/linear_rows.h"
#include "estimation/direct/measured_curves.h"
#include "estimation/direct/unknown_monomials.h"
#include "model/fit_problem.h"

namespace stiffit::internal {

enum class LinearMethod { integral, derivative, rational };
const char* method_name(LinearMethod method);

struct LinearFitOptions {
  LinearMethod method = LinearMethod::integral;
  Curve curve = Curve::linear;
  bool correct_bias = false;  // takes off what noise adds on average, to second order
  bool simulate = false;      // takes off what simulations show: see simulated_correction.h
  bool not_negative = false;
  Weighting weighting;
  std::vector<Memory> memories;
};

// Everything about unknowns is in the order of LinearFit::unknowns().
struct LinearFitResult {
  Eigen::VectorXd values;
  Eigen::MatrixXd covariance;
  Eigen::MatrixXd by_datum;        // d value / d knot, over all experiments
  Eigen::MatrixXd by_measurement;  // d value / d measurement, in the order of the problem
  Eigen::VectorXd sd;              // of the knots
  Eigen::VectorXd errors;          // standard deviations of the measurements
  Eigen::VectorXd bound;           // of the error, if no datum is off by more than its sd
  Eigen::VectorXd in_practice;  // standard errors if every series had errors of 0.1 % of its range
  std::vector<int> at_zero;
  Eigen::MatrixXd null_space;  // directions that the data do not determine, in columns
  // Of the columns (for the rational method products of unknowns are columns too).
  std::vector<std::string> columns;
  Eigen::VectorXd coefficients;
  Eigen::MatrixXd g;
  Eigen::VectorXd a;
  Eigen::VectorXd singular;
  double condition = 0;
  int rank = 0;
  bool corrected = false;
  double squares = 0;  // what is left of the functional
  std::size_t data = 0, points = 0;
  std::vector<SeriesNoise> noise;
  std::vector<std::string> notes;
};

class LinearFit {
 public:
  // Throws InputError for a model that the method cannot serve, with every reason.
  LinearFit(const FitProblem& problem, LinearFitOptions options);
  ~LinearFit();

  // The estimated parameters of the problem that take part, and those that do not (noise levels).
  const std::vector<int>& unknowns() const;
  const std::vector<int>& left_out() const;

  // `values`: of the measurements, in the problem's order; empty: the problem's own. Throws
  // InputError if they tell nothing.
  LinearFitResult solve(std::span<const double> values = {}, bool errors = true) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stiffit::internal
