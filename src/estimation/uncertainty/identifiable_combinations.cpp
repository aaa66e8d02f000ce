// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/identifiable_combinations.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

constexpr double vague = 0.2;              // relative error from which on an unknown is looked at
constexpr double better = 0.25;            // so much smaller must the combination's error be
constexpr double useful = 0.35;            // and below this
constexpr double smallest_exponent = 0.1;  // of the largest exponent
constexpr std::size_t most_terms = 4, most_listed = 12;

std::string power(const std::string& name, double exponent) {
  return std::fabs(exponent - 1) < 5e-3 ? name : name + "^" + format_short(exponent, 2);
}

std::string formula(const std::vector<std::pair<std::string, double>>& exponents) {
  std::string above, below;
  int divisors = 0;
  for (auto& [name, exponent] : exponents) {
    std::string& side = exponent > 0 ? above : below;
    side += (side.empty() ? "" : "*") + power(name, std::fabs(exponent));
    divisors += exponent < 0;
  }
  if (below.empty()) return above;
  return (above.empty() ? "1" : above) + "/" + (divisors > 1 ? "(" + below + ")" : below);
}

IdentifiableCombination made(const std::vector<std::string>& names, const Eigen::VectorXd& values,
                             const Eigen::MatrixXd& covariance, const Eigen::VectorXd& weights,
                             double quantile) {
  IdentifiableCombination c;
  double log_value = 0;
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    if (weights(i) == 0) continue;
    c.exponents.emplace_back(names[i], weights(i));
    log_value += weights(i) * std::log(values(i));
  }
  c.value = std::exp(log_value);
  c.error = std::sqrt(std::max(0.0, weights.dot(covariance * weights)));
  const double within = quantile * c.error;
  c.words = formula(c.exponents) + " = " + format_short(c.value, 4) + ", within " +
            (within < 0.1 ? format_short(100 * std::expm1(within), 2) + " %"
                          : "a factor of " + format_short(std::exp(within), 3));
  return c;
}

// Removes from the columns of `basis` what lies along `direction`.
void remove(Eigen::MatrixXd& basis, Eigen::VectorXd direction) {
  const double length = direction.norm();
  if (length == 0 || basis.cols() == 0) return;
  direction /= length;
  basis -= direction * (direction.transpose() * basis);
  const SingularValues svd = thin_left_singular_values(basis);
  Eigen::Index rank = 0;
  while (rank < svd.values.size() && svd.values(rank) > 1e-3) ++rank;
  basis = svd.left.leftCols(rank).eval();
}

// The sparsest vector that is easily had: the basis reduced so that each column has zeros where
// the others lead.
Eigen::VectorXd sparse_column(Eigen::MatrixXd basis, Eigen::Index wanted) {
  for (Eigen::Index c = 0; c < basis.cols(); ++c) {
    Eigen::Index row;
    basis.col(c).cwiseAbs().maxCoeff(&row);
    if (basis(row, c) == 0) continue;
    basis.col(c) /= basis(row, c);
    for (Eigen::Index k = 0; k < basis.cols(); ++k)
      if (k != c) basis.col(k) -= basis(row, k) * basis.col(c);
  }
  return basis.col(wanted);
}

}  // namespace

std::vector<IdentifiableCombination> identifiable_combinations(
    const std::vector<std::string>& names, const Eigen::VectorXd& values,
    const Eigen::MatrixXd& covariance, double quantile) {
  std::vector<IdentifiableCombination> found;
  const Eigen::VectorXd errors = covariance.diagonal().cwiseMax(0).cwiseSqrt();
  std::vector<Eigen::Index> open;
  for (Eigen::Index i = 0; i < errors.size(); ++i)
    if (errors(i) > vague && values(i) > 0) open.push_back(i);
  if (open.size() < 2) return found;
  auto good = [&](const Eigen::VectorXd& w) {
    const double error = std::sqrt(std::max(0.0, w.dot(covariance * w)));
    double least = INFINITY;
    for (Eigen::Index i = 0; i < w.size(); ++i)
      if (w(i) != 0) least = std::min(least, std::fabs(w(i)) * errors(i));
    return error < better * least && error < useful;
  };
  // Pairs first: they are what people understand. Each is used where it is best.
  struct Pair {
    double error;
    Eigen::VectorXd weights;
  };
  std::vector<Pair> pairs;
  const Eigen::Index n = errors.size();
  for (std::size_t a = 0; a < open.size(); ++a)
    for (std::size_t b = a + 1; b < open.size(); ++b)
      for (double sign : {-1.0, 1.0}) {
        Eigen::VectorXd w = Eigen::VectorXd::Zero(n);
        w(open[a]) = 1;
        w(open[b]) = sign;
        if (good(w)) pairs.push_back({std::sqrt(std::max(0.0, w.dot(covariance * w))), w});
      }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.error < b.error; });
  Eigen::MatrixXd used(n, 0);
  for (const Pair& pair : pairs) {
    // What earlier ones already say is left out.
    Eigen::VectorXd rest = pair.weights;
    for (Eigen::Index k = 0; k < used.cols(); ++k) rest -= used.col(k) * used.col(k).dot(rest);
    if (rest.norm() < 1e-6 || found.size() == most_listed) continue;
    used.conservativeResize(Eigen::NoChange, used.cols() + 1);
    used.col(used.cols() - 1) = rest / rest.norm();
    found.push_back(made(names, values, covariance, pair.weights, quantile));
  }
  // Then what is left of the well-known directions.
  Eigen::MatrixXd own(open.size(), open.size());
  for (std::size_t a = 0; a < open.size(); ++a)
    for (std::size_t b = 0; b < open.size(); ++b) own(a, b) = covariance(open[a], open[b]);
  const SymmetricEigen eigen(own);
  Eigen::MatrixXd basis(n, 0);
  for (Eigen::Index k = 0; k < own.rows(); ++k)
    if (std::sqrt(std::max(0.0, eigen.eigenvalues()(k))) < better * vague) {
      basis.conservativeResize(Eigen::NoChange, basis.cols() + 1);
      basis.col(basis.cols() - 1).setZero();
      for (std::size_t a = 0; a < open.size(); ++a)
        basis(open[a], basis.cols() - 1) = eigen.eigenvectors()(a, k);
    }
  for (Eigen::Index k = 0; k < used.cols(); ++k) remove(basis, used.col(k));
  for (Eigen::Index k = 0; k < basis.cols() && found.size() < most_listed; ++k) {
    Eigen::VectorXd w = sparse_column(basis, k);
    const double largest = w.cwiseAbs().maxCoeff();
    if (!(largest > 0)) continue;
    std::size_t terms = 0;
    for (double& x : w) {
      x = std::fabs(x) < smallest_exponent * largest ? 0 : x / largest;
      terms += x != 0;
    }
    if (terms < 2 || terms > most_terms) continue;
    for (double& x : w)
      if (std::fabs(x - std::round(x)) < 0.03) x = std::round(x);
    if (good(w)) found.push_back(made(names, values, covariance, w, quantile));
  }
  return found;
}

}  // namespace stiffit::internal
