// SPDX-License-Identifier: Apache-2.0
#include "population/search.h"

#include <cmath>

#include "population/cma_es.h"
#include "population/differential_evolution.h"
#include "population/evolution_strategy.h"

namespace stiffit {

std::unique_ptr<Search> make_search(const std::vector<Unknown>& unknowns, SearchOptions options) {
  switch (options.kind) {
    case PopulationKind::cma_es:
      return std::make_unique<CmaEs>(unknowns, std::move(options));
    case PopulationKind::differential_evolution:
      return std::make_unique<DifferentialEvolution>(unknowns, std::move(options));
    case PopulationKind::evolution:
      break;
  }
  return std::make_unique<EvolutionStrategy>(unknowns, std::move(options));
}

double reflected(double x, double lower, double upper) {
  const bool below = std::isfinite(lower), above = std::isfinite(upper);
  if (below && above) {
    const double width = upper - lower;
    if (!(width > 0)) return lower;
    double place = std::fmod(x - lower, 2 * width);
    if (place < 0) place += 2 * width;
    return lower + (place > width ? 2 * width - place : place);
  }
  if (below && x < lower) return 2 * lower - x;
  if (above && x > upper) return 2 * upper - x;
  return x;
}

void save_points(RecordWriter& out, const Points& points) {
  out.whole(static_cast<std::int64_t>(points.size()));
  for (const std::vector<double>& point : points) out.numbers(point);
}

Points restored_points(RecordReader& from, std::size_t unknowns) {
  Points points(from.length(sizeof(double)));
  for (std::vector<double>& point : points) {
    point = from.numbers();
    if (point.size() != unknowns) throw BadRecord("another problem's population");
  }
  return points;
}

}  // namespace stiffit
