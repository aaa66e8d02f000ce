// What a further measurement is to tell: estimated parameters and functions of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "estimation/objective/problem_objective.h"
#include "estimation/uncertainty/combinations/derived_quantity.h"

namespace stiffit::internal {

struct Interest {
  std::string name;
  double value = 0;
  Scale scale = Scale::lin;  // on which limits are to both sides of the estimate
  Eigen::VectorXd slopes;    // of the value on that scale, by the thetas
  bool open = false;         // the data leave one of its sides open
  EstimatedParameter bounds;
};

// Throws OptionError where a name is neither an estimated parameter nor of `derived`.
void check_interest(const std::vector<std::string>& names,
                    const std::vector<EstimatedParameter>& unknowns,
                    const std::vector<Quantity>& derived);

// Of such names. None: the parameters of the network, that is those that not only observables and
// noise know of (offsets, scales, drifts); where there are none, all but those of the noise. What
// is at a bound has no limits that could be narrowed, and is left out.
std::vector<Interest> interest_of(const std::vector<std::string>& names,
                                  const ProblemObjective& objective, const LocalFit& best,
                                  const FitStatistics& statistics,
                                  const std::vector<Quantity>& derived,
                                  const std::vector<DerivedQuantity>& judged);

}  // namespace stiffit::internal
