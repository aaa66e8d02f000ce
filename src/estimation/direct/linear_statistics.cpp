// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/linear_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Only what the statistics ask: unknowns, and that the noise is a known one (its size is in the
// covariance already).
class SolvedObjective final : public Objective {
 public:
  SolvedObjective(const std::vector<EstimatedParameter>& unknowns, int data)
      : unknowns_(unknowns), data_(data) {}
  const std::vector<EstimatedParameter>& unknowns() const override { return unknowns_; }
  int data_count() const override { return data_; }
  bool least_squares() const override { return false; }
  Evaluation evaluate(std::span<const double>, Need) const override { return {}; }

 private:
  const std::vector<EstimatedParameter>& unknowns_;
  int data_;
};

// The inverse of the covariance, as far as it has one.
MatrixXd information(const LinearFitResult& r) {
  const Index n = r.covariance.rows();
  // Errors of nothing at all (exact data) would be infinite information.
  VectorXd scale(n);
  for (Index i = 0; i < n; ++i)
    scale(i) = std::max(std::sqrt(std::max(r.covariance(i, i), 0.0)),
                        1e-14 * std::max(std::abs(r.values(i)), 1e-300));
  const MatrixXd scaled =
      scale.cwiseInverse().asDiagonal() * r.covariance * scale.cwiseInverse().asDiagonal();
  const SymmetricEigen eigen(scaled);
  MatrixXd sum = MatrixXd::Zero(n, n);
  const Index lost = std::min<Index>(r.null_space.cols(), n);
  for (Index k = lost; k < n; ++k)
    sum += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).transpose() /
           std::max(eigen.eigenvalues()(k), 1e-15);
  MatrixXd f = scale.cwiseInverse().asDiagonal() * sum * scale.cwiseInverse().asDiagonal();
  // Nothing is known along what the data do not determine.
  if (r.null_space.cols() > 0) {
    MatrixXd q = scale.cwiseInverse().asDiagonal() * r.null_space;
    const PivotedQr qr(q);
    const MatrixXd basis = qr.basis(qr.rank());
    const MatrixXd keep = MatrixXd::Identity(n, n) - basis * basis.transpose();
    f = scale.cwiseInverse().asDiagonal() * (keep * sum * keep) * scale.cwiseInverse().asDiagonal();
  }
  return f;
}

// "k2 + 0.03 k_2 = 0.2 is determined within +- 0.001", if an unknown that is not determined moves
// with one other.
std::string combination(const FitStatistics& s, const LinearFitResult& r,
                        const std::vector<int>& at, Index own, double quantile,
                        std::string& partner) {
  const double variance = r.covariance(own, own);
  if (!(variance > 0) || !std::isfinite(variance)) return "";
  Index best = -1;
  double most = 0.9;
  for (Index j = 0; j < r.values.size(); ++j) {
    if (j == own || !(r.covariance(j, j) > 0)) continue;
    const double c = std::abs(r.covariance(own, j)) / std::sqrt(variance * r.covariance(j, j));
    if (c > most) {
      most = c;
      best = j;
    }
  }
  if (best < 0) return "";
  const double slope = r.covariance(own, best) / variance;
  const double left = r.covariance(best, best) - slope * slope * variance;
  const double value = r.values(best) - slope * r.values(own);
  const double half = quantile * std::sqrt(std::max(left, 0.0));
  if (half >= std::abs(value)) return "";
  const std::string& one = s.each[at[best]].id;
  const std::string& other = s.each[at[own]].id;
  partner = one;
  return one + (slope < 0 ? " + " : " - ") + format_short(std::abs(slope), 3) + " " + other +
         " = " + format_short(value, 4) + " is determined, within +- " + format_short(half, 2);
}

}  // namespace

FitStatistics linear_statistics(const std::vector<EstimatedParameter>& unknowns,
                                const LocalFit& fit, const LinearFitResult& r,
                                const std::vector<int>& at, const VectorXd& discretisation) {
  const std::size_t n = unknowns.size();
  LocalFit solved = fit;
  solved.at.gradient.assign(n, 0);
  solved.at.fisher.assign(n * n, 0);
  // One that is held at zero is pressed against its bound.
  for (int u : r.at_zero) solved.at.gradient[at[u]] = 1;
  std::vector<EstimatedParameter> open = unknowns;
  for (std::size_t i = 0; i < n; ++i) {
    const bool held = std::any_of(r.at_zero.begin(), r.at_zero.end(),
                                  [&](int u) { return at[u] == static_cast<int>(i); });
    if (!held) open[i].lower = -std::numeric_limits<double>::infinity();
  }
  const MatrixXd f = information(r);
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t j = 0; j < at.size(); ++j) solved.at.fisher[at[i] * n + at[j]] = f(i, j);
  FitStatistics s = fit_statistics(SolvedObjective(open, static_cast<int>(r.data)), solved);
  const double quantile = std::sqrt(s.single_quantile);
  for (std::size_t i = 0; i < at.size(); ++i) {
    ParameterStatistics& u = s.each[at[i]];
    if (u.at_bound != 0) continue;
    const Index own = i;
    const double practical = quantile * r.in_practice(own);
    const bool given = std::any_of(r.noise.begin(), r.noise.end(), [](auto& x) { return x.given; });
    const bool lost = !(u.free_single < std::abs(u.value));
    const bool hopeless = !given && practical >= std::abs(u.value);
    if (!lost && !hopeless) {
      if (!has_both_limits(u.identifiability)) continue;
      if (discretisation(own) > u.free_single)
        s.notes.push_back("the trapezoidal rule alone makes " + u.id + " wrong by about " +
                          format_short(discretisation(own), 2) + "; --quadrature cubic does not");
      continue;
    }
    u.identifiability = Identifiability::not_determined;
    u.with.clear();
    u.verdict = "not determined by these data";
    if (lost && std::isfinite(u.free_single))
      u.verdict += ": +- " + format_short(u.free_single, 3);
    else if (hopeless && !lost)
      u.verdict +=
          " in practice: errors of 0.1 % of their range make it +- " + format_short(practical, 3);
    std::string partner;
    const std::string words = combination(s, r, at, own, quantile, partner);
    if (words.empty()) continue;
    u.with = {partner};
    s.undetermined.push_back(words);
  }
  return s;
}

}  // namespace stiffit::internal
