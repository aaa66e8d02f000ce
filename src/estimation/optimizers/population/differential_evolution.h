// Differential evolution: every individual is challenged by one that differences of others point
// to. Weight and crossover rate are inherited and now and then drawn anew. R. Storn, K. Price,
// J. Global Optim. 11 (1997); J. Brest et al., IEEE Trans. Evol. Comput. 10 (2006).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/optimizers/population/search.h"

namespace stiffit::internal {

class DifferentialEvolution final : public Search {
 public:
  DifferentialEvolution(const std::vector<EstimatedParameter>& unknowns, SearchOptions options);
  Points ask() override;
  void tell(const Points& points, const std::vector<double>& values) override;
  bool at_rest(double unit) override;
  void save(RecordWriter& out) const override;
  void restore(RecordReader& from) override;

 private:
  std::vector<EstimatedParameter> unknowns_;
  SearchOptions options_;
  std::int64_t generation_ = 0;
  Points members_;
  std::vector<double> values_, weights_, crossings_;
  std::vector<double> trial_weights_, trial_crossings_;
};

}  // namespace stiffit::internal
