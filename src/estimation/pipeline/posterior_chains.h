// The chains of an ensemble that fits the data: begun around the best fit, kept in the folder, and
// gone on with until they have converged. Groups of unknowns that are independent of each other
// have chains of their own; a draw of all unknowns is one from each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "estimation/objective/problem_objective.h"
#include "estimation/pipeline/fit_summary.h"
#include "estimation/uncertainty/sampling/sampler.h"
#include "runtime/checkpoint/run_directory.h"

namespace stiffit::internal {

// The problem as it was fitted; with the chains' accuracy; the same, perhaps over many processes,
// for chains of all unknowns; and that accuracy, for groups of them.
struct PosteriorObjectives {
  const ProblemObjective& fitted;
  const ProblemObjective& whole;
  const Objective& spread;
  ObjectiveOptions accuracy;
};

class PosteriorChains {
 public:
  // Goes on with what the folder (may be null) holds. Throws InputError if that is damaged.
  PosteriorChains(const PosteriorObjectives& objectives, const FitSummary& fit,
                  const SamplerOptions& options, RunDirectory* folder);
  ~PosteriorChains();

  // Draws of all chains together; where these have not converged, all so far becomes warm-up and
  // chains twice as long follow, up to so many `rounds` in all. False: interrupted.
  bool draw(long samples, int rounds, const std::function<void(double share)>& progress);
  // How far U of the whole is off from the sum over the parts, at some of the draws.
  double discrepancy() const;

  // [chain][draw][unknown], and U of each.
  const std::vector<std::vector<std::vector<double>>>& draws() const { return draws_; }
  const std::vector<std::vector<double>>& potentials() const { return potentials_; }
  const SamplerOptions& options() const;  // warm-up and thinning: of the longest
  long evaluations() const;
  long failures() const;
  double acceptance() const;
  std::vector<double> swaps() const;  // the mean over the parts that have so many levels
  std::vector<std::vector<std::size_t>> groups() const;  // unknowns of each part
  // Where the exploratory chains of a part ended; what is no unknown of it is that of `others`.
  std::vector<std::vector<double>> explored(std::size_t part,
                                            const std::vector<double>& others) const;

 private:
  struct Part;
  void gather();

  const ProblemObjective& whole_;
  int threads_;
  std::unique_ptr<std::mutex> folder_used_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<std::vector<std::vector<double>>> draws_;
  std::vector<std::vector<double>> potentials_;
};

}  // namespace stiffit::internal
