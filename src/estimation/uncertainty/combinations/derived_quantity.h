// A function of the estimated parameters that was asked for: its estimate, its limits and what they
// mean, in the words that parameters get.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/uncertainty/combinations/quantity_profile.h"
#include "estimation/uncertainty/statistics.h"

namespace stiffit::internal {

struct DerivedQuantity {
  std::string name, formula;
  double value = 0;
  double error = 0;  // standard, to first order; NaN: none
  Limits limits;     // NaN: open
  std::string limits_by = "profile";
  Identifiability grade = Identifiability::not_judged;
  std::string verdict;                // in words
  std::vector<QuantityPoint> points;  // of its profile, ascending; empty: there is none
};

// By its profile around the best fit, and around rivals that the data do not tell from it. Where a
// side of it cannot be followed, by first order.
DerivedQuantity derived_by_profile(const Objective& objective, const LocalFit& best,
                                   const FitStatistics& statistics, const Quantity& quantity,
                                   const QuantityProfileOptions& options);

// To first order, from the covariance of the statistics: of what was solved for, not searched.
DerivedQuantity derived_to_first_order(const std::vector<EstimatedParameter>& unknowns,
                                       const std::vector<double>& x,
                                       const FitStatistics& statistics, const Quantity& quantity);

// Of numbers in any order; those that are none are left out.
struct DrawnStatistics {
  std::size_t count = 0;
  double mean = 0, deviation = 0, median = 0, low = 0, high = 0;
};
DrawnStatistics statistics_of_draws(std::vector<double> drawn, double level);

// From draws (values of the quantity in any order).
DerivedQuantity derived_by_draws(const Quantity& quantity, double value, std::vector<double> drawn,
                                 double level);

}  // namespace stiffit::internal
