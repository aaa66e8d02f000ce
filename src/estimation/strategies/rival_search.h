// Minima besides the one that was found: a few further descents, from points that have nothing to
// do with its start. That none finds another is evidence, not proof, that there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "estimation/strategies/multi_start.h"

namespace stiffit::internal {

// What was done to find other minima, and what came of it.
struct RivalSearch {
  std::size_t starts = 0;      // descents, beyond those that were asked for
  bool from_linear = false;    // the first one from the answer of an integral fit
  std::size_t unfinished = 0;  // that took far longer than foreseen and were left
  std::string skipped;         // why there was no search; empty: there was, or none was wanted
  // Of those that came to an end: at the best minimum, at others.
  std::size_t agreed = 0, elsewhere = 0;
};

// How many of `wanted` random descents fit into the time that looking may take: what the first
// search took, and a second at least. `seconds`: of one evaluation.
std::size_t affordable_rivals(std::size_t wanted, double seconds, long evaluations);

// Descents from `points` and from `random` starts of their own seed; indices from `first` on.
// `options`: those of the search that has found `best`. An interrupt of theirs ends it.
std::vector<StartResult> search_rivals(const Objective& objective, MultiStartOptions options,
                                       std::vector<std::vector<double>> points, std::size_t random,
                                       std::size_t first, double allowed_seconds,
                                       RivalSearch& search);

// "looked for other minima from 8 more starts ...: all came to the same one."
std::string rival_search_words(const RivalSearch& search);

}  // namespace stiffit::internal
