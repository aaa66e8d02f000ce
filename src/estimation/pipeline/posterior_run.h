// What the chains of an ensemble that fits the data say, gathered for the reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <memory>

#include "analysis/ensemble/bands.h"
#include "estimation/objective/course_problem.h"
#include "estimation/objective/problem_objective.h"
#include "estimation/pipeline/fit_summary.h"
#include "estimation/pipeline/posterior_chains.h"
#include "estimation/uncertainty/sampling/diagnostics.h"

namespace stiffit::internal {

// The distribution of one unknown, as values: of the draws in the place of the best fit. Where all
// draws lie in one place, these are all.
struct Marginal {
  std::string id;
  Scale scale = Scale::lin;
  double best = 0, mean = 0, median = 0, deviation = 0, low = 0, high = 0;
  double share = 1;  // of the draws that lie in that place
  double low_all = 0, high_all = 0;
  Convergence convergence;
  bool converged = false;
  double share_of_range = 0;  // how much of the bounds' distance all draws take, on the scale
};

// Draws apart from those around the best fit, by a gap in the values of some unknown.
struct OtherPlace {
  struct Range {
    std::string id;
    double low = 0, high = 0;
  };
  double share = 0;
  std::vector<Range> ranges;
};

// Of all chains: [chain][draw][unknown], thetas, and U of each.
struct PosteriorDraws {
  std::vector<std::vector<std::vector<double>>> points;
  std::vector<std::vector<double>> potentials;
};

struct Posterior {
  std::string problem;
  RunSettings provenance;
  std::string sampler;
  double level = 0.95;
  long samples_asked = 0, samples = 0, warmup = 0, thin = 0, evaluations = 0, failures = 0;
  int chains = 0;
  std::vector<std::size_t> parts;  // independent groups of unknowns, sampled apart: their sizes
  std::uint64_t seed = 1;
  double acceptance = 0;
  std::vector<double> swaps;
  std::vector<Marginal> marginals;
  std::vector<DerivedQuantity> derived;
  std::vector<OtherPlace> places;
  Convergence objective;  // of U
  double fit = 0;         // the objective of the best fit
  double first_fit =
      std::numeric_limits<double>::quiet_NaN();  // of one that exploratory chains have bettered
  bool converged = false, interrupted = false;
  std::vector<std::string> notes;  // what has not converged, and what to do
  std::vector<std::string> words;  // what is determined and what not, for the end
  std::vector<CoursePoint> points;
  std::unique_ptr<Bands> bands;  // one cell for each of them
  long band_samples = 0, band_failures = 0;
};

Posterior gather_posterior(const Objective& objective, const PosteriorChains& chains,
                           const FitSummary& fit, long samples_asked);

// Time courses of every species and observable over at most `most` of the draws, evenly taken.
// False: interrupted.
bool add_bands(Posterior& posterior, const FitProblem& problem, const ObjectiveOptions& options,
               const PosteriorChains& chains, int intervals, long most,
               const std::function<void(double share)>& progress);

// In words that the fit was bettered.
std::string replaced_words(const Posterior& posterior);

}  // namespace stiffit::internal
