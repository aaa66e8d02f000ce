// What an objective holds: compiled once, used by any number of threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>

#include "estimation/objective/likelihood_accumulator.h"
#include "ode/many_runs.h"

namespace stiffit::internal {

struct ProblemObjective::Impl {
  // What a thread keeps between evaluations.
  struct Workspace {
    std::vector<std::unique_ptr<Simulator>> simulators;  // per part
    std::vector<std::unique_ptr<SensitivitySimulator>> sensitivities;
    SensitivityTrajectory trajectory;
    std::vector<Courses> courses;
    // Of a part in lanes, on so many threads.
    ManyRuns& many(std::size_t part, const Problem& problem, const IntegrationOptions& integration,
                   int threads);

   private:
    std::map<std::pair<std::size_t, int>, std::unique_ptr<ManyRuns>> many_;
  };

  FitProblem problem;
  ObjectiveOptions options;
  std::vector<int> unknown;  // indices into problem.parameters
  std::vector<EstimatedParameter> unknowns;
  std::vector<std::unique_ptr<CompiledSubmodel>> parts;
  std::size_t measurements = 0;
  int limits = 0;  // data of which only a limit is known
  bool unknown_noise = false, least_squares = true;
  std::vector<int> normal_priors;  // unknowns whose prior is one more residual
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Workspace>> idle;
  mutable std::atomic<long> tightened = 0, went_forward = 0;  // see AdjointRetreats

  std::unique_ptr<Workspace> take() const;
  void give(std::unique_ptr<Workspace> workspace) const;
  void add_unknowns();
  void classify();
  void find_noise_unknowns(const std::vector<char>& elsewhere);
  // Per unknown: an equation, initial value, event or condition depends on it.
  std::vector<char> used_elsewhere() const;
  bool noise_is_fixed(const CompiledSubmodel& part) const;
  bool wants_adjoint(const CompiledSubmodel& part, const CompiledExperiment& experiment) const;
  std::string run(std::span<const double> theta, bool derivatives,
                  LikelihoodAccumulator& accumulator) const;
  std::string run_with(const IntegrationOptions& integration, std::span<const double> theta,
                       bool derivatives, LikelihoodAccumulator& accumulator) const;
  // Values alone at many points, integrated side by side. Per point the failure, or nothing.
  std::vector<std::string> run_many(std::span<const std::vector<double>> thetas,
                                    std::vector<LikelihoodAccumulator>& accumulators,
                                    int threads) const;
  // The same at one point: several experiments side by side, or one after another.
  std::string run_values(std::span<const double> theta, LikelihoodAccumulator& accumulator) const;
  Evaluation evaluate(std::span<const double> theta, Need need, const DataDraw* draw) const;
  LikelihoodAccumulator accumulator_for(Need need) const;
  Evaluation finish(LikelihoodAccumulator accumulator, std::string failure,
                    std::span<const double> theta, Need need) const;
};

}  // namespace stiffit::internal
