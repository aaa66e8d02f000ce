// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/compare.h"

#include <algorithm>
#include <cmath>

#include "base/cpu_clock.h"
#include "ode/method_registry.h"
#include "ode/observer.h"

namespace stiffit::internal {
namespace {

constexpr double tightest = 1e-13;
constexpr double absolute_share = 0.01;
constexpr double fixed_precision = 1.01;  // of the number of steps

double span_of(const Request& request) { return request.times.back() - request.start; }

class Trial {
 public:
  Trial(const Problem& problem, const ReferenceSolution& reference, const MethodEntry& method,
        const CompareOptions& options)
      : problem_(problem), reference_(reference), method_(method), options_(options) {}

  // By tolerance, or by number of steps for methods without error control.
  WorkPoint run(double setting) const {
    WorkPoint point;
    point.setting = setting;
    Trajectory result = simulate(problem_, reference_.request, settings(setting));
    point.error = true_error(reference_, result);
    point.counters = result.outcome.counters;
    return point;
  }

  void time(WorkPoint& point) const {
    Simulator simulator(problem_, settings(point.setting));
    std::vector<double> seconds;
    for (int i = 0; i <= options_.repetitions; ++i) {
      Trajectory result;
      const double began = thread_cpu_seconds();
      simulator.run(reference_.request, result);
      if (i > 0) seconds.push_back(thread_cpu_seconds() - began);  // the first one warms up
    }
    std::nth_element(seconds.begin(), seconds.begin() + options_.repetitions / 2, seconds.end());
    point.seconds = seconds[options_.repetitions / 2];
  }

  IntegrationOptions settings(double setting) const {
    IntegrationOptions o;
    o.method = method_.info.name;
    o.max_steps = options_.most_steps;
    o.interrupt = options_.interrupt;
    if (method_.fixed_step_only) {
      o.fixed_step = setting;
      o.max_steps = static_cast<long>(2 * span_of(reference_.request) / setting) + 1000;
    } else {
      o.rtol = setting;
      o.max_step = options_.max_step;
      o.scaled_atol = absolute_share;
    }
    return o;
  }

 private:
  const Problem& problem_;
  const ReferenceSolution& reference_;
  const MethodEntry& method_;
  const CompareOptions& options_;
};

class StepRecorder final : public StepsObserver {
 public:
  std::vector<Step> steps;

  void begin(const LaneGroup&) override { steps.clear(); }
  double passed(const LaneGroup& group, const Stepper&) override {
    under_way_ = {group.t[0], group.h[0]};
    return 0;
  }
  void accepted() override { steps.push_back(under_way_); }
  void landed(double theta) override {
    steps.push_back({under_way_.time, theta * under_way_.size});
  }

 private:
  Step under_way_;
};

bool interrupted(const CompareOptions& options) {
  return options.interrupt && options.interrupt->load(std::memory_order_relaxed);
}

// Every tolerance until the tightest target is met twice, or nothing more is gained.
std::vector<WorkPoint> tolerance_curve(const Trial& trial, const CompareOptions& options) {
  const double hardest = *std::min_element(options.targets.begin(), options.targets.end());
  std::vector<WorkPoint> curve;
  int met = 0;
  for (int half = 2; half <= 26 && met < 3 && !interrupted(options); ++half) {
    const double rtol = std::max(tightest, std::pow(10, -0.5 * half));
    curve.push_back(trial.run(rtol));
    if (curve.back().error <= hardest) ++met;
    if (!std::isfinite(curve.back().error) && curve.back().counters.steps >= options.most_steps / 2)
      break;  // tighter will not need fewer steps
  }
  return curve;
}

const WorkPoint* cheapest(const std::vector<WorkPoint>& curve, double target) {
  const WorkPoint* best = nullptr;
  for (const WorkPoint& point : curve)
    if (point.error <= target && (!best || point.counters.steps < best->counters.steps))
      best = &point;
  return best;
}

// The largest fixed step that serves: doubling, then bisection on the number of steps.
void find_step(const Trial& trial, double span, double target, const CompareOptions& options,
               std::vector<WorkPoint>& curve) {
  const auto most = static_cast<double>(options.most_steps);
  double few = 0, enough = std::min(8.0, most);
  while (!interrupted(options)) {
    curve.push_back(trial.run(span / enough));
    if (curve.back().error <= target) break;
    if (enough == most) return;
    few = enough;
    enough = std::min(2 * enough, most);
  }
  while (enough > fixed_precision * few && enough - few > 1 && !interrupted(options)) {
    const double middle = std::ceil(0.5 * (few + enough));
    if (middle >= enough) break;
    curve.push_back(trial.run(span / middle));
    (curve.back().error <= target ? enough : few) = middle;
  }
}

std::string reason(const std::vector<WorkPoint>& curve, const CompareOptions& options) {
  double best = INFINITY;
  for (const WorkPoint& point : curve) best = std::min(best, point.error);
  if (std::isfinite(best)) return "not reached";
  return "not within " + std::to_string(options.most_steps) + " steps";
}

}  // namespace

double true_error(const ReferenceSolution& reference, const Trajectory& run) {
  if (run.outcome.status != Status::done) return INFINITY;
  double worst = 0;
  const std::size_t n = reference.largest.size();
  for (std::size_t i = 0; i < reference.states.size(); ++i) {
    const double off = std::fabs(run.states[i] - reference.states[i]);
    const double scale = reference.largest[i % n];
    if (std::isnan(off)) return INFINITY;
    if (off > 0) worst = std::max(worst, scale > 0 ? off / scale : INFINITY);
  }
  return worst;
}

ReferenceSolution solve_reference(const Problem& problem, const Request& request,
                                  const std::atomic<bool>* interrupt) {
  ReferenceSolution reference;
  reference.request = request;
  IntegrationOptions options;
  options.rtol = 1e-12;
  options.scaled_atol = 1e-3;
  options.max_steps = 20'000'000;
  options.interrupt = interrupt;
  options.method = method_name(MethodRole::stiff);
  Trajectory first = simulate(problem, request, options);
  reference.outcome = first.outcome;
  if (first.outcome.status != Status::done) return reference;
  reference.states = first.states;
  const std::size_t n = problem.program->states;
  reference.largest.assign(n, 0);
  for (std::size_t i = 0; i < reference.states.size(); ++i)
    reference.largest[i % n] = std::max(reference.largest[i % n], std::fabs(reference.states[i]));
  options.rtol = 1e-11;
  if (const MethodEntry& other = method_for(MethodRole::reference);
      other.algebraic_equations || problem.program->mass.empty())
    options.method = other.info.name;
  Trajectory second = simulate(problem, request, options);
  reference.agreement = true_error(reference, second);
  return reference;
}

CompareResult compare_methods(const Problem& problem, const ReferenceSolution& reference,
                              const CompareOptions& options) {
  CompareResult result;
  int done = 0;
  for (const std::string& name : options.methods) {
    const MethodEntry* method = find_method(name);
    std::vector<WorkPoint> curve;
    const Trial trial(problem, reference, *method, options);
    const std::string refused = refusal(problem, trial.settings(span_of(reference.request)));
    if (refused.empty() && !method->fixed_step_only) curve = tolerance_curve(trial, options);
    for (double target : options.targets) {
      if (refused.empty() && method->fixed_step_only)
        find_step(trial, span_of(reference.request), target, options, curve);
      Comparison entry{name, target, {}, refused};
      if (const WorkPoint* best = cheapest(curve, target)) {
        entry.best = *best;
        trial.time(*entry.best);
      } else if (refused.empty()) {
        entry.why_not = reason(curve, options);
      }
      result.table.push_back(entry);
    }
    result.curves.push_back(std::move(curve));
    if (options.progress) options.progress(++done, static_cast<int>(options.methods.size()));
    if (interrupted(options)) break;
  }
  return result;
}

std::vector<Step> steps_of(const Problem& problem, const ReferenceSolution& reference,
                           const std::string& method, const WorkPoint& run,
                           const CompareOptions& options) {
  StepRecorder recorder;
  const Trial trial(problem, reference, *find_method(method), options);
  simulate_observed(problem, reference.request, trial.settings(run.setting), recorder);
  return recorder.steps;
}

}  // namespace stiffit::internal
