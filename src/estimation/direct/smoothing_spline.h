// The natural cubic smoothing spline: it minimises sum w (y - g)^2 + lambda int g''^2 (Reinsch
// 1967), with lambda by generalised cross-validation in linear time (Hutchinson and de Hoog 1985).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace stiffit::internal {

class SmoothingSpline {
 public:
  // Ascending knots, three at least. Variances (relative) of the values; zero: exact.
  SmoothingSpline(std::vector<double> knots, std::vector<double> variances);

  // Takes the lambda of the smallest generalised cross-validation score of these values.
  void choose(std::span<const double> values);
  void set_lambda(double lambda) { lambda_ = lambda; }
  double lambda() const { return lambda_; }
  double score(std::span<const double> values, double lambda);
  // The trace of the smoother: how many parameters the curve uses.
  double freedom() const { return freedom_; }

  // Fits; then value and slope at any time.
  void fit(std::span<const double> values);
  double value(double time) const;
  double slope(double time) const;
  // Value (or slope) at `time` as a sum over the data: coefficient of each.
  std::vector<std::pair<int, double>> row(double time, bool slope) const;

  // Sums of many such rows, each with a weight, in time that grows with the knots alone: first all
  // are added, then spread over the data. `width` sums side by side.
  struct RowSum {
    int width = 0;
    std::vector<double> by_g, by_c;  // [knot][width], [inner knot][width]
  };
  RowSum row_sum(int width) const;
  void add_row(double time, bool slope, const double* weights, RowSum& sum) const;
  std::vector<double> spread(const RowSum& sum) const;  // [knot][width]

 private:
  // The symmetric band matrix R + lambda Q' V Q of the inner second derivatives, factored.
  struct Band {
    std::vector<double> d, l1, l2;
    void solve(std::vector<double>& x) const;
  };
  Band factor(double lambda) const;
  std::vector<double> second_differences(std::span<const double> values) const;
  std::size_t interval(double time) const;

  std::vector<double> knots_, variances_, h_;
  std::vector<double> r0_, r1_;       // R: diagonal, above it
  std::vector<double> q0_, q1_, q2_;  // Q: three entries of each column
  std::vector<double> s0_, s1_, s2_;  // Q' V Q: diagonal and two above
  double lambda_ = 0, freedom_ = 0;
  Band band_;
  std::vector<double> g_, c_;  // values and second derivatives at the knots
};

}  // namespace stiffit::internal
