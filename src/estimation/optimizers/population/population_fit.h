// A fit by a population: generations until it comes to rest or their number is used up, then, if
// wanted, a descent from the best individual.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "estimation/optimizers/local_fit.h"
#include "estimation/optimizers/population/search.h"

namespace stiffit::internal {

struct PopulationOptions {
  SearchOptions search;
  long generations = 0;  // 0: 400, or 2000 for cma-es and differential evolution
  int threads = 1;
  // What is made of the best individual, a descent for instance; without a message it only
  // evaluates. Its unknowns may be others. Empty: the best individual is the answer.
  std::function<LocalFit(const Objective&, std::span<const double>, const LocalOptions&)> polish;
  // After each generation: its number, the best individual so far and its value, and the state to
  // go on from. The state is only made where it is asked for.
  std::function<void(long generation, double value, std::span<const double> best,
                     const std::function<std::string()>& state)>
      on_generation;
  std::string resume;  // a state; empty: from the beginning
};

long most_generations(const PopulationOptions& options);

// Where the first generation lies: around a start, `spread` to each side on the estimation scale
// (0: a quarter of the way between the bounds), or, without a start, all between the bounds.
void place_population(const std::vector<EstimatedParameter>& unknowns,
                      std::span<const double> start, double spread, SearchOptions& options);

// Throws BadRecord if the state to resume from is another problem's.
LocalFit fit_population(const Objective& objective, std::span<const double> start,
                        const LocalOptions& local, const PopulationOptions& options);

}  // namespace stiffit::internal
