// Many descents from many starts. Each start is the best of a few candidates by value alone; one
// that cannot be evaluated, or ends on a plateau, is replaced by the next candidate. Starts know
// nothing of each other, so the answer is the same for any number of threads, and a run can go on
// where it was stopped.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "estimation/optimizers/local_fit.h"
#include "estimation/strategies/continuation_levels.h"
#include "estimation/strategies/starts.h"

namespace stiffit::internal {

using LocalMethod =
    std::function<LocalFit(const Objective&, std::span<const double> start, const LocalOptions&)>;

struct MultiStartOptions {
  LocalMethod method;
  // What candidates are compared by; empty: the objective's value.
  Screen screen;
  // Easier problems that the candidates of a sampled start are fitted to first; the first one's
  // value then ranks them. The lists of levels take turns from start to start.
  std::vector<std::vector<ContinuationLevel>> continuation_levels;
  std::size_t candidate_pool = 12;  // candidates that begin on the first level
  // Another way down from near a point that the continuation has found; empty: none. `seed` says
  // where from.
  std::function<LocalFit(std::span<const double> from, std::uint64_t seed, const LocalOptions&)>
      basin_hop;
  std::size_t basin_hops = 10;  // in a row that find nothing better
  LocalOptions local;
  std::size_t starts = 1;
  // The first of the starts are these points, as given; the others are sampled.
  std::vector<std::vector<double>> given;
  std::size_t screened = 10;     // candidates for each sampled start
  std::size_t replacements = 2;  // of a start that fails or ends on a plateau
  Sampling sampling = Sampling::latin_hypercube;
  Quantile quantile;  // empty: uniform in the bounds
  std::uint64_t seed = 1;
  int threads = 1;
};

struct StartResult {
  std::size_t index = 0;
  bool given = false;
  LocalFit fit;                               // of the last candidate tried, or the best of those
  long screened = 0, screening_failures = 0;  // evaluations of the value
  long descents = 0, plateaus = 0, unusable = 0;  // candidates tried; ended flat; failed at once
  // Of all descents of this start; fit has those of its own.
  long values = 0, gradients = 0, failures = 0;
  double seconds = 0;  // not part of the answer
};

class MultiStart {
 public:
  MultiStart(const Objective& objective, MultiStartOptions options);

  // Results of starts that a former run has finished; these are not run again.
  std::vector<StartResult> finished;
  // Called once for each start that ends, never at the same time; not for interrupted ones.
  std::function<void(const StartResult&)> on_finished;

  // Runs the wanted starts where it likes and calls `arrived` for each, never at the same time;
  // empty: on threads here.
  using Arrived = std::function<void(StartResult)>;
  std::function<void(std::span<const std::size_t> wanted, const Arrived& arrived)> spread;

  // All starts, in their order; after an interrupt only those that were begun.
  std::vector<StartResult> run();
  StartResult run_one(std::size_t index) const;

 private:
  const std::vector<ContinuationLevel>* levels_of_start(std::size_t index) const;
  bool interrupted() const;
  std::vector<Evaluation> screen(std::span<const std::vector<double>> points) const;
  void hop_basins(StartResult& result, const std::vector<double>& candidate) const;
  std::vector<std::vector<double>> candidates(std::size_t index, StartResult& result) const;

  const Objective& objective_;
  MultiStartOptions options_;
  std::vector<std::vector<double>> points_;  // `screened` of them for each sampled start
};

// The waterfall: positions in `results`, usable ones only, the best first.
std::vector<std::size_t> ranked(const std::vector<StartResult>& results);

// A start that converged with a worse value where the model is sensitive to fewer parameters than
// at the best point has ended on a plateau as well.
void mark_plateaus(const Objective& objective, std::vector<StartResult>& results);

// A minimum, and how many starts reached it.
struct Minimum {
  std::size_t result = 0;  // position in the results
  std::size_t starts = 0;
};
// Distinct minima among the converged starts, the best first.
std::vector<Minimum> distinct_minima(const Objective& objective,
                                     const std::vector<StartResult>& results);

}  // namespace stiffit::internal
