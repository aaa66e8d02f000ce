// SPDX-License-Identifier: Apache-2.0
#include "objective/problem_objective.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numbers>

#include "base/number.h"
#include "objective/compiled_part.h"
#include "objective/experiment_run.h"
#include "objective/likelihood.h"
#include "objective/prior_density.h"

namespace stiffit {

IntegrationOptions ObjectiveOptions::default_integration() {
  IntegrationOptions o;
  o.method = "rodas5p";
  o.rtol = 1e-8;
  o.max_steps = 100000;
  return o;
}

struct ProblemObjective::Inside {
  // What a thread keeps between evaluations.
  struct Workspace {
    std::vector<std::unique_ptr<Simulator>> simulators;  // per part
    std::vector<std::unique_ptr<SensitivitySimulator>> sensitivities;
    SensitivityTrajectory trajectory;
    std::vector<Courses> courses;
  };

  FitProblem problem;
  ObjectiveOptions options;
  std::vector<int> unknown;  // indices into problem.parameters
  std::vector<Unknown> unknowns;
  std::vector<std::unique_ptr<CompiledPart>> parts;
  std::size_t measurements = 0;
  bool unknown_noise = false, least_squares = true;
  std::vector<int> normal_priors;  // unknowns whose prior is one more residual
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Workspace>> idle;
  mutable std::atomic<long> tightened = 0, went_forward = 0;  // see AdjointRetreats

  std::unique_ptr<Workspace> take() const;
  void give(std::unique_ptr<Workspace> workspace) const;
  void add_unknowns();
  void classify();
  bool noise_is_fixed(const CompiledPart& part) const;
  bool wants_adjoint(const CompiledPart& part, const CompiledExperiment& experiment) const;
  std::string run(std::span<const double> theta, bool derivatives,
                  class Collector& collector) const;
  std::string run_with(const IntegrationOptions& integration, std::span<const double> theta,
                       bool derivatives, class Collector& collector) const;
};

namespace {

bool is_quadratic(const Prior& prior, Scale scale) {
  return prior.kind == PriorKind::normal && (prior.on_scale || scale == Scale::lin);
}

}  // namespace

// Takes predictions as experiments pass them and puts the objective together.
class Collector : public MeasurementSink {
 public:
  Collector(std::size_t unknowns, std::size_t measurements) : unknowns_(unknowns) {
    predictions.resize(measurements);
  }

  void begin(const CompiledPart& part, const CompiledExperiment& experiment) {
    part_ = &part;
    experiment_ = &experiment;
    const std::size_t columns = derivatives ? experiment.columns.size() : 0;
    local_gradient_.assign(columns, 0.0);
    local_fisher_.assign(fisher_wanted ? columns * columns : 0, 0.0);
  }

  // What the experiment added, by its own columns, goes to the unknowns.
  void finish() {
    const std::vector<int>& to = experiment_->columns;
    const std::size_t columns = local_gradient_.size();
    for (std::size_t k = 0; k < columns; ++k) {
      const auto u = static_cast<std::size_t>(to[k]);
      gradient[u] += local_gradient_[k];
      if (fisher_wanted)
        for (std::size_t l = 0; l < columns; ++l)
          fisher[u * unknowns_ + static_cast<std::size_t>(to[l])] += local_fisher_[k * columns + l];
    }
  }

  std::string take(int index, double time, ExperimentPoint& point, double* weights) override;
  void add_gradient(std::span<const double> by_column) override {
    for (std::size_t k = 0; k < by_column.size(); ++k) local_gradient_[k] += by_column[k];
  }

  bool derivatives = false, fisher_wanted = false, residuals_wanted = false, unknown_noise = false;
  double llh = 0, chi2 = 0, log_noise = 0;  // the last: sum of the logarithms of the weights
  std::vector<double> gradient, fisher;     // of minus llh
  std::vector<double> residuals, jacobian;
  std::vector<Prediction> predictions;
  const std::vector<int>* outputs = nullptr;  // unknowns whose part in each measurement is wanted
  std::vector<OutputTerm> terms;

 private:
  void note_term(const Measurement& m, const ProblemObservable& o, double time,
                 ExperimentPoint& point);

  std::size_t unknowns_;
  const CompiledPart* part_ = nullptr;
  const CompiledExperiment* experiment_ = nullptr;
  std::vector<double> local_gradient_, local_fisher_, result_, dh_, ds_;
};

void Collector::note_term(const Measurement& m, const ProblemObservable& o, double time,
                          ExperimentPoint& point) {
  const Differentiated& d = part_->observable(m.observable);
  std::vector<double> all(d.result_size());
  double* arrays[4] = {&time, point.states.data(), point.parameters.data(), all.data()};
  d.all(arrays);
  OutputTerm term{o.transformation, o.noise_kind, m.value, all[0], all[1], {}, {}};
  const double* by_parameter = all.data() + d.size + d.by_state.size();
  const std::vector<int>& slots = part_->placeholders()[static_cast<std::size_t>(m.observable)];
  for (int u : *outputs) {
    const int own = part_->unknown_parameter()[static_cast<std::size_t>(u)];
    double sums[2] = {0, 0};
    for (std::size_t e = 0; e < d.by_parameter.size(); ++e) {
      bool carries = d.by_parameter[e].column == own;
      for (std::size_t i = 0; i < slots.size() && !carries; ++i)
        carries =
            d.by_parameter[e].column == slots[i] && m.placeholders[i].parameter >= 0 &&
            part_->problem_parameter()[static_cast<std::size_t>(m.placeholders[i].parameter)] ==
                own;
      if (carries && own >= 0) sums[d.by_parameter[e].row] += by_parameter[e];
    }
    if (sums[0] != 0) term.by_value.emplace_back(u, sums[0]);
    if (sums[1] != 0) term.by_noise.emplace_back(u, sums[1]);
  }
  terms.push_back(std::move(term));
}

std::string Collector::take(int index, double time, ExperimentPoint& point, double* weights) {
  const FitProblem& problem = part_->problem();
  const Measurement& m = problem.measurements[static_cast<std::size_t>(index)];
  const ProblemObservable& o = problem.observables[static_cast<std::size_t>(m.observable)];
  const Differentiated& d = part_->observable(m.observable);
  const std::size_t columns = local_gradient_.size();
  // Placeholders stand among the parameters.
  const std::vector<int>& slots = part_->placeholders()[static_cast<std::size_t>(m.observable)];
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto at = static_cast<std::size_t>(slots[i]);
    const PlaceholderValue& value = m.placeholders[i];
    const int source = value.parameter >= 0
                           ? part_->problem_parameter()[static_cast<std::size_t>(value.parameter)]
                           : -1;
    point.parameters[at] =
        source >= 0 ? point.parameters[static_cast<std::size_t>(source)] : value.number;
    for (std::size_t k = 0; k < columns; ++k)
      point.by_unknown[at * columns + k] =
          source >= 0 ? point.by_unknown[static_cast<std::size_t>(source) * columns + k] : 0;
  }
  result_.resize(derivatives ? d.result_size() : d.size);
  double* arrays[4] = {&time, point.states.data(), point.parameters.data(), result_.data()};
  (derivatives ? d.all : d.values)(arrays);
  const double h = result_[0], noise = result_[1];
  predictions[static_cast<std::size_t>(m.row >= 0 ? m.row : index)] = {h, noise};
  const LikelihoodTerm term = likelihood_term(o.transformation, o.noise_kind, m.value, h, noise);
  if (!std::isfinite(term.llh)) {
    const std::string when = " at time " + format_number(time);
    if (!std::isfinite(h)) return "observable '" + o.id + "' has no finite value" + when;
    if (!(noise > 0))
      return "the noise of observable '" + o.id + "' is " + format_number(noise) + when;
    return "observable '" + o.id + "' is " + format_number(h) + when +
           ", but its logarithm is compared";
  }
  llh += term.llh;
  chi2 += term.residual * term.residual;
  log_noise += std::log(noise);
  if (o.transformation != Transformation::none)
    log_noise +=
        std::log(m.value * (o.transformation == Transformation::log10 ? std::numbers::ln10 : 1.0));
  if (residuals_wanted) residuals.push_back(term.residual);
  if (outputs) note_term(m, o, time, point);
  if (!derivatives) return {};
  dh_.assign(columns, 0.0);
  ds_.assign(columns, 0.0);
  // Without the states' derivatives a row of no moving columns is asked for.
  const std::size_t moving = weights ? 0 : experiment_->moving;
  add_row(d, result_, 0, point, columns, moving, dh_.data());
  add_row(d, result_, 1, point, columns, moving, ds_.data());
  for (double& x : dh_) x *= term.slope;
  for (std::size_t k = 0; k < columns; ++k)
    if (!std::isfinite(dh_[k]) || !std::isfinite(ds_[k]))
      return "the derivative of observable '" + o.id + "' is not finite at time " +
             format_number(time);
  const double by_h = unknown_noise ? -term.residual / noise : term.by_prediction;
  const double by_s = unknown_noise ? 0 : term.by_noise;
  const double info_h = unknown_noise ? 1 / (noise * noise) : term.prediction_information;
  const double info_s = unknown_noise ? 0 : term.noise_information;
  if (weights)
    for (std::size_t e = 0; e < d.by_state.size(); ++e)
      weights[d.by_state[e].column] -=
          (d.by_state[e].row == 0 ? by_h * term.slope : by_s) * result_[d.size + e];
  for (std::size_t k = 0; k < columns; ++k) {
    local_gradient_[k] -= by_h * dh_[k] + by_s * ds_[k];
    if (!fisher_wanted) continue;
    const double a = info_h * dh_[k], b = info_s * ds_[k];
    if (a == 0 && b == 0) continue;
    double* row = local_fisher_.data() + k * columns;
    for (std::size_t l = 0; l < columns; ++l) row[l] += a * dh_[l] + b * ds_[l];
  }
  if (residuals_wanted && fisher_wanted) {
    jacobian.resize(jacobian.size() + unknowns_, 0.0);
    double* row = jacobian.data() + jacobian.size() - unknowns_;
    for (std::size_t k = 0; k < columns; ++k)
      row[static_cast<std::size_t>(experiment_->columns[k])] = dh_[k] / noise;
  }
  return {};
}

void ProblemObjective::Inside::add_unknowns() {
  for (std::size_t i = 0; i < problem.parameters.size(); ++i) {
    const ProblemParameter& p = problem.parameters[i];
    if (!p.estimated) continue;
    unknown.push_back(static_cast<int>(i));
    Unknown u;
    u.id = p.id;
    u.scale = p.scale;
    u.lower = to_theta(p.lower, p.scale);
    u.upper = to_theta(p.upper, p.scale);
    u.start = to_theta(p.nominal, p.scale);
    // Zero has no logarithm: a fit starts at the lower bound.
    if (p.scale != Scale::lin && p.nominal == 0) u.start = u.lower;
    unknowns.push_back(u);
  }
}

bool ProblemObjective::Inside::noise_is_fixed(const CompiledPart& part) const {
  const FitProblem& own = part.problem();
  std::vector<char> reached(part.values().size(), 0);
  for (const CompiledExperiment& e : part.experiments())
    for (const CompiledPeriod& period : e.periods)
      for (const CompiledAssignment& a : period.assignments)
        if (a.parameter >= 0 && (a.source >= 0 || a.expression >= 0))
          reached[static_cast<std::size_t>(a.parameter)] = 1;
  for (int target : part.default_target()) reached[static_cast<std::size_t>(target)] = 1;
  for (int parameter : part.unknown_parameter())
    if (parameter >= 0) reached[static_cast<std::size_t>(parameter)] = 1;
  for (const Measurement& m : own.measurements) {
    const auto& slots = part.placeholders()[static_cast<std::size_t>(m.observable)];
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (m.placeholders[i].parameter >= 0 &&
          problem.parameters[static_cast<std::size_t>(m.placeholders[i].parameter)].estimated)
        reached[static_cast<std::size_t>(slots[i])] = 1;
  }
  for (std::size_t o = 0; o < own.observables.size(); ++o) {
    if (own.observables[o].noise_kind != NoiseKind::normal) return false;
    const Differentiated& d = part.observable(static_cast<int>(o));
    for (const auto& entry : d.by_state)
      if (entry.row == 1) return false;
    for (const auto& entry : d.by_parameter)
      if (entry.row == 1 && reached[static_cast<std::size_t>(entry.column)]) return false;
  }
  return true;
}

void ProblemObjective::Inside::classify() {
  for (auto& part : parts) least_squares &= noise_is_fixed(*part);
  for (std::size_t u = 0; u < unknown.size(); ++u) {
    const ProblemParameter& p = problem.parameters[static_cast<std::size_t>(unknown[u])];
    if (is_quadratic(p.prior, p.scale))
      normal_priors.push_back(static_cast<int>(u));
    else if (p.prior.kind != PriorKind::none && p.prior.kind != PriorKind::uniform)
      least_squares = false;
  }
}

// Forward: per step and unknown a solve and a product with J for each of the eight stages, several
// unknowns in vector lanes, once for all that share it. Adjoint: the trajectory once more, its LU
// again, and the transposed products with J and df/dp, one lane.
bool ProblemObjective::Inside::wants_adjoint(const CompiledPart& part,
                                             const CompiledExperiment& experiment) const {
  if (options.gradient == GradientMethod::forward || !ExperimentRun::adjoint_serves(experiment))
    return false;
  if (options.gradient == GradientMethod::adjoint) return true;
  const double lanes = part.program().isa == Isa::avx512 ? 8 : 4;
  const auto entries = static_cast<double>(part.program().pattern.nonzeros());
  const double solve = 2 * static_cast<double>(part.integration().linear->fill()) + 2 * entries;
  const double sharing = options.share_courses ? experiment.sharing : 1;
  const double forward = static_cast<double>(experiment.moving) / lanes * 8 * solve / sharing;
  const auto slopes = static_cast<double>(part.steady().rates().by_parameter.size());
  const double adjoint =
      part.integration().linear->flops() + 8 * (2 * solve + 3 * entries + 3 * slopes);
  return forward > 2 * adjoint;
}

std::unique_ptr<ProblemObjective::Inside::Workspace> ProblemObjective::Inside::take() const {
  {
    std::lock_guard lock(mutex);
    if (!idle.empty()) {
      auto workspace = std::move(idle.back());
      idle.pop_back();
      return workspace;
    }
  }
  auto workspace = std::make_unique<Workspace>();
  workspace->courses.resize(parts.size());
  for (auto& part : parts) {
    workspace->simulators.push_back(
        std::make_unique<Simulator>(part->integration(), options.integration));
    const SensitivityProblem* derived = part->sensitivity();
    workspace->sensitivities.push_back(!derived            ? nullptr
                                       : options.simulator ? options.simulator(*derived)
                                                           : make_sensitivity_simulator(*derived));
  }
  return workspace;
}

void ProblemObjective::Inside::give(std::unique_ptr<Workspace> workspace) const {
  std::lock_guard lock(mutex);
  idle.push_back(std::move(workspace));
}

// States of a fit may differ by twenty orders of magnitude, all of them measured: first no state is
// taken for another's rounding. Where that cannot be integrated, the usual share is.
std::string ProblemObjective::Inside::run(std::span<const double> theta, bool derivatives,
                                          Collector& collector) const {
  Collector fresh = collector;
  IntegrationOptions integration = options.integration;
  const double usual = integration.rounding_share;
  integration.rounding_share = 1e-6 * usual;
  std::string failure = run_with(integration, theta, derivatives, collector);
  const bool stopped = integration.interrupt && *integration.interrupt;
  if (failure.empty() || stopped) return failure;
  collector = std::move(fresh);
  integration.rounding_share = usual;
  return run_with(integration, theta, derivatives, collector);
}

std::string ProblemObjective::Inside::run_with(const IntegrationOptions& integration,
                                               std::span<const double> theta, bool derivatives,
                                               Collector& collector) const {
  std::vector<double> values, slopes;
  for (std::size_t u = 0; u < unknown.size(); ++u) {
    values.push_back(from_theta(theta[u], unknowns[u].scale));
    slopes.push_back(theta_slope(values[u], unknowns[u].scale));
    if (!std::isfinite(values[u])) return "parameter '" + unknowns[u].id + "' has no finite value";
  }
  collector.derivatives = derivatives;
  auto workspace = take();
  std::string failure;
  for (std::size_t k = 0; k < parts.size() && failure.empty(); ++k) {
    if (derivatives && !parts[k]->sensitivity()) {
      failure = parts[k]->no_sensitivity();
      break;
    }
    workspace->simulators[k]->options() = integration;
    Equilibria equilibria;
    for (auto& [number, course] : workspace->courses[k]) course.known = false;
    for (const CompiledExperiment& experiment : parts[k]->experiments()) {
      collector.begin(*parts[k], experiment);
      const bool adjoint =
          derivatives && !collector.fisher_wanted && wants_adjoint(*parts[k], experiment);
      auto attempt = [&](const IntegrationOptions& with, bool backwards) {
        ExperimentRun run(*parts[k], experiment, with,
                          {*workspace->simulators[k], workspace->sensitivities[k].get(),
                           options.sensitivity_error_control, workspace->trajectory,
                           options.share_courses ? &workspace->courses[k] : nullptr},
                          derivatives, backwards);
        failure = run.run(values, slopes, equilibria, collector);
        return !run.inaccurate();
      };
      if (!adjoint) {
        attempt(integration, false);
      } else {
        const Collector before = collector;
        IntegrationOptions tight = integration;
        tight.rtol = std::max(1e-2 * tight.rtol, std::min(tight.rtol, 1e-13));
        if (!attempt(integration, true)) {
          collector = before;
          if (attempt(tight, true) && failure.empty()) {
            ++tightened;
          } else {
            collector = before;
            ++went_forward;
            attempt(integration, false);
          }
        }
      }
      if (!failure.empty()) break;
      collector.finish();
    }
  }
  give(std::move(workspace));
  return failure;
}

ProblemObjective::ProblemObjective(FitProblem problem, ObjectiveOptions options)
    : inside_(std::make_unique<Inside>()) {
  Inside& in = *inside_;
  in.problem = std::move(problem);
  in.options = std::move(options);
  in.unknown_noise = in.problem.unknown_noise;
  in.add_unknowns();
  auto add = [&](const FitProblem& part) {
    in.parts.push_back(std::make_unique<CompiledPart>(part, in.unknown, in.options.derivatives));
    in.measurements += part.measurements.size();
  };
  if (in.problem.parts.empty()) add(in.problem);
  for (const FitProblem& part : in.problem.parts) add(part);
  in.classify();
}

ProblemObjective::~ProblemObjective() = default;

const FitProblem& ProblemObjective::problem() const { return inside_->problem; }
const std::vector<Unknown>& ProblemObjective::unknowns() const { return inside_->unknowns; }
int ProblemObjective::data_count() const { return static_cast<int>(inside_->measurements); }
bool ProblemObjective::least_squares() const { return inside_->least_squares; }
bool ProblemObjective::unknown_noise() const { return inside_->unknown_noise; }

int ProblemObjective::experiment_count() const {
  std::size_t count = 0;
  for (auto& part : inside_->parts) count += part->experiments().size();
  return static_cast<int>(count);
}
int ProblemObjective::adjoint_count() const {
  int count = 0;
  for (auto& part : inside_->parts)
    for (const CompiledExperiment& e : part->experiments())
      count += inside_->wants_adjoint(*part, e) ? 1 : 0;
  return count;
}

AdjointRetreats ProblemObjective::adjoint_retreats() const {
  return {inside_->tightened, inside_->went_forward};
}

std::vector<double> ProblemObjective::nominal() const {
  std::vector<double> theta;
  for (int index : inside_->unknown) {
    const ProblemParameter& p = inside_->problem.parameters[static_cast<std::size_t>(index)];
    theta.push_back(to_theta(p.nominal, p.scale));
  }
  return theta;
}

double ProblemObjective::log_prior(std::span<const double> theta) const {
  const Inside& in = *inside_;
  double sum = 0;
  for (std::size_t u = 0; u < in.unknown.size(); ++u) {
    const ProblemParameter& p = in.problem.parameters[static_cast<std::size_t>(in.unknown[u])];
    sum += prior_density(p.prior, from_theta(theta[u], p.scale), p.scale).log_density;
  }
  return sum;
}

Evaluation ProblemObjective::evaluate(std::span<const double> theta, Need need) const {
  const Inside& in = *inside_;
  const std::size_t count = in.unknown.size();
  const bool derivatives = need != Need::value;
  Collector collector(count, in.measurements);
  collector.fisher_wanted = need == Need::fisher;
  collector.residuals_wanted = in.least_squares;
  collector.unknown_noise = in.unknown_noise;
  collector.gradient.assign(derivatives ? count : 0, 0.0);
  collector.fisher.assign(collector.fisher_wanted ? count * count : 0, 0.0);
  Evaluation e;
  e.failure = in.run(theta, derivatives, collector);
  if (!e.ok()) {
    e.value = e.llh = e.chi2 = not_set;
    return e;
  }
  e.chi2 = collector.chi2;
  e.llh = collector.llh;
  e.value = -e.llh;
  if (in.unknown_noise) {
    const auto n = static_cast<double>(in.measurements);
    e.value = 0.5 * e.chi2;
    e.llh = -collector.log_noise - 0.5 * n * (std::log(2 * std::numbers::pi * e.chi2 / n) + 1);
  }
  e.gradient = std::move(collector.gradient);
  e.fisher = std::move(collector.fisher);
  e.residuals = std::move(collector.residuals);
  e.jacobian = std::move(collector.jacobian);
  for (std::size_t u = 0; u < count; ++u) {
    const ProblemParameter& p = in.problem.parameters[static_cast<std::size_t>(in.unknown[u])];
    if (p.prior.kind == PriorKind::none) continue;
    const PriorValue prior = prior_density(p.prior, from_theta(theta[u], p.scale), p.scale);
    e.value -= prior.log_density;
    if (derivatives) e.gradient[u] -= prior.slope;
    if (need == Need::fisher) e.fisher[u * count + u] += prior.curvature;
    if (in.least_squares && is_quadratic(p.prior, p.scale)) {
      e.residuals.push_back((theta[u] - p.prior.a) / p.prior.b);
      if (need == Need::fisher) {
        e.jacobian.resize(e.jacobian.size() + count, 0.0);
        e.jacobian[e.jacobian.size() - count + u] = 1 / p.prior.b;
      }
    }
    if (!std::isfinite(e.value)) {
      e.failure = "parameter '" + p.id + "' is outside of its prior's range";
      e.value = not_set;
      return e;
    }
  }
  if (!std::isfinite(e.value)) {
    e.failure = "the objective is not finite";
    e.value = not_set;
  }
  return e;
}

std::vector<int> ProblemObjective::output_unknowns() const {
  const Inside& in = *inside_;
  std::vector<char> elsewhere(in.unknown.size(), 0);
  for (auto& part : in.parts) {
    std::vector<char> used(part->values().size(), 0);
    for (int parameter : part->dynamic()) used[static_cast<std::size_t>(parameter)] = 1;
    for (const auto& entry : part->defaults().by_parameter)
      used[static_cast<std::size_t>(entry.column)] = 1;
    for (const auto& entry : part->sizes().by_parameter)
      used[static_cast<std::size_t>(entry.column)] = 1;
    for (const CompiledExperiment& e : part->experiments())
      for (const CompiledPeriod& period : e.periods) {
        for (const auto& entry : period.expressions.by_parameter)
          used[static_cast<std::size_t>(entry.column)] = 1;
        for (const CompiledAssignment& a : period.assignments)
          if (a.source >= 0) used[static_cast<std::size_t>(a.source)] = 1;
      }
    for (std::size_t u = 0; u < in.unknown.size(); ++u)
      if (const int parameter = part->unknown_parameter()[u]; parameter >= 0)
        elsewhere[u] |= used[static_cast<std::size_t>(parameter)];
  }
  std::vector<int> result;
  for (std::size_t u = 0; u < elsewhere.size(); ++u)
    if (!elsewhere[u]) result.push_back(static_cast<int>(u));
  return result;
}

std::vector<OutputTerm> ProblemObjective::output_terms(std::span<const double> theta,
                                                       std::string& failure) const {
  const Inside& in = *inside_;
  const std::vector<int> outputs = output_unknowns();
  Collector collector(in.unknown.size(), in.measurements);
  collector.outputs = &outputs;
  failure = in.run(theta, false, collector);
  if (!failure.empty()) return {};
  return std::move(collector.terms);
}

std::vector<Prediction> ProblemObjective::predict(std::span<const double> theta,
                                                  std::string& failure) const {
  const Inside& in = *inside_;
  Collector collector(in.unknown.size(), in.measurements);
  failure = in.run(theta, false, collector);
  if (!failure.empty()) return {};
  return std::move(collector.predictions);
}

}  // namespace stiffit
