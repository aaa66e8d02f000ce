// Values at many points at once: every experiment is integrated for all points side by side in the
// machine's lanes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/threads.h"
#include "objective/problem_inside.h"

namespace stiffit {
namespace {

// One experiment at all points that are still sound.
class LaneRuns {
 public:
  LaneRuns(const CompiledPart& part, const IntegrationOptions& integration,
           std::span<const std::vector<double>> values, int threads, Simulator& memory, bool share)
      : part_(part),
        integration_(integration),
        values_(values),
        threads_(threads),
        memory_(memory),
        share_(share),
        equilibria_(values.size()),
        courses_(values.size()) {}

  void run(const CompiledExperiment& experiment, std::vector<Collector>& collectors,
           std::vector<std::string>& failures) {
    const ExperimentIntegrators integrators{memory_, nullptr, false, trajectory_,
                                            share_ ? &unused_ : nullptr};
    // Only steady states are work enough for threads of their own.
    const int threads = experiment.equilibrium >= 0 || !experiment.at_rest.empty() ? threads_ : 1;
    std::vector<std::unique_ptr<ExperimentRun>> runs(values_.size());
    for (std::size_t k = 0; k < runs.size(); ++k) {
      if (!failures[k].empty()) continue;
      collectors[k].begin(part_, experiment);
      runs[k] =
          std::make_unique<ExperimentRun>(part_, experiment, integration_, integrators, false);
      runs[k]->begin(values_[k], {});
    }
    for (std::size_t round = 0;; ++round) {
      std::vector<const Request*> wanted(runs.size(), nullptr);
      for_each_index(runs.size(), threads, [&](std::size_t k) {
        if (runs[k]) wanted[k] = runs[k]->advance(equilibria_[k], collectors[k]);
      });
      if (!integrate(experiment, round, wanted)) break;
      for_each_index(runs.size(), threads, [&](std::size_t k) {
        if (wanted[k]) runs[k]->supply(courses_[k][{experiment.course, round}], collectors[k]);
      });
    }
    for (std::size_t k = 0; k < runs.size(); ++k)
      if (runs[k]) failures[k] = runs[k]->failure();
  }

 private:
  using Known = std::map<std::pair<int, std::size_t>, Trajectory>;

  // False: nothing was wanted. Experiments that share a course find it integrated.
  bool integrate(const CompiledExperiment& experiment, std::size_t round,
                 const std::vector<const Request*>& wanted) {
    std::vector<Request> requests;
    std::vector<std::size_t> owner;
    bool any = false;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (!wanted[k]) continue;
      any = true;
      if (share_ && experiment.course >= 0 && courses_[k].contains({experiment.course, round}))
        continue;
      requests.push_back(*wanted[k]);
      owner.push_back(k);
    }
    if (requests.empty()) return any;
    // Half-empty lanes on two threads take as long as full ones on one.
    const auto full =
        (requests.size() - 1) / static_cast<std::size_t>(part_.in_lanes().program->lanes) + 1;
    std::vector<Trajectory> done = simulate_many(part_.in_lanes(), requests, integration_,
                                                 std::min(threads_, static_cast<int>(full)));
    for (std::size_t i = 0; i < done.size(); ++i)
      courses_[owner[i]][{experiment.course, round}] = std::move(done[i]);
    return true;
  }

  const CompiledPart& part_;
  const IntegrationOptions& integration_;
  std::span<const std::vector<double>> values_;
  int threads_;
  // Asked for by the runs, never used: they are supplied.
  Simulator& memory_;
  SensitivityTrajectory trajectory_;
  Courses unused_;
  bool share_;
  std::vector<Equilibria> equilibria_;
  std::vector<Known> courses_;
};

}  // namespace

std::vector<std::string> ProblemObjective::Inside::run_many(
    std::span<const std::vector<double>> thetas, std::vector<Collector>& collectors,
    int threads) const {
  const std::vector<Collector> fresh = collectors;
  std::vector<std::string> failures(thetas.size());
  std::vector<std::vector<double>> values(thetas.size());
  for (std::size_t k = 0; k < thetas.size(); ++k)
    for (std::size_t u = 0; u < unknown.size(); ++u) {
      values[k].push_back(from_theta(thetas[k][u], unknowns[u].scale));
      if (!std::isfinite(values[k][u]))
        failures[k] = "parameter '" + unknowns[u].id + "' has no finite value";
    }
  IntegrationOptions integration = options.integration;
  integration.rounding_share *= 1e-6;  // as in run()
  auto workspace = take();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const CompiledPart& part = *parts[p];
    // A single lane is better run experiment by experiment.
    if (thetas.size() == 1 || part.in_lanes().program->lanes == 1 ||
        !refusal(part.in_lanes(), integration).empty()) {
      failures.assign(thetas.size(), "to be run alone");
      break;
    }
    LaneRuns runs(part, integration, values, threads, *workspace->simulators[p],
                  options.share_courses);
    for (const CompiledExperiment& experiment : part.experiments())
      runs.run(experiment, collectors, failures);
  }
  give(std::move(workspace));
  // What failed side by side is tried alone, where more is tried.
  for_each_index(thetas.size(), threads, [&](std::size_t k) {
    if (failures[k].empty()) return;
    collectors[k] = fresh[k];
    failures[k] = run(thetas[k], false, collectors[k]);
  });
  return failures;
}

}  // namespace stiffit
