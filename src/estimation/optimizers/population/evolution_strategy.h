// The evolution strategy (mu,lambda) with a step size for every unknown, which is inherited and
// mutated too: sigma_i' = sigma_i exp(tau' N + tau N_i), x_i' = x_i + sigma_i' N(0,1), with
// tau' = 1/sqrt(2n), tau = 1/sqrt(2 sqrt(n)). H.-P. Schwefel, Evolution and Optimum Seeking (1995).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/optimizers/population/search.h"

namespace stiffit::internal {

class EvolutionStrategy final : public Search {
 public:
  EvolutionStrategy(const std::vector<EstimatedParameter>& unknowns, SearchOptions options);
  Points ask() override;
  void tell(const Points& points, const std::vector<double>& values) override;
  bool at_rest(double unit) override;
  void save(RecordWriter& out) const override;
  void restore(RecordReader& from) override;

 private:
  struct Individual {
    std::vector<double> x, sigma;
    double value = 0;
  };

  std::vector<EstimatedParameter> unknowns_;
  SearchOptions options_;
  std::vector<double> smallest_;  // step sizes
  std::int64_t generation_ = 0;
  std::vector<Individual> parents_;  // the best first
  Points steps_;                     // of the offspring that were asked for
};

}  // namespace stiffit::internal
