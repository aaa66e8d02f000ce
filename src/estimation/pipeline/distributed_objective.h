// An objective whose values at many points are computed by all processes of a worker pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/optimizers/objective.h"
#include "runtime/distributed/worker_pool.h"

namespace stiffit::internal {

class DistributedObjective : public Objective {
 public:
  DistributedObjective(const Objective& inner, WorkerPool& workers)
      : inner_(inner), workers_(workers) {}
  const std::vector<EstimatedParameter>& unknowns() const override { return inner_.unknowns(); }
  int data_count() const override { return inner_.data_count(); }
  bool least_squares() const override { return inner_.least_squares(); }
  bool unknown_noise() const override { return inner_.unknown_noise(); }
  Evaluation evaluate(std::span<const double> theta, Need need) const override {
    return inner_.evaluate(theta, need);
  }
  std::vector<Evaluation> values(std::span<const std::vector<double>> thetas,
                                 int threads) const override;

  // Of the other processes, with the same objective there.
  static void add_work(std::map<std::string, WorkerTask>& works, const Objective& inner);

 private:
  const Objective& inner_;
  WorkerPool& workers_;
};

}  // namespace stiffit::internal
