// The entries of methods that search with populations.
// SPDX-License-Identifier: Apache-2.0
#include "base/option_error.h"
#include "estimation/optimizers/optimizer.h"
#include "estimation/optimizers/population/population_fit.h"

namespace stiffit::internal {
namespace {

class PopulationOptimizer final : public Optimizer {
 public:
  PopulationOptimizer(PopulationOptions options, double spread)
      : options_(std::move(options)), spread_(spread) {}

  LocalFit minimize(const Objective& objective, std::span<const double> start,
                    const LocalOptions& local, const SearchHooks& hooks) const override {
    PopulationOptions own = options_;
    own.threads = hooks.threads;
    own.search.seed = hooks.seed;
    place_population(objective.unknowns(), hooks.around_start ? start : std::span<const double>(),
                     spread_, own.search);
    if (hooks.polish)
      own.polish = [&](const Objective&, std::span<const double> best, const LocalOptions& o) {
        return hooks.polish(best, o);
      };
    own.resume = hooks.resume;
    if (hooks.on_generation)
      own.on_generation = [&](long, double value, std::span<const double> best,
                              const std::function<std::string()>& state) {
        hooks.on_generation(value, best, state);
      };
    return fit_population(objective, start, local, own);
  }
  long most_generations() const override { return stiffit::internal::most_generations(options_); }

 private:
  PopulationOptions options_;
  double spread_;
};

template <PopulationKind kind>
std::shared_ptr<const Optimizer> make(const api::FitOptions& options) {
  PopulationOptions o;
  o.search.kind = kind;
  o.search.parents = options.parents;
  o.search.offspring = options.offspring;
  if (kind == PopulationKind::evolution && (options.offspring > 0 ? options.offspring : 100) <
                                               (options.parents > 0 ? options.parents : 15))
    throw OptionError(option("offspring") + " is at least " + option("parents") +
                      ": a generation is chosen from it");
  o.generations = options.generations;
  if (options.restarts > 0) o.search.restarts = options.restarts;
  for (Recombination way :
       {Recombination::none, Recombination::discrete, Recombination::intermediate})
    if (options.recombination == recombination_name(way)) o.search.recombination = way;
  o.search.plus = options.selection == "plus";
  return std::make_shared<const PopulationOptimizer>(std::move(o), options.spread);
}

template <PopulationKind kind>
OptimizerEntry entry(std::string_view name, std::vector<std::string_view> own = {}) {
  OptimizerEntry e{{.name = name, .population = true, .resumable = true}, make<kind>};
  e.traits.options = {"generations", "parents", "offspring", "spread", "restarts", "descent"};
  e.traits.options.insert(e.traits.options.end(), own.begin(), own.end());
  return e;
}

}  // namespace

std::vector<OptimizerEntry> population_entries() {
  return {entry<PopulationKind::evolution>("evolution", {"selection", "recombination"}),
          entry<PopulationKind::cma_es>("cma-es"),
          entry<PopulationKind::differential_evolution>("differential-evolution")};
}

}  // namespace stiffit::internal
