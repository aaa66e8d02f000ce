// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/population/search.h"

#include "estimation/optimizers/population/cma_es.h"
#include "estimation/optimizers/population/differential_evolution.h"
#include "estimation/optimizers/population/evolution_strategy.h"

namespace stiffit::internal {

std::unique_ptr<Search> make_search(const std::vector<EstimatedParameter>& unknowns,
                                    SearchOptions options) {
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

void save_points(RecordWriter& out, const Points& points) {
  out.whole(points.size());
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

}  // namespace stiffit::internal
