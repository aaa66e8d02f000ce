// Variable projection: scales, offsets and noise levels that enter observables and noise formulas
// linearly are put at their best values for the other unknowns, which alone are left to a fit.
// G. Golub, V. Pereyra, SIAM J. Numer. Anal. 10 (1973); noise levels as in hierarchical
// optimisation, C. Loos, S. Krause, J. Hasenauer, Bioinformatics 34 (2018).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "estimation/objective/inner_problem.h"
#include "estimation/objective/problem_objective.h"

namespace stiffit::internal {

class ProjectedObjective final : public Objective {
 public:
  // Without `project` nothing is solved for inside.
  explicit ProjectedObjective(std::shared_ptr<const ProblemObjective> whole, bool project = true);

  // The unknowns that are left, in their order.
  const std::vector<EstimatedParameter>& unknowns() const override { return unknowns_; }
  int data_count() const override { return whole_->data_count(); }
  bool least_squares() const override { return whole_->least_squares(); }
  bool unknown_noise() const override { return whole_->unknown_noise(); }
  // Derivatives of the objective with the inner unknowns following the outer ones. Residuals come
  // with derivatives only.
  Evaluation evaluate(std::span<const double> theta, Need need) const override;
  std::vector<Evaluation> values(std::span<const std::vector<double>> thetas,
                                 int threads) const override;

  const ProblemObjective& whole() const { return *whole_; }
  // Unknowns of the whole problem that are solved for inside; empty: none can be.
  const std::vector<int>& projected() const { return inner_; }
  // All unknowns of the whole problem, the inner ones at their best.
  std::vector<double> complete(std::span<const double> theta, std::string& failure) const;

 private:
  struct Solution {
    std::vector<double> full;  // all unknowns
    std::vector<OutputTerm> terms;
    std::string failure;
  };
  Solution solve(std::span<const double> theta) const;
  std::vector<double> with_starts(std::span<const double> theta) const;
  void settle(Solution& solution, std::span<const double> theta) const;
  Evaluation value(const Solution& solution) const;

  std::shared_ptr<const ProblemObjective> whole_;
  std::vector<int> outer_, inner_;  // indices into whole_->unknowns()
  std::vector<InnerRole> roles_;    // of inner_
  std::vector<EstimatedParameter> unknowns_;
  // The last points with what complete() gives: derivatives are mostly asked for where the value
  // was.
  mutable std::mutex kept_mutex_;
  mutable std::deque<std::pair<std::vector<double>, std::vector<double>>> kept_;
};

}  // namespace stiffit::internal
