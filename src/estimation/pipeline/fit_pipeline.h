// The stages of a fit in their order: the levels of the objective, where the starts come from, the
// run's directory, the search over them. Profiles and ensembles begin with the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "estimation/optimizers/flow/flow_paths.h"
#include "estimation/pipeline/fit_run.h"
#include "estimation/pipeline/run_context.h"
#include "estimation/strategies/objective_levels.h"
#include "stiffit/options.h"

namespace stiffit::internal {

class FitPipeline {
 public:
  // Compiles the objectives and places the starts. The options are checked (check_options). Throws
  // InputError if the problem or the method does not allow it, OptionError. `break_off`: an
  // interrupt ends integrations too, not only the descents that they are for.
  FitPipeline(FitProblem problem, const api::FitOptions& options, const RunInputs& inputs,
              const RunContext& context, bool break_off = false);

  const std::shared_ptr<const ProblemObjective>& objective() const {
    return settled_ ? settled_ : levels_->whole;
  }
  const ObjectiveOptions& accuracy() const { return accuracy_; }
  // Everything that the answer depends on, to be compared when a run is resumed.
  RunSettings settings() const;

  // Of a worker, instead of all that follows: starts, sides of profiles, and values of what chains
  // sample (null: of populations), until the coordinator has no more.
  void serve(const Objective* sampled = nullptr) const;

  // Opens the directory of the options, if they name one. Throws InputError.
  void open_directory(const char* kind, const RunSettings& settings);
  const std::shared_ptr<RunDirectory>& directory() const { return directory_; }

  // The starts, spread over threads and workers. `watched`: on the context's progress.
  FitSummary search(bool watched = false);
  // A few descents from elsewhere, where that is cheap or was asked for; what they find is ranked
  // with the rest.
  void look_for_rivals(FitSummary& fit);
  // Is what was found an answer to the data, or to the errors of the integrations? From the best
  // start it goes on at a hundredth of the tolerance; where that leads to a better place, objective
  // and accuracy are of that tolerance from then on, which the answer says in words (empty: it
  // stays). Whoever gave a tolerance keeps it.
  std::string settle(FitSummary& fit);
  // What the search was made with.
  const FitRequest& request() const { return request_; }
  // The path of a gradient flow from there as a table; empty: there is none.
  std::string path_table(const FitSummary& fit) const;

 private:
  std::string settled(FitSummary& fit);
  void place_starts();
  std::vector<std::vector<double>> linear_start() const;
  void use_method(
      std::function<void(double, std::span<const double>, const std::vector<EstimatedParameter>&)>
          watch);

  const api::FitOptions options_;
  RunInputs inputs_;
  const RunContext& context_;
  const OptimizerEntry& method_;
  std::shared_ptr<const Optimizer> optimizer_;
  ObjectiveOptions accuracy_;
  std::shared_ptr<const ObjectiveLevels> levels_;
  std::shared_ptr<const ProblemObjective> settled_;  // null: the one of the levels
  std::shared_ptr<FlowPaths> paths_;
  std::shared_ptr<RunDirectory> directory_;
  FitRequest request_;
};

// Of integrations, as the options say.
ObjectiveOptions accuracy_of(const api::FitOptions& options);
int thread_count(const api::FitOptions& options);

struct FitRun {
  FitSummary summary;
  std::shared_ptr<const ProblemObjective> objective;
  ObjectiveOptions accuracy;
  std::shared_ptr<RunDirectory> directory;  // null: none
  std::string table_name, table;            // one that not every method has; empty: none
  double seconds = 0;
  bool searched = true;    // starts were descended from
  bool is_worker = false;  // there is nothing to show: the coordinator has it
};
// All stages, and what is known of the answer at the end. Checks the options.
FitRun run_fit(FitProblem problem, const api::FitOptions& options, const RunInputs& inputs,
               const RunContext& context);

// Measured values only: what methods that need them can use.
FitProblem without_limits(FitProblem problem);

// Why there is no answer, in words, if there is none; and why what needs a fit cannot begin.
std::string nothing_found(const FitSummary& fit);
std::string unfitted(const FitSummary& fit);

}  // namespace stiffit::internal
