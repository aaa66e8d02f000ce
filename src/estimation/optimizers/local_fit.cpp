// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/local_fit.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "linear/dense/decompositions.h"

namespace stiffit::internal {

const char* outcome_name(FitOutcome outcome) {
  switch (outcome) {
    case FitOutcome::converged:
      return "converged";
    case FitOutcome::flat:
      return "flat";
    case FitOutcome::stalled:
      return "stalled";
    case FitOutcome::iterations:
      return "iterations";
    case FitOutcome::failed:
      return "failed";
    case FitOutcome::interrupted:
      return "interrupted";
  }
  return "unknown";
}

double value_unit(const Objective& objective, const Evaluation& at) {
  if (!objective.unknown_noise()) return 1;
  double freedom =
      std::max(1.0, objective.data_count() - static_cast<double>(objective.unknowns().size()));
  return std::max(at.chi2 / freedom, std::numeric_limits<double>::min());
}

std::vector<int> insensitive_unknowns(const Objective& objective, const Evaluation& at) {
  constexpr double felt = 0.01;
  std::vector<int> found;
  const std::vector<EstimatedParameter>& unknowns = objective.unknowns();
  std::size_t n = unknowns.size();
  if (at.fisher.size() != n * n) return found;
  double unit = value_unit(objective, at);
  for (std::size_t i = 0; i < n; ++i) {
    double width = unknowns[i].upper - unknowns[i].lower;
    if (!std::isfinite(width)) width = 10;
    if (at.fisher[i * n + i] * width * width < felt * unit) found.push_back(static_cast<int>(i));
  }
  return found;
}

bool on_plateau(const Objective& objective, const Evaluation& at,
                const std::vector<int>& insensitive) {
  std::size_t n = objective.unknowns().size();
  if (insensitive.empty()) return false;
  if (2 * insensitive.size() > n) return true;
  // What following the insensitive unknowns would bring if the model were linear in them, however
  // far that leads: a residual across vanishing sensitivities, not a minimum.
  Eigen::Index k = insensitive.size();
  Eigen::MatrixXd f(k, k);
  Eigen::VectorXd g(k);
  for (Eigen::Index a = 0; a < k; ++a) {
    std::size_t i = insensitive[a];
    double di = std::sqrt(at.fisher[i * n + i]);
    g(a) = di > 0 ? at.gradient[i] / di : 0;
    for (Eigen::Index b = 0; b < k; ++b) {
      std::size_t j = insensitive[b];
      double dj = std::sqrt(at.fisher[j * n + j]);
      f(a, b) = di > 0 && dj > 0 ? at.fisher[i * n + j] / (di * dj) : 0;
    }
  }
  const SymmetricEigen eigen(f);
  double gain = 0;
  Eigen::VectorXd along = eigen.eigenvectors().transpose() * g;
  for (Eigen::Index a = 0; a < k; ++a)
    if (eigen.eigenvalues()(a) > 1e-8) gain += 0.5 * along(a) * along(a) / eigen.eigenvalues()(a);
  double unit = value_unit(objective, at);
  double spread = at.chi2 / unit / std::max(1, objective.data_count());
  return gain > 3 * unit * static_cast<double>(1 + k) * std::max(1.0, spread);
}

void end_descent(const Objective& objective, LocalFit& fit, FitOutcome outcome,
                 std::string message) {
  if (fit.at.ok()) fit.insensitive = insensitive_unknowns(objective, fit.at);
  if (outcome == FitOutcome::converged && on_plateau(objective, fit.at, fit.insensitive)) {
    outcome = FitOutcome::flat;
    message = "a plateau: " + std::to_string(fit.insensitive.size()) + " of " +
              std::to_string(fit.x.size()) + " estimated parameters have no effect there";
  }
  fit.outcome = outcome;
  fit.message = std::move(message);
}

}  // namespace stiffit::internal
