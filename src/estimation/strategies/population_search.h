// Fits by populations. The search sees rough integrations, many at once, and only the unknowns that
// cannot be solved for inside; a descent over all unknowns ends it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/strategies/multi_start.h"
#include "estimation/strategies/objective_levels.h"

namespace stiffit::internal {

// States of populations on their way, by the number of their start.
class PopulationStates {
 public:
  virtual ~PopulationStates() = default;
  virtual std::string find(std::uint64_t start) const = 0;  // empty: none
  virtual void keep(std::uint64_t start, const std::string& state) = 0;
};

struct PopulationSearch {
  std::shared_ptr<const Optimizer> optimizer;
  bool descend = true;  // from the best individual, at the end
  std::uint64_t seed = 1;
  // After each generation of any start: the best individual of that start and its value. Called by
  // one thread at a time.
  std::function<void(double value, std::span<const double> best,
                     const std::vector<EstimatedParameter>& unknowns)>
      watch = {};
  // The objective of the search where its values are computed elsewhere; null: the rough level.
  std::shared_ptr<const Objective> evaluated = nullptr;
  std::shared_ptr<PopulationStates> states = nullptr;  // null: they are not kept
};

// `options`, whose starts are placed, with the method that searches so.
MultiStartOptions with_population_search(MultiStartOptions options,
                                         std::shared_ptr<const ObjectiveLevels> levels,
                                         PopulationSearch search);

}  // namespace stiffit::internal
