// SPDX-License-Identifier: Apache-2.0
#include "ensemble_contest.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>

#include "analysis/ensemble/distribution.h"
#include "base/cpu_clock.h"
#include "ode/many_runs.h"

namespace stiffit::internal::benchmark {
namespace {

// Absolute tolerances in units of rtol and the state's maximum, the same freedom for both sides.
constexpr double scales[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
constexpr std::size_t judged = 48;    // trajectories whose error is looked at
constexpr std::size_t finalists = 3;  // settings of a side that are timed well
constexpr int most_failures = 4;      // with one scale, before the rest of it is left
constexpr int rounds = 5;             // of everyone in turn
constexpr std::size_t block = 96;     // trajectories at a time, as in `stiffit ensemble`

double cpu_microseconds() { return 1e6 * thread_cpu_seconds(); }

double wall_microseconds() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

struct Setting {
  double rtol, scale, error, steps;
};

// Whoever runs trajectories first ... first + count - 1 and tells their states.
using Sink = std::function<void(std::size_t sample, const std::vector<double>& states)>;
struct Runner {
  std::string name;
  Setting setting;
  std::function<void(std::size_t first, std::size_t count, int threads, const Sink* sink,
                     EnsembleFinding& total)>
      run;
};

class EnsembleContest {
 public:
  EnsembleContest(const ProblemSpec& spec, const EnsembleOptions& options)
      : options_(options), problem_(build(spec)) {
    const Request request = request_of(spec, end_of(spec));
    const std::vector<double>& own = problem_.program->parameter_values;
    requests_.assign(std::size_t(options.samples), request);
    for (std::size_t s = 0; s < requests_.size(); ++s)
      for (std::size_t k = 0; k < own.size(); ++k)
        requests_[s].parameters.push_back(
            own[k] > 0 ? draw({Distribution::Kind::lognormal, own[k], options.sigma}, 1, s, k)
                       : own[k]);
    for (int lanes : options.lanes) wide_.emplace(lanes, build(spec, lanes));
    nominal_ = find_reference(problem_, request).largest;
    find_references();
  }

  EnsembleComparison compare() {
    EnsembleComparison result;
    result.n = problem_.program->states;
    result.doubt = doubt_;
    std::vector<Runner> runners;
    for (const std::string& method : options_.methods) {
      const int first = options_.lanes.front();
      const auto best =
          survey([&](double rtol, double scale) { return ours(method, first, rtol, scale); });
      for (int lanes : options_.lanes)
        for (const Setting& s : best) runners.push_back(ours(method, lanes, s.rtol, s.scale));
    }
    const std::size_t our_count = runners.size();
    CvodesSolver solver = result.n > 50 ? CvodesSolver::klu_amd : CvodesSolver::dense;
    const auto best = survey(
        [&](double rtol, double scale) { return cvodes(CvodesBuild::o3, solver, rtol, scale); });
    for (const Setting& s : best)
      for (CvodesSolver any :
           {CvodesSolver::dense, CvodesSolver::klu_amd, CvodesSolver::klu_colamd})
        for (CvodesBuild build : {CvodesBuild::o3, CvodesBuild::o2})
          if (any != CvodesSolver::dense || result.n <= 100)
            runners.push_back(cvodes(build, any, s.rtol, s.scale));
    std::vector<EnsembleFinding> found = time_interleaved(runners);
    std::map<std::string, EnsembleFinding> fastest;
    for (std::size_t k = 0; k < found.size(); ++k) {
      EnsembleFinding& best_yet = k < our_count ? fastest[found[k].name] : result.cvodes;
      if (found[k].error > options_.target) continue;
      if (best_yet.name.empty() || found[k].microseconds < best_yet.microseconds)
        best_yet = found[k];
    }
    for (auto& [name, finding] : fastest)
      if (!finding.name.empty()) result.ours.push_back(finding);
    std::sort(result.ours.begin(), result.ours.end(),
              [](auto& a, auto& b) { return a.microseconds < b.microseconds; });
    if (!result.ours.empty())
      for (const Runner& r : runners)
        if (r.name == result.ours[0].name && r.setting.rtol == result.ours[0].rtol &&
            r.setting.scale == result.ours[0].scale) {
          result.whole = run_all(r);
          result.two_threads = speed_up(r);
        }
    return result;
  }

 private:
  // Tight runs of the first trajectories, by Rodas5P and, to know how far to trust it, by CVODES.
  void find_references() {
    const std::size_t n = nominal_.size(), count = std::min(judged, requests_.size());
    references_.resize(count);
    const Sink keep = [&](std::size_t s, const std::vector<double>& states) {
      references_[s].states = states;
      references_[s].largest.assign(n, 0);
      for (std::size_t i = 0; i < states.size(); ++i)
        references_[s].largest[i % n] =
            std::max(references_[s].largest[i % n], std::fabs(states[i]));
    };
    EnsembleFinding total;
    wide_.emplace(1, problem_);
    ours("rodas5p", 1, 1e-12, 1e-3, 1000000).run(0, count, 1, &keep, total);
    if (total.failed) throw std::runtime_error("no reference solution");
    const CvodesSolver solver = n > 50 ? CvodesSolver::klu_amd : CvodesSolver::dense;
    doubt_ = error_of(cvodes(CvodesBuild::o3, solver, 1e-12, 1e-3));
  }

  // The largest over the judged trajectories, all outputs and states.
  double error_of(const Runner& runner, double* steps = nullptr) const {
    double worst = 0;
    const Sink compare = [&](std::size_t s, const std::vector<double>& states) {
      const double error = references_[s].error(states);
      if (!(error <= worst)) worst = error;
    };
    EnsembleFinding total;
    runner.run(0, references_.size(), 1, &compare, total);
    if (steps) *steps = total.steps;
    return total.failed ? INFINITY : worst;
  }

  // Explicit methods on stiff problems are not waited for: not many steps.
  Runner ours(const std::string& method, int lanes, double rtol, double scale,
              long max_steps = 20000) {
    IntegrationOptions options;
    options.method = method;
    options.rtol = rtol;
    options.scaled_atol = scale;
    options.max_steps = max_steps;
    const Problem& problem = wide_.at(lanes);
    if (!refusal(problem, options).empty()) return {};
    const auto one = std::make_shared<ManyRuns>(problem, options, 1);
    const auto two = std::make_shared<ManyRuns>(problem, options, 2);
    // As in `stiffit ensemble`: the same requests for every block, with other parameters.
    const auto asked = std::make_shared<std::vector<Request>>(block, requests_.front());
    return {method + ", " + std::to_string(lanes) + " lanes",
            {rtol, scale, 0, 0},
            [this, one, two, asked](std::size_t first, std::size_t count, int threads,
                                    const Sink* sink, EnsembleFinding& total) {
              ManyRuns& many = threads == 1 ? *one : *two;
              std::span<const Trajectory> runs;
              for (std::size_t i = 0; i < count; ++i) {
                if (in_one_) {
                  if (i == 0) runs = many.run({requests_.data() + first, count});
                } else if (i % block == 0) {
                  const std::size_t now = std::min(block, count - i);
                  for (std::size_t s = 0; s < now; ++s)
                    (*asked)[s].parameters = requests_[first + i + s].parameters;
                  runs = many.run({asked->data(), now});
                }
                const Trajectory& run = runs[in_one_ ? i : i % block];
                const Outcome& outcome = run.outcome;
                total.failed += outcome.status != Status::done;
                total.steps += double(outcome.counters.steps + outcome.counters.rejected);
                if (sink) (*sink)(first + i, run.states);
              }
            }};
  }

  Runner cvodes(CvodesBuild build, CvodesSolver solver, double rtol, double scale) {
    std::shared_ptr<Competitor> competitor =
        make_cvodes(problem_, requests_.front(), build, solver, rtol, scale, nominal_);
    return {competitor->name,
            {rtol, scale, 0, 0},
            [this, competitor](std::size_t first, std::size_t count, int, const Sink* sink,
                               EnsembleFinding& total) {
              std::vector<double> states;
              for (std::size_t s = first; s < first + count; ++s) {
                competitor->set_parameters(requests_[s].parameters);
                const RunResult result = competitor->run(states);
                total.failed += !result.done;
                total.steps += double(result.counters.steps + result.counters.rejected);
                if (sink) (*sink)(s, states);
              }
            }};
  }

  // Every quarter of a decade of tolerance with every scale; the few that reach the target in the
  // fewest steps, which other work on the machine does not change.
  template <class Make>
  std::vector<Setting> survey(Make make) {
    std::vector<Setting> found;
    for (double scale : scales) {
      int failures = 0;
      for (int quarter = 8; quarter <= 48; ++quarter) {
        const double rtol = std::pow(10.0, -0.25 * quarter);
        const Runner runner = make(rtol, scale);
        if (!runner.run) return {};
        double steps = 0;
        const double error = error_of(runner, &steps);
        if (!std::isfinite(error)) {
          if (++failures == most_failures) break;
          continue;
        }
        if (error <= options_.target) found.push_back({rtol, scale, error, steps});
        if (error < 1e-2 * options_.target) break;
      }
    }
    std::sort(found.begin(), found.end(),
              [](const Setting& a, const Setting& b) { return a.steps < b.steps; });
    if (found.size() > finalists) found.resize(finalists);
    return found;
  }

  // Everyone in turn on the same trajectories, round after round; the number of trajectories of
  // each is what its share of the time allows.
  std::vector<EnsembleFinding> time_interleaved(const std::vector<Runner>& runners) {
    std::vector<EnsembleFinding> found;
    std::vector<std::size_t> counts;
    for (const Runner& r : runners) {
      EnsembleFinding f{r.name, r.setting.rtol, r.setting.scale, error_of(r)};
      EnsembleFinding warm;
      const std::size_t trial = references_.size();
      const double begin = cpu_microseconds();
      r.run(0, trial, 1, nullptr, warm);
      const double each = (cpu_microseconds() - begin) / double(trial);
      const double share = 1e6 * options_.seconds / double(runners.size()) / rounds;
      counts.push_back(std::clamp(std::size_t(share / each), std::min<std::size_t>(16, trial),
                                  requests_.size() / rounds));
      found.push_back(std::move(f));
    }
    for (int round = 0; round < rounds; ++round)
      for (std::size_t k = 0; k < runners.size(); ++k) {
        const std::size_t first = std::size_t(round) * (requests_.size() / rounds);
        const double begin = cpu_microseconds();
        runners[k].run(first, counts[k], 1, nullptr, found[k]);
        found[k].microseconds += cpu_microseconds() - begin;
        found[k].samples += long(counts[k]);
      }
    for (EnsembleFinding& f : found) {
      f.microseconds /= double(f.samples);
      f.steps /= double(f.samples);
    }
    return found;
  }

  EnsembleFinding run_all(const Runner& runner) {
    EnsembleFinding found{runner.name, runner.setting.rtol, runner.setting.scale};
    const double begin = cpu_microseconds();
    runner.run(0, requests_.size(), 1, nullptr, found);
    found.samples = long(requests_.size());
    found.microseconds = (cpu_microseconds() - begin) / double(found.samples);
    found.steps /= double(found.samples);
    return found;
  }

  // By the clock on the wall, of as many trajectories as take their share of the time, in one go,
  // as threads of `stiffit ensemble` have blocks of their own; the median of several turns.
  double speed_up(const Runner& runner) {
    in_one_ = true;
    EnsembleFinding trial;
    const double began = cpu_microseconds();
    runner.run(0, references_.size(), 1, nullptr, trial);
    const double each = (cpu_microseconds() - began) / double(references_.size());
    const std::size_t count =
        std::clamp(std::size_t(1e6 * options_.seconds / 4 / rounds / each),
                   std::min<std::size_t>(64, requests_.size()), requests_.size());
    std::vector<double> ratios;
    for (int turn = 0; turn < rounds; ++turn) {
      EnsembleFinding total;
      double spent[2];
      for (int threads : {1, 2}) {
        const double begin = wall_microseconds();
        runner.run(0, count, threads, nullptr, total);
        spent[threads - 1] = wall_microseconds() - begin;
      }
      ratios.push_back(spent[0] / spent[1]);
    }
    in_one_ = false;
    std::sort(ratios.begin(), ratios.end());
    return ratios[rounds / 2];
  }

  const EnsembleOptions& options_;
  Problem problem_;
  std::map<int, Problem> wide_;  // by lanes
  std::vector<Request> requests_;
  std::vector<double> nominal_;  // largest magnitudes of the run with the model's own parameters
  std::vector<Reference> references_;
  double doubt_ = 0;
  bool in_one_ = false;  // all trajectories at once instead of in blocks
};

}  // namespace

EnsembleComparison compare_ensemble(const ProblemSpec& spec, const EnsembleOptions& options) {
  return EnsembleContest(spec, options).compare();
}

}  // namespace stiffit::internal::benchmark
