// A search by generations: it asks for the values of a whole population at once, so that these can
// be computed side by side, and is told them. What it draws depends on the seed and the number of
// the generation alone: a search that was kept goes on as if it had never stopped.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/record.h"
#include "base/reflected.h"
#include "estimation/optimizers/objective.h"

namespace stiffit::internal {

using Points = std::vector<std::vector<double>>;

enum class PopulationKind { evolution, cma_es, differential_evolution };
enum class Recombination { none, discrete, intermediate };
// As the option is called.
constexpr const char* recombination_name(Recombination way) {
  return way == Recombination::none       ? "none"
         : way == Recombination::discrete ? "discrete"
                                          : "intermediate";
}

struct SearchOptions {
  PopulationKind kind = PopulationKind::evolution;
  // Individuals that are kept and that are made in each generation. 0: what suits the kind and the
  // number of unknowns; (15,100) for the evolution strategy.
  int parents = 0, offspring = 0;
  bool plus = false;  // parents compete with their offspring, (mu+lambda)
  Recombination recombination = Recombination::none;
  // Where the first generation lies: uniform between these thetas. First step sizes are a sixth of
  // the width.
  std::vector<double> from, to;
  int restarts = 2;  // of cma-es when it has come to rest, each with twice the population
  std::uint64_t seed = 1;
};

class Search {
 public:
  virtual ~Search() = default;
  // The population to be evaluated, within the bounds.
  virtual Points ask() = 0;
  // Its values in the same order; infinite where there is none.
  virtual void tell(const Points& points, const std::vector<double>& values) = 0;
  // Nothing more can come of it: all individuals, or all step sizes, have shrunk together.
  // `unit`: differences of the value that matter.
  virtual bool at_rest(double unit) = 0;

  virtual void save(RecordWriter& out) const = 0;
  virtual void restore(RecordReader& from) = 0;  // throws BadRecord
};

std::unique_ptr<Search> make_search(const std::vector<EstimatedParameter>& unknowns,
                                    SearchOptions options);

void save_points(RecordWriter& out, const Points& points);
Points restored_points(RecordReader& from, std::size_t unknowns);

}  // namespace stiffit::internal
