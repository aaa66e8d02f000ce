// An objective whose values at many points are computed by all processes of a crew.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/optimizers/objective.h"
#include "runtime/distributed/crew.h"

namespace stiffit {

class DistributedObjective : public Objective {
 public:
  DistributedObjective(const Objective& inner, Crew& crew) : inner_(inner), crew_(crew) {}
  const std::vector<Unknown>& unknowns() const override { return inner_.unknowns(); }
  int data_count() const override { return inner_.data_count(); }
  bool least_squares() const override { return inner_.least_squares(); }
  bool unknown_noise() const override { return inner_.unknown_noise(); }
  Evaluation evaluate(std::span<const double> theta, Need need) const override {
    return inner_.evaluate(theta, need);
  }
  std::vector<Evaluation> values(std::span<const std::vector<double>> thetas,
                                 int threads) const override;

  // Of the other processes, with the same objective there.
  static void add_work(std::map<std::string, CrewWork>& works, const Objective& inner);

 private:
  const Objective& inner_;
  Crew& crew_;
};

}  // namespace stiffit
