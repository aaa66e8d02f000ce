// How sure an estimate is: the statistics of Hemker's section 3, from the Fisher information at the
// minimum. With unknown noise, s^2 = S/(N-m) and F quantiles; with known noise chi-square ones.
// Everything is on the estimation scale theta unless it says otherwise.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "estimation/optimizers/local_fit.h"
#include "estimation/uncertainty/adequacy.h"
#include "estimation/uncertainty/combinations/identifiable_combinations.h"
#include "estimation/uncertainty/grade.h"

namespace stiffit::internal {

struct ParameterStatistics {
  std::string id;
  Scale scale = Scale::lin;
  double theta = 0;           // the estimate on its scale
  double value = 0;           // and as a value
  double error = 0;           // standard error of theta; NaN: none
  double value_error = 0;     // of the value, to first order
  double held = 0, free = 0;  // half-widths of theta, simultaneous for all unknowns (Hemker)
  double held_single = 0, free_single = 0;  // for this unknown alone
  // Of the value: transformed back from theta - and + the half-width.
  Limits held_limits, free_limits, held_single_limits, free_single_limits;
  Limits limits;  // the best there are, open where they are beyond a bound
  // Separate stretches of values that fit, ascending, all within `limits`. Empty: the limits are
  // the ends of one.
  std::vector<Limits> intervals;
  std::string limits_by = "wald";  // profile, ensemble: what they were found by
  int at_bound = 0;  // -1: the lower one, 1: the upper one; it is then held in all the others
  // Parameters at a bound without whose being held it would be less certain.
  std::vector<std::string> sheltered_by;
  Identifiability identifiability = Identifiability::determined;
  std::vector<std::string> with;              // partners, if only in combination
  std::string verdict;                        // in words
  std::string source = "Fisher information";  // what the verdict is made of
};

struct EllipsoidAxis {
  double half_length = 0;         // infinite: not determined at all
  std::vector<double> direction;  // of theta, unit length, in the order of the free unknowns
};

// Another minimum that the data do not tell from the best one.
struct RivalMinimum {
  double difference = 0;  // 2 (value - best) / unit, below the threshold
  std::vector<double> x;
};

struct FitStatistics {
  Adequacy adequacy;  // whether what follows means anything
  double level = 0.95;
  bool unknown_noise = false;
  int data = 0, unknowns = 0;  // N and m: those not at a bound
  double sum_of_squares = 0;   // S
  double variance = 0;         // s^2; 1 if the noise is known
  double joint_quantile = 0;   // m F(m, N-m), or chi-square with m degrees
  double single_quantile = 0;  // F(1, N-m), or chi-square with 1
  std::vector<ParameterStatistics> each;
  std::vector<int> free;  // positions in `each` of the unknowns not at a bound
  std::vector<double> covariance, correlation;  // of those, [i][j]; NaN where not determined
  std::vector<EllipsoidAxis> axes;              // of the joint region, the longest first
  int rank = 0;                                 // of the Fisher information
  // Directions of the free thetas without any information at the best point.
  std::vector<std::vector<double>> null_directions;
  // What follows is said only after it was tested (test_null_directions, find_combinations).
  std::vector<std::string> undetermined;              // "the data do not change if ..."
  std::vector<IdentifiableCombination> combinations;  // determined though their parts are not
  std::vector<RivalMinimum> rivals;
  std::vector<std::string> notes;  // strong correlations, bounds, too few data
};

FitStatistics fit_statistics(const Objective& objective, const LocalFit& fit, double level = 0.95);

// Quantiles, for profiles as well: what 2 (value - minimum) / unit may reach.
double single_quantile(const Objective& objective, double level);
// The same for `count` unknowns at once.
double joint_quantile(const Objective& objective, int count, double level);

}  // namespace stiffit::internal
