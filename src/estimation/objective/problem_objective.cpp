// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/problem_objective.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "base/diagnostic.h"
#include "base/interrupt.h"
#include "estimation/objective/prior_density.h"
#include "estimation/objective/problem_objective_impl.h"
#include "estimation/optimizers/difference_evaluation.h"
#include "ode/method_registry.h"

namespace stiffit::internal {

IntegrationOptions ObjectiveOptions::default_integration() {
  IntegrationOptions o;
  o.method = method_name(MethodRole::stiff);
  o.rtol = 1e-8;
  o.max_steps = 100000;
  return o;
}

namespace {

constexpr const char* interrupted = "interrupted";

bool is_quadratic(const Prior& prior, Scale scale) {
  return prior.kind == PriorKind::normal && (prior.on_scale || scale == Scale::lin);
}

}  // namespace

std::vector<EstimatedParameter> unknowns_of(const FitProblem& problem) {
  std::vector<EstimatedParameter> unknowns;
  for (const ProblemParameter& p : problem.parameters) {
    if (!p.estimated) continue;
    EstimatedParameter u;
    u.id = p.id;
    u.scale = p.scale;
    u.lower = to_theta(p.lower, p.scale);
    u.upper = to_theta(p.upper, p.scale);
    u.start = to_theta(p.nominal, p.scale);
    // Zero has no logarithm: a fit starts at the lower bound.
    if (p.scale != Scale::lin && p.nominal == 0) u.start = u.lower;
    unknowns.push_back(u);
  }
  return unknowns;
}

void ProblemObjective::Impl::add_unknowns() {
  unknowns = unknowns_of(problem);
  for (std::size_t i = 0; i < problem.parameters.size(); ++i)
    if (problem.parameters[i].estimated) unknown.push_back(static_cast<int>(i));
}

bool ProblemObjective::Impl::noise_is_fixed(const CompiledSubmodel& part) const {
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

// Parameters that noise formulas know and no prediction does: nuisances of the fit.
void ProblemObjective::Impl::find_noise_unknowns(const std::vector<char>& elsewhere) {
  std::vector<char> in_value(unknown.size(), 0), in_noise(unknown.size(), 0);
  for (auto& part : parts) {
    // By the model's parameters, a placeholder among them standing for what measurements give.
    const FitProblem& own = part->problem();
    std::vector<int> owner(part->values().size(), -1);
    for (std::size_t u = 0; u < unknown.size(); ++u)
      if (const int column = part->unknown_parameter()[u]; column >= 0)
        owner[column] = static_cast<int>(u);
    auto note = [&](int column, int row) {
      if (column >= 0 && owner[column] >= 0) (row == 0 ? in_value : in_noise)[owner[column]] = 1;
    };
    std::vector<std::map<std::size_t, std::set<int>>> behind(own.observables.size());
    for (const Measurement& m : own.measurements)
      for (std::size_t i = 0; i < m.placeholders.size(); ++i)
        if (m.placeholders[i].parameter >= 0)
          behind[m.observable][i].insert(part->problem_parameter()[m.placeholders[i].parameter]);
    for (std::size_t o = 0; o < own.observables.size(); ++o)
      for (const auto& entry : part->observable(static_cast<int>(o)).by_parameter) {
        note(entry.column, entry.row);
        for (auto& [slot, columns] : behind[o])
          if (part->placeholders()[o][slot] == entry.column)
            for (int column : columns) note(column, entry.row);
      }
  }
  for (std::size_t u = 0; u < unknown.size(); ++u)
    unknowns[u].noise = in_noise[u] && !in_value[u] && !elsewhere[u];
}

void ProblemObjective::Impl::classify() {
  for (auto& part : parts) {
    least_squares &= noise_is_fixed(*part);
    for (const Measurement& m : part->problem().measurements)
      limits += m.censoring != Censoring::none;
  }
  least_squares &= limits == 0;
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
bool ProblemObjective::Impl::wants_adjoint(const CompiledSubmodel& part,
                                           const CompiledExperiment& experiment) const {
  if (options.gradient == GradientMethod::forward || !ExperimentRun::adjoint_serves(experiment))
    return false;
  if (options.gradient == GradientMethod::adjoint) return true;
  if (!find_method(options.integration.method)->adjoint) return false;
  const double lanes = part.program().isa == Isa::avx512 ? 8 : 4;
  const auto entries = static_cast<double>(part.program().pattern.nonzeros());
  const double solve = 2 * static_cast<double>(part.integration().linear->fill()) + 2 * entries;
  const double sharing = options.share_courses ? experiment.sharing : 1;
  const double forward = static_cast<double>(experiment.active) / lanes * 8 * solve / sharing;
  const auto slopes = static_cast<double>(part.steady().rates().by_parameter.size());
  const double adjoint =
      part.integration().linear->flops() + 8 * (2 * solve + 3 * entries + 3 * slopes);
  return forward > 2 * adjoint;
}

std::unique_ptr<ProblemObjective::Impl::Workspace> ProblemObjective::Impl::take() const {
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

void ProblemObjective::Impl::give(std::unique_ptr<Workspace> workspace) const {
  std::lock_guard lock(mutex);
  idle.push_back(std::move(workspace));
}

std::string ProblemObjective::Impl::run(std::span<const double> theta, bool derivatives,
                                        LikelihoodAccumulator& accumulator) const {
  return run_with(options.integration, theta, derivatives, accumulator);
}

std::string ProblemObjective::Impl::run_with(const IntegrationOptions& integration,
                                             std::span<const double> theta, bool derivatives,
                                             LikelihoodAccumulator& accumulator) const {
  std::vector<double> values, slopes;
  for (std::size_t u = 0; u < unknown.size(); ++u) {
    values.push_back(from_theta(theta[u], unknowns[u].scale));
    slopes.push_back(theta_slope(values[u], unknowns[u].scale));
    if (!std::isfinite(values[u])) return "parameter '" + unknowns[u].id + "' has no finite value";
  }
  accumulator.derivatives = derivatives;
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
      accumulator.begin(*parts[k], experiment);
      const bool adjoint =
          derivatives && !accumulator.fisher_wanted && wants_adjoint(*parts[k], experiment);
      auto attempt = [&](const IntegrationOptions& with, RunDerivatives wanted) {
        ExperimentRun run(*parts[k], experiment, with,
                          {.states = *workspace->simulators[k],
                           .sensitivities = workspace->sensitivities[k].get(),
                           .error_control = options.sensitivity_error_control,
                           .trajectory = workspace->trajectory,
                           .courses = options.share_courses ? &workspace->courses[k] : nullptr},
                          wanted);
        failure = run.run(values, slopes, equilibria, accumulator);
        return !run.inaccurate();
      };
      if (!adjoint) {
        attempt(integration, derivatives ? RunDerivatives::forward : RunDerivatives::none);
      } else {
        const LikelihoodAccumulator before = accumulator;
        IntegrationOptions tight = integration;
        tight.rtol = std::max(1e-2 * tight.rtol, std::min(tight.rtol, 1e-13));
        if (!attempt(integration, RunDerivatives::adjoint)) {
          accumulator = before;
          if (attempt(tight, RunDerivatives::adjoint) && failure.empty()) {
            ++tightened;
          } else {
            accumulator = before;
            ++went_forward;
            attempt(integration, RunDerivatives::forward);
          }
        }
      }
      if (!failure.empty()) break;
      accumulator.finish();
    }
  }
  give(std::move(workspace));
  return failure;
}

ProblemObjective::ProblemObjective(FitProblem problem, ObjectiveOptions options)
    : impl_(std::make_unique<Impl>()) {
  Impl& in = *impl_;
  in.problem = std::move(problem);
  in.options = std::move(options);
  in.unknown_noise = in.problem.unknown_noise;
  in.add_unknowns();
  auto add = [&](const FitProblem& part) {
    in.parts.push_back(
        std::make_unique<CompiledSubmodel>(part, in.unknown, in.options.derivatives));
    in.measurements += part.measurements.size();
    if (const std::string why = refusal(in.parts.back()->integration(), in.options.integration);
        !why.empty())
      throw InputError("error: " + why + "\n");
  };
  if (in.problem.parts.empty()) add(in.problem);
  for (const FitProblem& part : in.problem.parts) add(part);
  in.classify();
  in.find_noise_unknowns(in.used_elsewhere());
}

ProblemObjective::~ProblemObjective() = default;

const FitProblem& ProblemObjective::problem() const { return impl_->problem; }
const std::vector<EstimatedParameter>& ProblemObjective::unknowns() const {
  return impl_->unknowns;
}
int ProblemObjective::data_count() const { return static_cast<int>(impl_->measurements); }
int ProblemObjective::limit_count() const { return impl_->limits; }
bool ProblemObjective::least_squares() const { return impl_->least_squares; }
bool ProblemObjective::unknown_noise() const { return impl_->unknown_noise; }

int ProblemObjective::experiment_count() const {
  std::size_t count = 0;
  for (auto& part : impl_->parts) count += part->experiments().size();
  return static_cast<int>(count);
}
int ProblemObjective::course_count() const {
  int count = 0;
  for (auto& part : impl_->parts) count += part->courses();
  return count;
}
int ProblemObjective::adjoint_count() const {
  int count = 0;
  for (auto& part : impl_->parts)
    for (const CompiledExperiment& e : part->experiments())
      count += impl_->wants_adjoint(*part, e) ? 1 : 0;
  return count;
}

AdjointRetreats ProblemObjective::adjoint_retreats() const {
  return {impl_->tightened, impl_->went_forward};
}

std::vector<double> ProblemObjective::nominal() const {
  std::vector<double> theta;
  for (int index : impl_->unknown) {
    const ProblemParameter& p = impl_->problem.parameters[static_cast<std::size_t>(index)];
    theta.push_back(to_theta(p.nominal, p.scale));
  }
  return theta;
}

double ProblemObjective::log_prior(std::span<const double> theta) const {
  const Impl& in = *impl_;
  double sum = 0;
  for (std::size_t u = 0; u < in.unknown.size(); ++u) {
    const ProblemParameter& p = in.problem.parameters[static_cast<std::size_t>(in.unknown[u])];
    sum += prior_density(p.prior, from_theta(theta[u], p.scale), p.scale).log_density;
  }
  return sum;
}

std::string ProblemObjective::no_derivatives() const {
  for (const auto& part : impl_->parts)
    if (!part->sensitivity()) return part->no_sensitivity();
  return {};
}

Evaluation ProblemObjective::evaluate(std::span<const double> theta, Need need) const {
  if (need != Need::value && !no_derivatives().empty())
    return evaluate_by_differences(*this, theta, need);
  return impl_->evaluate(theta, need, nullptr);
}

Evaluation ProblemObjective::evaluate(std::span<const double> theta, Need need,
                                      const DataDraw& draw) const {
  return impl_->evaluate(theta, need, &draw);
}

Evaluation ProblemObjective::Impl::evaluate(std::span<const double> theta, Need need,
                                            const DataDraw* draw) const {
  LikelihoodAccumulator accumulator = accumulator_for(need);
  accumulator.draw = draw;
  std::string failure;
  if (!unless_interrupted([&] {
        failure =
            need == Need::value ? run_values(theta, accumulator) : run(theta, true, accumulator);
      }))
    failure = interrupted;
  return finish(std::move(accumulator), std::move(failure), theta, need);
}

LikelihoodAccumulator ProblemObjective::Impl::accumulator_for(Need need) const {
  const std::size_t count = unknown.size();
  LikelihoodAccumulator accumulator(count, measurements);
  accumulator.fisher_wanted = need == Need::fisher;
  accumulator.residuals_wanted = least_squares;
  accumulator.unknown_noise = unknown_noise;
  accumulator.gradient.assign(need != Need::value ? count : 0, 0.0);
  accumulator.fisher.assign(accumulator.fisher_wanted ? count * count : 0, 0.0);
  return accumulator;
}

Evaluation ProblemObjective::Impl::finish(LikelihoodAccumulator accumulator, std::string failure,
                                          std::span<const double> theta, Need need) const {
  const std::size_t count = unknown.size();
  const bool derivatives = need != Need::value;
  Evaluation e;
  e.failure = std::move(failure);
  if (!e.ok()) {
    e.value = e.llh = e.chi2 = not_set;
    return e;
  }
  e.chi2 = accumulator.chi2;
  e.llh = accumulator.llh;
  e.value = -e.llh;
  if (unknown_noise) {
    const auto n = static_cast<double>(measurements);
    e.value = 0.5 * e.chi2;
    e.llh = -accumulator.log_noise - 0.5 * n * (std::log(2 * std::numbers::pi * e.chi2 / n) + 1);
  }
  e.gradient = std::move(accumulator.gradient);
  e.fisher = std::move(accumulator.fisher);
  e.residuals = std::move(accumulator.residuals);
  e.jacobian = std::move(accumulator.jacobian);
  for (std::size_t u = 0; u < count; ++u) {
    const ProblemParameter& p = problem.parameters[static_cast<std::size_t>(unknown[u])];
    if (p.prior.kind == PriorKind::none) continue;
    const PriorValue prior = prior_density(p.prior, from_theta(theta[u], p.scale), p.scale);
    e.value -= prior.log_density;
    if (derivatives) e.gradient[u] -= prior.slope;
    if (need == Need::fisher) e.fisher[u * count + u] += prior.curvature;
    if (least_squares && is_quadratic(p.prior, p.scale)) {
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

std::vector<char> ProblemObjective::Impl::used_elsewhere() const {
  std::vector<char> elsewhere(unknown.size(), 0);
  for (auto& part : parts) {
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
    for (std::size_t u = 0; u < unknown.size(); ++u)
      if (const int parameter = part->unknown_parameter()[u]; parameter >= 0)
        elsewhere[u] |= used[static_cast<std::size_t>(parameter)];
  }
  return elsewhere;
}

std::vector<int> ProblemObjective::output_unknowns() const {
  const std::vector<char> elsewhere = impl_->used_elsewhere();
  std::vector<int> result;
  for (std::size_t u = 0; u < elsewhere.size(); ++u)
    if (!elsewhere[u]) result.push_back(static_cast<int>(u));
  return result;
}

std::vector<OutputTerm> ProblemObjective::output_terms(std::span<const double> theta,
                                                       std::string& failure) const {
  const Impl& in = *impl_;
  const std::vector<int> outputs = output_unknowns();
  LikelihoodAccumulator accumulator(in.unknown.size(), in.measurements);
  accumulator.outputs = &outputs;
  if (!unless_interrupted([&] { failure = in.run_values(theta, accumulator); }))
    failure = interrupted;
  if (!failure.empty()) return {};
  return std::move(accumulator.terms);
}

std::vector<std::vector<OutputTerm>> ProblemObjective::output_terms_many(
    std::span<const std::vector<double>> thetas, int threads,
    std::vector<std::string>& failures) const {
  const Impl& in = *impl_;
  const std::vector<int> outputs = output_unknowns();
  LikelihoodAccumulator accumulator(in.unknown.size(), in.measurements);
  accumulator.outputs = &outputs;
  std::vector<LikelihoodAccumulator> accumulators(thetas.size(), accumulator);
  if (!unless_interrupted([&] { failures = in.run_many(thetas, accumulators, threads); }))
    failures.assign(thetas.size(), interrupted);
  std::vector<std::vector<OutputTerm>> result(thetas.size());
  for (std::size_t k = 0; k < thetas.size(); ++k)
    if (failures[k].empty()) result[k] = std::move(accumulators[k].terms);
  return result;
}

std::vector<Evaluation> ProblemObjective::values(std::span<const std::vector<double>> thetas,
                                                 int threads) const {
  std::vector<LikelihoodAccumulator> accumulators(thetas.size(),
                                                  impl_->accumulator_for(Need::value));
  std::vector<std::string> failures;
  if (!unless_interrupted([&] { failures = impl_->run_many(thetas, accumulators, threads); }))
    failures.assign(thetas.size(), interrupted);
  std::vector<Evaluation> result;
  for (std::size_t k = 0; k < thetas.size(); ++k)
    result.push_back(
        impl_->finish(std::move(accumulators[k]), std::move(failures[k]), thetas[k], Need::value));
  return result;
}

std::vector<std::vector<Prediction>> ProblemObjective::predict_many(
    std::span<const std::vector<double>> thetas, int threads,
    std::vector<std::string>& failures) const {
  const Impl& in = *impl_;
  std::vector<LikelihoodAccumulator> accumulators(
      thetas.size(), LikelihoodAccumulator(in.unknown.size(), in.measurements));
  failures = in.run_many(thetas, accumulators, threads);
  std::vector<std::vector<Prediction>> result(thetas.size());
  for (std::size_t k = 0; k < thetas.size(); ++k)
    if (failures[k].empty()) result[k] = std::move(accumulators[k].predictions);
  return result;
}

std::vector<Prediction> ProblemObjective::predict(std::span<const double> theta,
                                                  std::string& failure) const {
  const Impl& in = *impl_;
  LikelihoodAccumulator accumulator(in.unknown.size(), in.measurements);
  failure = in.run_values(theta, accumulator);
  if (!failure.empty()) return {};
  return std::move(accumulator.predictions);
}

double ProblemObjective::reckoned_seconds(std::span<const double> theta) const {
  // Measured over the library and published problems (within a factor of 3).
  constexpr double of_a_number = 2e-8, of_a_measurement = 5e-7;
  LikelihoodAccumulator taken = impl_->accumulator_for(Need::fisher);
  std::string failure;
  if (!unless_interrupted([&] { failure = impl_->run(theta, true, taken); }) || !failure.empty())
    return not_set;
  return of_a_number * taken.work + of_a_measurement * static_cast<double>(impl_->measurements);
}

ResidualDerivatives ProblemObjective::residual_derivatives(std::span<const double> theta,
                                                           std::string& failure) const {
  LikelihoodAccumulator taken = impl_->accumulator_for(Need::fisher);
  taken.residuals_wanted = taken.places_wanted = true;
  if (!unless_interrupted([&] { failure = impl_->run(theta, true, taken); })) failure = interrupted;
  ResidualDerivatives result;
  if (!failure.empty()) return result;
  const std::size_t n = impl_->unknown.size();
  result.predictions = std::move(taken.predictions);
  result.residual.resize(impl_->measurements);
  result.jacobian.resize(impl_->measurements * n);
  result.noise_unknowns.resize(impl_->measurements);
  for (std::size_t k = 0; k < taken.residual_rows.size(); ++k) {
    const std::size_t row = taken.residual_rows[k];
    result.residual[row] = taken.residuals[k];
    std::copy_n(taken.jacobian.begin() + k * n, n, result.jacobian.begin() + row * n);
    result.noise_unknowns[row] = std::move(taken.noise_unknowns[k]);
  }
  return result;
}

}  // namespace stiffit::internal
