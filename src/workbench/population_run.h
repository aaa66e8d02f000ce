// Fits by populations: `--method evolution`, `cma-es` and `differential-evolution`. The search sees
// rough integrations, many at once, and only the unknowns that cannot be solved for inside; a
// descent over all unknowns ends it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "cli/command_line.h"
#include "estimation/optimizers/population/population_fit.h"
#include "runtime/checkpoint/run_folder.h"
#include "workbench/projected_fit.h"

namespace stiffit {

struct PopulationRequest {
  PopulationOptions options;
  double spread = 0;  // see place_population
  bool descend = true;
  // After each generation of any start: the best individual of that start and its value. Called by
  // one thread at a time.
  std::function<void(double value, std::span<const double> best,
                     const std::vector<Unknown>& unknowns)>
      watch;
  // The objective of the search where its values are computed elsewhere; null: as it is.
  const Objective* evaluated = nullptr;
};

std::vector<OptionSpec> population_option_specs();
bool is_population_method(const std::string& method);
// Throws UsageError, also for options of populations with other methods.
PopulationRequest read_population_options(const Arguments& arguments, const std::string& method,
                                          std::uint64_t seed);
// What the answer depends on.
void add_population_settings(RunSettings& settings, const PopulationRequest& request);

// Keeps the states of populations in the folder every few seconds, and finds those of a former run
// there. Throws InputError if they are damaged.
class KeptPopulations {
 public:
  explicit KeptPopulations(RunFolder& folder);
  std::string find(std::uint64_t start) const;  // empty: none
  void keep(std::uint64_t start, const std::string& state);

 private:
  RunFolder& folder_;
  std::map<std::uint64_t, std::string> known_;
  std::mutex mutex_;
};

// Sets the method of `options`, whose starts are placed. The objectives must live as long as it.
// `kept` may be null.
void use_population(MultiStartOptions& options, const FitLevels& levels, PopulationRequest request,
                    std::shared_ptr<KeptPopulations> kept);

}  // namespace stiffit
