// SPDX-License-Identifier: Apache-2.0
#include "workbench/population_run.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include "base/diagnostic.h"
#include "base/number.h"
#include "base/splitmix.h"
#include "estimation/optimizers/trust_region.h"
#include "workbench/outer_fit.h"

namespace stiffit {
namespace {

constexpr std::pair<const char*, PopulationKind> kinds[] = {
    {"evolution", PopulationKind::evolution},
    {"cma-es", PopulationKind::cma_es},
    {"differential-evolution", PopulationKind::differential_evolution}};

constexpr const char* own_options[] = {"generations",   "parents", "offspring", "selection",
                                       "recombination", "spread",  "restarts",  "descent"};

Recombination recombination_option(const Arguments& arguments) {
  const std::string kind = arguments.text("recombination", "none");
  if (kind == "none") return Recombination::none;
  if (kind == "discrete") return Recombination::discrete;
  if (kind == "intermediate") return Recombination::intermediate;
  throw UsageError("--recombination is none, discrete or intermediate, not '" + kind + "'");
}

// A start's own number: runs of the same seed from different places draw differently.
std::uint64_t number_of(std::span<const double> start, std::uint64_t seed) {
  std::uint64_t number = SplitMix(seed).next();
  for (double x : start) number = SplitMix(number ^ std::bit_cast<std::uint64_t>(x)).next();
  return number;
}

// The best individual with all unknowns, where it can be evaluated as the fit wants it.
LocalFit end_of(const FitLevels& levels, std::span<const double> outer, const LocalOptions& local,
                bool descend) {
  LocalFit fit;
  std::string failure;
  fit.x = levels.rough->complete(outer, failure);
  if (failure.empty() && descend) {
    LocalFit end = fit_trust_region(*levels.whole, fit.x, local);
    end.message = "a descent: " + end.message;
    return end;
  }
  fit.outcome = FitOutcome::iterations;
  if (failure.empty()) {
    fit.at = levels.whole->evaluate(fit.x, Need::fisher);
    fit.gradients = 1;
    failure = fit.at.failure;
    fit.insensitive = insensitive_unknowns(*levels.whole, fit.at);
  }
  if (!failure.empty()) {
    fit.outcome = FitOutcome::failed;
    fit.message = failure;
  }
  return fit;
}

}  // namespace

std::vector<OptionSpec> population_option_specs() {
  return {
      {"generations", "N", "of evolution, cma-es, differential-evolution (default 400, or 2000)", 0,
       false},
      {"parents", "MU", "individuals that a generation leaves (default 15)", 0, false},
      {"offspring", "LAMBDA", "individuals of a generation (default 100, or by the unknowns)", 0,
       false},
      {"selection", "S", "of evolution: comma, or plus, where parents compete (default comma)", 0,
       false},
      {"recombination", "R", "of evolution: none, discrete or intermediate (default none)", 0,
       false},
      {"spread", "W", "of the first generation to each side of the start, on its scale", 0, false},
      {"restarts", "N", "of cma-es, each with twice the population (default 2)", 0, false},
      {"descent", "yes|no", "of a population's best at the end (default yes)", 0, false},
  };
}

bool is_population_method(const std::string& method) {
  return std::any_of(std::begin(kinds), std::end(kinds),
                     [&](auto& kind) { return method == kind.first; });
}

PopulationRequest read_population_options(const Arguments& arguments, const std::string& method,
                                          std::uint64_t seed) {
  PopulationRequest request;
  if (!is_population_method(method)) {
    for (const char* option : own_options)
      if (arguments.has(option))
        throw UsageError("--" + std::string(option) + " is for populations, not for " + method,
                         "evolution, cma-es and differential-evolution are");
    return request;
  }
  SearchOptions& search = request.options.search;
  for (auto& [name, kind] : kinds)
    if (method == name) search.kind = kind;
  if (search.kind != PopulationKind::evolution)
    for (const char* option : {"selection", "recombination"})
      if (arguments.has(option))
        throw UsageError("--" + std::string(option) + " is for the method evolution");
  auto small = [&](const char* option, long most) {
    if (!arguments.has(option)) return 0;
    const long count = arguments.count(option, 1);
    if (count > most)
      throw UsageError("--" + std::string(option) + " is at most " + std::to_string(most));
    return static_cast<int>(count);
  };
  search.parents = small("parents", 100000);
  search.offspring = small("offspring", 1000000);
  if (search.kind == PopulationKind::evolution &&
      (search.offspring > 0 ? search.offspring : 100) < (search.parents > 0 ? search.parents : 15))
    throw UsageError("--offspring is at least --parents: a generation is chosen from it");
  request.options.generations = small("generations", 1000000000);
  search.restarts = arguments.has("restarts") ? small("restarts", 20) : search.restarts;
  search.recombination = recombination_option(arguments);
  const std::string selection = arguments.text("selection", "comma");
  if (selection != "comma" && selection != "plus")
    throw UsageError("--selection is comma or plus, not '" + selection + "'");
  search.plus = selection == "plus";
  request.spread = arguments.has("spread") ? arguments.positive("spread", 1) : 0;
  const std::string descent = arguments.text("descent", "yes");
  if (descent != "yes" && descent != "no") throw UsageError("--descent is yes or no");
  request.descend = descent == "yes";
  search.seed = seed;
  return request;
}

void add_population_settings(RunSettings& settings, const PopulationRequest& request) {
  const SearchOptions& search = request.options.search;
  settings["generations"] = std::to_string(request.options.generations);
  settings["parents"] = std::to_string(search.parents);
  settings["offspring"] = std::to_string(search.offspring);
  settings["selection"] = search.plus ? "plus" : "comma";
  settings["recombination"] = std::to_string(static_cast<int>(search.recombination));
  settings["restarts"] = std::to_string(search.restarts);
  settings["spread"] = format_number(request.spread);
  settings["descent"] = request.descend ? "yes" : "no";
}

void use_population(MultiStartOptions& options, const FitLevels& levels, PopulationRequest request,
                    std::shared_ptr<KeptPopulations> kept) {
  options.screened = 1;  // a population needs no screening
  options.replacements = 0;
  options.ladders.clear();
  options.screen = [](std::span<const std::vector<double>> points) {
    return std::vector<Evaluation>(points.size());
  };
  const auto starts = static_cast<int>(std::max<std::size_t>(1, options.starts));
  request.options.threads = std::max(1, options.threads / starts);
  const std::vector<std::vector<double>> given = options.given;
  const auto watching = std::make_shared<std::mutex>();
  options.method = [levels, request, given, kept, watching](
                       const Objective&, std::span<const double> start, const LocalOptions& local) {
    PopulationOptions own = request.options;
    const std::vector<double> point(start.begin(), start.end());
    const bool around = std::find(given.begin(), given.end(), point) != given.end();
    const std::vector<double> outer = outer_of(start, levels.rough->projected());
    place_population(levels.rough->unknowns(),
                     around ? std::span<const double>(outer) : std::span<const double>(),
                     request.spread, own.search);
    own.search.seed = number_of(start, request.options.search.seed);
    own.polish = [&](const Objective&, std::span<const double> best, const LocalOptions& o) {
      return end_of(levels, best, o, request.descend);
    };
    if (kept) own.resume = kept->find(own.search.seed);
    own.on_generation = [&, number = own.search.seed, next = std::chrono::steady_clock::now()](
                            long, double value, std::span<const double> best,
                            const std::function<std::string()>& state) mutable {
      if (request.watch) {
        std::lock_guard lock(*watching);
        request.watch(value, best, levels.rough->unknowns());
      }
      if (!kept || std::chrono::steady_clock::now() < next) return;
      kept->keep(number, state());
      next = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    };
    const Objective& evaluated = request.evaluated ? *request.evaluated : *levels.rough;
    LocalFit fit = fit_population(evaluated, outer, local, own);
    fit.start = point;
    if (fit.outcome == FitOutcome::failed) fit.x = point;
    if (fit.outcome == FitOutcome::interrupted) {
      std::string failure;
      fit.x = levels.rough->complete(fit.x, failure);
      fit.at = Evaluation();
      fit.at.failure = "interrupted";
    }
    return fit;
  };
}

KeptPopulations::KeptPopulations(RunFolder& folder) : folder_(folder) {
  try {
    for (const std::string& record : folder.get("population")) {
      RecordReader reader(record);
      const auto start = static_cast<std::uint64_t>(reader.whole());
      known_[start] = reader.text();
      reader.finish();
    }
  } catch (const BadRecord& error) {
    throw InputError("error: the state of the run in " + folder.path() +
                     " is damaged: " + error.what());
  }
}

std::string KeptPopulations::find(std::uint64_t start) const {
  const auto at = known_.find(start);
  return at == known_.end() ? std::string() : at->second;
}

void KeptPopulations::keep(std::uint64_t start, const std::string& state) {
  RecordWriter record;
  record.whole(static_cast<std::int64_t>(start));
  record.text(state);
  std::lock_guard lock(mutex_);
  folder_.put("population", static_cast<std::int64_t>(start), record.bytes());
}

}  // namespace stiffit
