// Methods of fitting: what each needs of a problem and what can be done with it, stated by named
// fields, and the registry of all. Nobody else compares names: docs/adding-an-optimizer.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "estimation/optimizers/local_fit.h"
#include "stiffit/options.h"

namespace stiffit::internal {

enum class LinearMethod;
struct FlowPoint;

struct OptimizerTraits {
  std::string_view name;

  // What it needs.
  bool gradient = false;    // derivatives of the objective
  bool residuals = false;   // a least-squares objective
  bool population = false;  // values at many points at once; it searches between the bounds
  // A model linear in its rates along the data: it is solved for them, nothing is searched for.
  std::vector<LinearMethod> linearity = {};

  // How it is used.
  bool staged = false;     // over the levels of the objective: rough first, linear unknowns inside
  bool shooting = false;   // with the courses in pieces first
  bool as_start = false;   // of linearity: a search by the default method begins at its answers
  bool resumable = false;  // keeps the state of a start on its way, not only finished starts
  bool path = false;       // each point on the way is kept, in this process
  bool distributable = true;  // its starts may run in other processes

  // Options that only the methods which name them take.
  std::vector<std::string_view> options = {};

  // Gives an answer without a search.
  bool direct() const { return !linearity.empty() && !as_start; }
};

// What is wanted of a search while it goes on. Every part may be left out.
struct SearchHooks {
  // Of populations: what is made of the best individual at the end.
  std::function<LocalFit(std::span<const double> best, const LocalOptions&)> polish = {};
  std::function<void(double value, std::span<const double> best,
                     const std::function<std::string()>& state)>
      on_generation = {};
  std::string resume = {};    // a state; empty: from the beginning
  bool around_start = false;  // the first generation lies around the start
  std::uint64_t seed = 1;
  int threads = 1;
  // Of gradient flows: each point of the path.
  std::function<void(const FlowPoint&)> on_point = {};
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // From one start to one answer. May be called from several threads at once.
  virtual LocalFit minimize(const Objective& objective, std::span<const double> start,
                            const LocalOptions& local, const SearchHooks& hooks) const = 0;
  // Of populations: of one start, at most; else 0.
  virtual long most_generations() const { return 0; }
};

struct OptimizerEntry {
  OptimizerTraits traits;
  // Throws OptionError where options do not go together. Null for methods of linearity.
  std::shared_ptr<const Optimizer> (*make)(const api::FitOptions& options) = nullptr;
};

// In the order of the help; the first one is the default.
const std::vector<OptimizerEntry>& optimizers();
const OptimizerEntry& default_optimizer();
const OptimizerEntry* find_optimizer(std::string_view name);  // null: there is none
// OptionError with the nearest name if there is none.
const OptimizerEntry& named_optimizer(const std::string& name);

// Options of other methods than this one are an OptionError; `given` says which are given.
void check_own_options(const OptimizerTraits& traits,
                       const std::function<bool(std::string_view name)>& given);

// Each beside its optimiser.
OptimizerEntry trust_region_entry();
OptimizerEntry multiple_shooting_entry();
OptimizerEntry gauss_newton_entry();
OptimizerEntry gradient_flow_entry();
OptimizerEntry nelder_mead_entry();
std::vector<OptimizerEntry> population_entries();
std::vector<OptimizerEntry> linear_entries();

}  // namespace stiffit::internal
