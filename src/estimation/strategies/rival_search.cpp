// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/rival_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace stiffit::internal {
namespace {

constexpr double least_seconds = 1;
constexpr std::size_t candidates_each = 10;
// Reckoned time and the clock's may differ; beyond this factor a descent is left.
constexpr double far_longer = 20;

std::string count_of(std::size_t n, const char* one, const char* many) {
  return n == 1 ? one : std::to_string(n) + many;
}

}  // namespace

std::size_t affordable_rivals(std::size_t wanted, double seconds, long evaluations) {
  constexpr long of_a_descent = 30;  // at least: a random start is further away than a given one
  if (!(seconds > 0)) return 0;
  const double own = seconds * static_cast<double>(evaluations);
  const double each = seconds * static_cast<double>(std::max(evaluations, of_a_descent) +
                                                    static_cast<long>(candidates_each) / 4);
  const double can = std::max(own, least_seconds) / each;
  return std::min(wanted, static_cast<std::size_t>(std::min(can, 1e6)));
}

std::vector<StartResult> search_rivals(const Objective& objective, MultiStartOptions options,
                                       std::vector<std::vector<double>> points, std::size_t random,
                                       std::size_t first, double allowed_seconds,
                                       RivalSearch& search) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const auto* asked = options.local.interrupt;
  std::atomic<bool> stop = false;
  auto late = [&] {
    return std::chrono::duration<double>(Clock::now() - began).count() >
           far_longer * std::max(allowed_seconds, least_seconds);
  };
  options.local.interrupt = &stop;
  options.local.on_step = [&](std::span<const double>, double) {
    if ((asked && asked->load()) || late()) stop = true;
  };
  options.local.max_iterations = std::min(options.local.max_iterations, 200);
  options.screened = std::min(options.screened, candidates_each);
  options.basin_hops = 0;
  options.given = std::move(points);
  options.starts = options.given.size() + random;
  // Another stream than that of the starts that were asked for.
  options.seed = options.seed * 0x9e3779b97f4a7c15u + 0x5bd1e995u;
  search.starts = options.starts;
  MultiStart multi(objective, options);
  std::vector<StartResult> found = multi.run();
  const std::size_t begun = found.size();
  std::erase_if(found,
                [](const StartResult& s) { return s.fit.outcome == FitOutcome::interrupted; });
  search.unfinished = search.starts - begun + (begun - found.size());
  for (StartResult& s : found) s.index += first;
  return found;
}

std::string rival_search_words(const RivalSearch& s) {
  if (s.starts == 0) return s.skipped;
  std::string words =
      "looked for other minima from " + count_of(s.starts, "one more start", " more starts");
  if (s.from_linear)
    words += s.starts == 1 ? " (the answer of an integral fit)"
                           : " (the answer of an integral fit and " +
                                 count_of(s.starts - 1, "a random point)", " random points)");
  words += ": ";
  const std::size_t other = s.starts - s.agreed - s.elsewhere - s.unfinished;
  if (s.agreed == s.starts)
    words += s.starts == 1 ? "it came to the same one" : "all came to the same one";
  else
    words +=
        (s.agreed == 0 ? std::string("none") : std::to_string(s.agreed)) + " came to the best one";
  if (s.elsewhere) words += ", " + std::to_string(s.elsewhere) + " to others";
  if (other) words += ", " + std::to_string(other) + " to no minimum";
  if (s.unfinished)
    words += ", " + std::to_string(s.unfinished) + " took too long and were given up";
  if (s.agreed > 0 && s.elsewhere == 0)
    words += "; that is evidence, not proof, that there is no other";
  return words;
}

}  // namespace stiffit::internal
