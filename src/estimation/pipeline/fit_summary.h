// What a fit or a profile found.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "estimation/direct/linear_fit.h"
#include "estimation/strategies/multi_start.h"
#include "estimation/strategies/rival_search.h"
#include "estimation/uncertainty/bootstrap/bootstrap.h"
#include "estimation/uncertainty/combinations/derived_quantity.h"
#include "estimation/uncertainty/next_measurement.h"
#include "estimation/uncertainty/profile.h"
#include "estimation/uncertainty/profiles/pair_region.h"
#include "estimation/uncertainty/profiles/prediction_profile.h"
#include "estimation/uncertainty/statistics.h"
#include "runtime/checkpoint/run_directory.h"

namespace stiffit::internal {

// What a linear fit has besides its estimates.
struct LinearDetails {
  LinearFitResult result;
  LinearFitOptions options;
  std::vector<std::string> names;  // of the result's unknowns
  Eigen::VectorXd discretisation;  // what the rule of integration makes wrong, about
  Eigen::VectorXd as_estimated;    // before what simulations show was taken off
  bool simulated = false;          // whether that was done
  int draws = 0;                   // of noise, for it
};

// What two linear fits say, and their mean.
struct LinearSideBySide {
  std::vector<std::string> names;
  Eigen::VectorXd integral, derivative, mean;
};

struct FitSummary {
  std::string problem, method;
  std::size_t starts_asked = 0;
  std::uint64_t seed = 1;
  bool interrupted = false;
  std::vector<EstimatedParameter> unknowns;
  std::vector<StartResult> starts;  // in order of their index
  std::vector<std::size_t> order;   // the waterfall: positions in `starts`, the best first
  std::vector<int> minimum;         // of each start: position in `minima`, -1 for none
  std::vector<Minimum> minima;
  double level = 0.95;       // of the statistics
  RivalSearch rival_search;  // its starts are among those above, at the end
  FitStatistics statistics;  // of the best; meaningless if `order` is empty
  std::vector<DerivedQuantity> derived;
  MeasurementAdvice next;
  std::vector<std::string> messages;
  RunSettings provenance;
  bool searched = true;                              // by descents from starts
  std::shared_ptr<const Bootstrap> bootstrap;        // null: none
  std::shared_ptr<const LinearDetails> linear;       // of a linear fit; null: it is another
  std::shared_ptr<const LinearSideBySide> combined;  // of a search that began at two; likewise

  bool found() const { return !order.empty(); }
  const StartResult& best() const { return starts[order.front()]; }
};

struct ProfileSummary {
  std::string problem;
  double level = 0.95, quantile = 0;
  std::vector<EstimatedParameter> unknowns;
  LocalFit best;
  std::vector<Profile> profiles;
  std::vector<PredictionProfile> predictions;
  std::vector<PairRegion> pairs;
  bool interrupted = false;
  std::vector<std::string> messages;
  RunSettings provenance;
  std::vector<std::string> words;  // what is determined and what not, for the end
  std::vector<IdentifiableCombination> combinations;
  std::vector<DerivedQuantity> derived;
};

}  // namespace stiffit::internal
