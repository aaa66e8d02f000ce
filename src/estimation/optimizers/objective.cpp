// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/objective.h"

#include "base/threads.h"

namespace stiffit::internal {

std::vector<Evaluation> Objective::values(std::span<const std::vector<double>> thetas,
                                          int threads) const {
  std::vector<Evaluation> result(thetas.size());
  for_each_index(thetas.size(), threads,
                 [&](std::size_t k) { result[k] = evaluate(thetas[k], Need::value); });
  return result;
}

}  // namespace stiffit::internal
