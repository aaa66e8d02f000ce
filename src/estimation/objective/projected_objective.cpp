// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/projected_objective.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "estimation/objective/likelihood.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A value to start from: the nominal one, unless factors could not move it.
double start_value(const EstimatedParameter& u) {
  double value = from_theta(u.start, u.scale);
  if (!std::isfinite(value) || value == 0) value = 1;
  return std::clamp(value, from_theta(u.lower, u.scale), from_theta(u.upper, u.scale));
}

std::vector<Eigen::Index> indices(const std::vector<int>& list) {
  return {list.begin(), list.end()};
}

}  // namespace

ProjectedObjective::ProjectedObjective(std::shared_ptr<const ProblemObjective> whole, bool project)
    : whole_(std::move(whole)) {
  const std::vector<EstimatedParameter>& all = whole_->unknowns();
  std::vector<int> candidates;
  for (int u : project ? whole_->output_unknowns() : std::vector<int>()) {
    const auto& parameters = whole_->problem().parameters;
    const auto own = std::find_if(parameters.begin(), parameters.end(),
                                  [&](auto& p) { return p.id == all[u].id; });
    if (own->prior.kind == PriorKind::none) candidates.push_back(u);
  }
  std::vector<double> theta = whole_->nominal();
  for (std::size_t u = 0; u < theta.size(); ++u)
    if (!std::isfinite(theta[u])) theta[u] = all[u].start;
  std::vector<double> values_a(all.size()), values_b(all.size());
  auto terms_at = [&](std::vector<double>& values, double factor, std::string& failure) {
    for (int u : candidates) {
      const std::size_t at = u;
      values[at] = factor * start_value(all[at]);
      theta[at] = to_theta(values[at], all[at].scale);
    }
    return whole_->output_terms(theta, failure);
  };
  std::string failure_a, failure_b;
  const auto a = terms_at(values_a, 1, failure_a);
  const auto b = terms_at(values_b, 1.7, failure_b);
  std::vector<char> inner(all.size(), 0);
  if (failure_a.empty() && failure_b.empty()) {
    const auto roles = inner_roles(candidates, values_a, a, values_b, b);
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      if (roles[k] == InnerRole::none) continue;
      inner[candidates[k]] = 1;
      inner_.push_back(candidates[k]);
      roles_.push_back(roles[k]);
    }
  }
  for (std::size_t u = 0; u < all.size(); ++u) {
    if (inner[u]) continue;
    outer_.push_back(static_cast<int>(u));
    unknowns_.push_back(all[u]);
  }
}

// All unknowns, the inner ones at their start.
std::vector<double> ProjectedObjective::with_starts(std::span<const double> theta) const {
  const std::vector<EstimatedParameter>& all = whole_->unknowns();
  std::vector<double> full(all.size());
  for (std::size_t k = 0; k < outer_.size(); ++k) full[outer_[k]] = theta[k];
  for (int u : inner_) {
    const EstimatedParameter& unknown = all[u];
    full[u] = to_theta(start_value(unknown), unknown.scale);
  }
  return full;
}

ProjectedObjective::Solution ProjectedObjective::solve(std::span<const double> theta) const {
  Solution s;
  s.full = with_starts(theta);
  s.terms = whole_->output_terms(s.full, s.failure);
  settle(s, theta);
  return s;
}

// Puts the inner unknowns at their best for the terms.
void ProjectedObjective::settle(Solution& s, std::span<const double> theta) const {
  if (!s.failure.empty()) return;
  const std::vector<EstimatedParameter>& all = whole_->unknowns();
  std::vector<double> values(all.size()), low(all.size()), high(all.size());
  for (int u : inner_) {
    const std::size_t at = u;
    values[at] = start_value(all[at]);
    low[at] = from_theta(all[at].lower, all[at].scale);
    high[at] = from_theta(all[at].upper, all[at].scale);
  }
  solve_inner(roles_, inner_, s.terms, low, high, whole_->unknown_noise(), values);
  for (int u : inner_) {
    const std::size_t at = u;
    s.full[at] = std::clamp(to_theta(values[at], all[at].scale), all[at].lower, all[at].upper);
  }
  std::lock_guard lock(kept_mutex_);
  constexpr std::size_t most_kept = 16;
  if (kept_.size() == most_kept) kept_.pop_front();
  kept_.emplace_back(std::vector<double>(theta.begin(), theta.end()), s.full);
}

std::vector<double> ProjectedObjective::complete(std::span<const double> theta,
                                                 std::string& failure) const {
  if (inner_.empty()) return {theta.begin(), theta.end()};
  {
    std::lock_guard lock(kept_mutex_);
    for (auto& [point, full] : kept_)
      if (std::equal(point.begin(), point.end(), theta.begin(), theta.end())) return full;
  }
  Solution s = solve(theta);
  failure = s.failure;
  return s.full;
}

std::vector<Evaluation> ProjectedObjective::values(std::span<const std::vector<double>> thetas,
                                                   int threads) const {
  if (inner_.empty()) return whole_->values(thetas, threads);
  std::vector<std::vector<double>> points;
  for (const std::vector<double>& theta : thetas) points.push_back(with_starts(theta));
  std::vector<std::string> failures;
  auto terms = whole_->output_terms_many(points, threads, failures);
  std::vector<Evaluation> result;
  for (std::size_t k = 0; k < thetas.size(); ++k) {
    Solution s{std::move(points[k]), std::move(terms[k]), std::move(failures[k])};
    settle(s, thetas[k]);
    result.push_back(value(s));
  }
  return result;
}

Evaluation ProjectedObjective::value(const Solution& s) const {
  Evaluation e;
  e.failure = s.failure;
  double log_noise = 0;
  for (const OutputTerm& term : s.terms) {
    const LikelihoodTerm l = likelihood_term(term.transformation, term.noise_kind, term.measurement,
                                             term.value, term.noise, term.censoring, term.freedom);
    e.llh += l.llh;
    e.chi2 += l.residual * l.residual;
    log_noise -= l.llh + 0.5 * l.residual * l.residual + 0.5 * std::log(2 * std::numbers::pi);
  }
  e.value = -e.llh;
  if (whole_->unknown_noise()) {
    const double n = data_count();
    e.value = 0.5 * e.chi2;
    e.llh = -log_noise - 0.5 * n * (std::log(2 * std::numbers::pi * e.chi2 / n) + 1);
  }
  if (e.ok()) e.value -= whole_->log_prior(s.full);
  if (e.ok() && !std::isfinite(e.value)) e.failure = "the objective is not finite";
  if (!e.ok()) e.value = e.llh = e.chi2 = not_set;
  return e;
}

Evaluation ProjectedObjective::evaluate(std::span<const double> theta, Need need) const {
  if (need == Need::value && !inner_.empty()) return value(solve(theta));
  std::string failure;
  const std::vector<double> full = complete(theta, failure);
  if (!failure.empty()) {
    Evaluation e;
    e.failure = failure;
    e.value = e.llh = e.chi2 = not_set;
    return e;
  }
  Evaluation e = whole_->evaluate(full, need);
  if (!e.ok() || need == Need::value || inner_.empty()) return e;
  const Eigen::Index n = full.size();
  // At the best inner values nothing is gained by moving them, so the gradient is the partial one.
  std::vector<double> gradient;
  for (int u : outer_) gradient.push_back(e.gradient[u]);
  e.gradient = std::move(gradient);
  // What is at a bound does not follow the others.
  std::vector<int> free;
  for (int u : inner_) {
    const EstimatedParameter& unknown = whole_->unknowns()[u];
    const double at = full[u];
    if (at > unknown.lower && at < unknown.upper) free.push_back(u);
  }
  const auto outer = indices(outer_), inner = indices(free);
  if (!e.fisher.empty()) {
    const Matrix whole = Eigen::Map<const Matrix>(e.fisher.data(), n, n);
    Matrix reduced = whole(outer, outer);
    if (!inner.empty()) {
      const Eigen::MatrixXd own = whole(inner, inner), across = whole(inner, outer);
      reduced -= across.transpose() * shortest_solutions(own, across);
    }
    e.fisher.assign(reduced.data(), reduced.data() + reduced.size());
  }
  if (!e.jacobian.empty()) {
    const Eigen::Index rows = e.residuals.size();
    const Matrix whole = Eigen::Map<const Matrix>(e.jacobian.data(), rows, n);
    Matrix reduced = whole(Eigen::all, outer);
    if (!inner.empty()) {
      const Eigen::MatrixXd own = whole(Eigen::all, inner);
      reduced -= own * shortest_solutions(own, reduced);
    }
    e.jacobian.assign(reduced.data(), reduced.data() + reduced.size());
  }
  return e;
}

}  // namespace stiffit::internal
