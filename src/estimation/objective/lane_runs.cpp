// Values alone, at one point or many: what the experiments integrate at all points goes side by
// side into the machine's lanes. After that their runs find it done, and look at the measurements
// in the usual order.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/threads.h"
#include "base/thresholds.h"
#include "estimation/objective/problem_objective_impl.h"

namespace stiffit::internal {
namespace {

// Courses of points that are under way at a time: many times the lanes, and little to keep.
constexpr std::size_t most_at_once = 2048;

struct Point {
  std::span<const double> values;  // of the unknowns
  Courses courses;
  Equilibria equilibria;
};

// The experiments of one part at some points.
class LaneRuns {
 public:
  LaneRuns(const CompiledSubmodel& part, const IntegrationOptions& integration,
           Simulator& simulator, int threads)
      : part_(part), integration_(integration), simulator_(simulator), threads_(threads) {
    std::vector<char> seen(part.experiments().size(), 0);
    for (const CompiledExperiment& e : part.experiments()) {
      // Only steady states are work enough for threads of their own.
      rests_ |= e.equilibrium >= 0 || !e.at_steady_state.empty();
      if (std::exchange(seen[static_cast<std::size_t>(e.course)], 1)) continue;
      first_.push_back(&e);
    }
  }

  std::size_t courses() const { return first_.size(); }

  // Integrates all courses of these points. Per point the failure, or nothing.
  void integrate(std::span<Point> points, ManyRuns& many, std::span<std::string> failures) {
    std::vector<std::unique_ptr<ExperimentRun>> runs(points.size() * courses());
    for (std::size_t k = 0; k < points.size(); ++k)
      for (std::size_t c = 0; c < courses(); ++c) {
        auto& run = runs[k * courses() + c] = make_run(*first_[c], points[k].courses);
        run->begin(points[k].values, {});
      }
    std::vector<Request*> wanted(runs.size());
    std::vector<Request> requests;
    std::vector<std::size_t> owner;
    for (;;) {
      for_each_index(points.size(), own_threads(), [&](std::size_t k) {
        for (std::size_t c = 0; c < courses(); ++c) {
          const std::size_t r = k * courses() + c;
          wanted[r] = failures[k].empty() ? runs[r]->advance(points[k].equilibria) : nullptr;
          if (failures[k].empty()) failures[k] = runs[r]->failure();
        }
      });
      requests.clear();
      owner.clear();
      // The same course at different points is most alike.
      for (std::size_t c = 0; c < courses(); ++c)
        for (std::size_t k = 0; k < points.size(); ++k)
          if (const std::size_t r = k * courses() + c; wanted[r] && failures[k].empty()) {
            requests.push_back(std::move(*wanted[r]));
            owner.push_back(r);
          }
      if (requests.empty()) return;
      const std::span<const Trajectory> done = many.run(requests);
      for (std::size_t i = 0; i < done.size(); ++i) {
        const std::size_t k = owner[i] / courses();
        ExperimentRun& run = *runs[owner[i]];
        Course& course = points[k].courses[{first_[owner[i] % courses()]->course, run.period()}];
        course.known = true;
        course.trajectory.trajectory = done[i];
        run.supply(done[i]);
        if (failures[k].empty()) failures[k] = run.failure();
      }
    }
  }

  // The measurements of all experiments, whose courses are known or integrated now.
  std::string measure(Point& point, LikelihoodAccumulator& accumulator) {
    for (const CompiledExperiment& experiment : part_.experiments()) {
      accumulator.begin(part_, experiment);
      const auto run = make_run(experiment, point.courses);
      std::string failure = run->run(point.values, {}, point.equilibria, accumulator);
      if (!failure.empty()) return failure;
    }
    return {};
  }

  int own_threads() const { return rests_ ? threads_ : 1; }

 private:
  std::unique_ptr<ExperimentRun> make_run(const CompiledExperiment& experiment, Courses& courses) {
    const ExperimentIntegrators integrators{.states = simulator_,
                                            .sensitivities = nullptr,
                                            .error_control = false,
                                            .trajectory = unused_,
                                            .courses = &courses};
    return std::make_unique<ExperimentRun>(part_, experiment, integration_, integrators,
                                           RunDerivatives::none);
  }

  const CompiledSubmodel& part_;
  const IntegrationOptions& integration_;
  Simulator& simulator_;  // of what is not known
  int threads_;
  bool rests_ = false;
  std::vector<const CompiledExperiment*> first_;  // of each course
  SensitivityTrajectory unused_;
};

}  // namespace

ManyRuns& ProblemObjective::Impl::Workspace::many(std::size_t part, const Problem& problem,
                                                  const IntegrationOptions& integration,
                                                  int threads) {
  auto& own = many_[{part, threads}];
  if (!own) own = std::make_unique<ManyRuns>(problem, integration, threads);
  return *own;
}

std::string ProblemObjective::Impl::run_values(std::span<const double> theta,
                                               LikelihoodAccumulator& accumulator) const {
  bool several = false;
  for (auto& part : parts) several |= part->courses() >= thresholds::courses_for_lanes;
  if (!several || !options.side_by_side) return run(theta, false, accumulator);
  const std::vector<std::vector<double>> thetas{{theta.begin(), theta.end()}};
  std::vector<LikelihoodAccumulator> accumulators{std::move(accumulator)};
  std::string failure = run_many(thetas, accumulators, 1).front();
  accumulator = std::move(accumulators.front());
  return failure;
}

std::vector<std::string> ProblemObjective::Impl::run_many(
    std::span<const std::vector<double>> thetas, std::vector<LikelihoodAccumulator>& accumulators,
    int threads) const {
  const std::vector<LikelihoodAccumulator> fresh = accumulators;
  std::vector<std::string> failures(thetas.size());
  std::vector<std::vector<double>> values(thetas.size());
  for (std::size_t k = 0; k < thetas.size(); ++k)
    for (std::size_t u = 0; u < unknown.size(); ++u) {
      values[k].push_back(from_theta(thetas[k][u], unknowns[u].scale));
      if (!std::isfinite(values[k][u]))
        failures[k] = "parameter '" + unknowns[u].id + "' has no finite value";
    }
  const IntegrationOptions& integration = options.integration;
  auto workspace = take();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const CompiledSubmodel& part = *parts[p];
    workspace->simulators[p]->options() = integration;
    LaneRuns runs(part, integration, *workspace->simulators[p], threads);
    const bool alone = thetas.size() == 1 && part.courses() < thresholds::courses_for_lanes;
    if (!alone && (!options.share_courses || part.in_lanes().program->lanes == 1 ||
                   !refusal(part.in_lanes(), integration).empty())) {
      failures.assign(thetas.size(), "to be run alone");
      break;
    }
    const std::size_t block = std::max<std::size_t>(1, most_at_once / runs.courses());
    ManyRuns* many = nullptr;
    if (!alone) {
      // Half-empty lanes on two threads take as long as full ones on one.
      const std::size_t full = (std::min(block, thetas.size()) * runs.courses() - 1) /
                                   static_cast<std::size_t>(part.in_lanes().program->lanes) +
                               1;
      many = &workspace->many(p, part.in_lanes(), integration,
                              std::min(threads, static_cast<int>(full)));
    }
    for (std::size_t begin = 0; begin < thetas.size(); begin += block) {
      const std::size_t count = std::min(block, thetas.size() - begin);
      std::vector<Point> points(count);
      for (std::size_t k = 0; k < count; ++k) points[k].values = values[begin + k];
      std::span<std::string> own = std::span(failures).subspan(begin, count);
      if (many) runs.integrate(points, *many, own);
      for_each_index(count, runs.own_threads(), [&](std::size_t k) {
        if (own[k].empty()) own[k] = runs.measure(points[k], accumulators[begin + k]);
      });
    }
  }
  give(std::move(workspace));
  // What failed side by side is tried alone, where more is tried.
  for_each_index(thetas.size(), threads, [&](std::size_t k) {
    if (failures[k].empty()) return;
    accumulators[k] = fresh[k];
    failures[k] = run(thetas[k], false, accumulators[k]);
  });
  return failures;
}

}  // namespace stiffit::internal
