// Evolution strategy with covariance matrix adaptation: one normal distribution whose mean, step
// size and covariance follow the better half of each generation. N. Hansen, "The CMA evolution
// strategy: a tutorial" (2016). Restarts with twice the population: A. Auger, N. Hansen, CEC 2005.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "estimation/optimizers/population/search.h"

namespace stiffit::internal {

class CmaEs final : public Search {
 public:
  CmaEs(const std::vector<EstimatedParameter>& unknowns, SearchOptions options);
  Points ask() override;
  void tell(const Points& points, const std::vector<double>& values) override;
  bool at_rest(double unit) override;
  void save(RecordWriter& out) const override;
  void restore(RecordReader& from) override;

 private:
  void begin();  // anew, somewhere in the first region
  void choose_weights();
  bool settled(double unit) const;

  std::vector<EstimatedParameter> unknowns_;
  SearchOptions options_;
  Eigen::VectorXd scale_;  // of each unknown; everything below is in units of it
  // Weights and rates of the tutorial, with its names.
  Eigen::VectorXd weights_;
  double mueff_ = 0, cc_ = 0, cs_ = 0, c1_ = 0, cmu_ = 0, damps_ = 0, chi_ = 0;

  std::int64_t generation_ = 0, begun_ = 0;  // in all, and when this descent began
  int restarts_ = 0;
  int size_ = 0;  // of the population
  Eigen::VectorXd mean_, path_c_, path_s_;
  Eigen::MatrixXd covariance_;
  double sigma_ = 1;
  std::vector<double> recent_;  // best values of the last generations
  std::vector<double> spread_;  // lowest and highest value of the last
  double unit_ = 1;

  Eigen::MatrixXd axes_;  // of the covariance, with lengths; made in ask()
  Eigen::VectorXd lengths_;
  std::vector<Eigen::VectorXd> drawn_;  // y of each offspring
};

}  // namespace stiffit::internal
