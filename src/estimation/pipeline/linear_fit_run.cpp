// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/linear_fit_run.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>

#include "base/number.h"
#include "estimation/direct/column_solve.h"
#include "estimation/direct/linear_statistics.h"
#include "estimation/direct/memory_simulation.h"
#include "estimation/direct/simulated_correction.h"

namespace stiffit::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Linear fits know no scales and no bounds.
FitProblem plain(FitProblem problem, bool not_negative) {
  for (ProblemParameter& p : problem.parameters) {
    if (!p.estimated) continue;
    p.scale = Scale::lin;
    p.lower = not_negative ? 0 : -std::numeric_limits<double>::infinity();
    p.upper = std::numeric_limits<double>::infinity();
  }
  return problem;
}

// K5: z' = J z + sum of gamma_j f_j, z(t0) = 0, at the measurements: the sensitivities times the
// errors of the estimates.
std::string trajectory_table(const ProblemObjective& objective, const LocalFit& fit,
                             const MatrixXd& covariance) {
  const FitProblem& problem = objective.problem();
  const std::size_t count = problem.measurements.size(), n = fit.x.size();
  std::string failure;
  const std::vector<Prediction> predicted = objective.predict(fit.x, failure);
  if (!failure.empty() || fit.at.jacobian.size() != count * n) return "";
  // Residuals come experiment by experiment, in the order of time.
  std::vector<std::size_t> order;
  for (std::size_t e = 0; e < problem.experiments.size(); ++e) {
    const std::size_t first = order.size();
    for (std::size_t m = 0; m < count; ++m)
      if (problem.measurements[m].experiment == static_cast<int>(e)) order.push_back(m);
    std::stable_sort(order.begin() + first, order.end(), [&](std::size_t a, std::size_t b) {
      return problem.measurements[a].time < problem.measurements[b].time;
    });
  }
  std::string text = "experimentId\tobservableId\ttime\tmeasurement\tsimulation\terror\n";
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Measurement& m = problem.measurements[order[k]];
    const Prediction& p = predicted[m.row];
    const ProblemObservable& o = problem.observables[m.observable];
    if (o.transformation != Transformation::none) return "";
    if (std::abs(fit.at.residuals[k] * p.noise - (p.value - m.value)) >
        1e-6 * (std::abs(p.value) + std::abs(m.value) + p.noise))
      return "";
    const VectorXd row = VectorXd::Map(&fit.at.jacobian[k * n], n) * p.noise;
    const double error = std::sqrt(std::max(row.dot(covariance * row), 0.0));
    text += problem.experiments[m.experiment].id + "\t" + o.id + "\t" + format_number(m.time) +
            "\t" + format_number(m.value) + "\t" + format_number(p.value) + "\t" +
            format_number(error) + "\n";
  }
  return text;
}

// Where the unknowns of a linear fit stand among those of the objective, which are the estimated
// parameters as the problem has them.
struct Places {
  std::vector<int> at;
  std::vector<std::string> names;
};

// Estimates, and start values of what takes no part in the fit.
std::vector<double> estimates(const FitProblem& problem, const LinearFit& fit,
                              const VectorXd& values, Places& places) {
  std::vector<int> place(problem.parameters.size(), -1);
  std::vector<double> x;
  for (std::size_t p = 0; p < problem.parameters.size(); ++p) {
    const ProblemParameter& parameter = problem.parameters[p];
    if (!parameter.estimated) continue;
    place[p] = static_cast<int>(x.size());
    x.push_back(std::isnan(parameter.nominal) ? 1 : parameter.nominal);
  }
  for (std::size_t u = 0; u < fit.unknowns().size(); ++u) {
    const int p = fit.unknowns()[u];
    places.at.push_back(place[p]);
    places.names.push_back(problem.parameters[p].id);
    x[place[p]] = values(u);
  }
  return x;
}

// No gradient and no information, for `n` unknowns.
void without_derivatives(Evaluation& e, std::size_t n) {
  e.gradient.assign(n, std::numeric_limits<double>::quiet_NaN());
  e.fisher.assign(n * n, 0);
}

// The model at the estimates. One with delays has no sensitivities, but it can be simulated: then
// `objective` becomes one without derivatives.
Evaluation evaluate_at(const std::vector<double>& x, const ObjectiveOptions& integration,
                       std::shared_ptr<const ProblemObjective>& objective) {
  Evaluation at = objective->evaluate(x, Need::fisher);
  if (at.ok()) return at;
  ObjectiveOptions values = integration;
  values.derivatives = false;
  auto simple = std::make_shared<const ProblemObjective>(objective->problem(), values);
  Evaluation without = simple->evaluate(x, Need::value);
  if (!without.ok()) return at;
  objective = std::move(simple);
  without_derivatives(without, x.size());
  return without;
}

LocalFit solved(std::vector<double> x, Evaluation at) {
  LocalFit local;
  local.x = std::move(x);
  local.start = local.x;
  local.at = std::move(at);
  local.start_value = local.at.value;
  local.outcome = FitOutcome::converged;
  local.message = "solved by linear least squares along the data";
  local.values = local.gradients = 1;
  if (!local.at.ok()) {
    local.failures = 1;
    local.last_failure = local.at.failure;
    local.at = Evaluation();
    local.at.value = local.at.llh = local.at.chi2 = std::numeric_limits<double>::quiet_NaN();
    without_derivatives(local.at, local.x.size());
  }
  return local;
}

using Predict = std::function<std::vector<Prediction>(std::span<const double>, std::string&)>;

// The measurements at the answer, in the problem's order.
SimulateData simulation_of(const FitProblem& problem, const std::vector<double>& x,
                           const std::vector<int>& at, const Predict& predict) {
  return [&problem, x, at, predict](const VectorXd& values) {
    std::vector<double> theta = x;
    for (std::size_t u = 0; u < at.size(); ++u) theta[at[u]] = values(u);
    std::string failure;
    const std::vector<Prediction> predicted = predict(theta, failure);
    std::vector<double> data;
    if (!failure.empty()) return data;
    for (std::size_t m = 0; m < problem.measurements.size(); ++m) {
      const int row = problem.measurements[m].row;
      data.push_back(predicted[row >= 0 ? row : m].value);
      if (!std::isfinite(data.back())) return std::vector<double>();
    }
    return data;
  };
}

SimulatedSource source_of(const FitProblem& problem, SimulateData simulate) {
  SimulatedSource source{{}, {}, std::move(simulate)};
  for (const Measurement& m : problem.measurements) {
    source.data.push_back(m.value);
    source.observable.push_back(m.observable);
  }
  return source;
}

// Puts the corrected answer into the result.
void take_over(const SimulatedCorrection& c, LinearFitResult& r) {
  r.values = c.values;
  r.errors = c.noise;
  if (c.draws.cols() > 1) r.covariance = c.covariance;
  r.by_measurement = c.by_estimate * r.by_measurement;
  r.by_datum = c.by_estimate * r.by_datum;
  r.bound = r.by_datum.cwiseAbs() * r.sd;
}

// The nearest answer without negative values, in the metric of its errors.
void keep_from_below_zero(LinearFitResult& r) {
  if (r.values.minCoeff() >= 0) return;
  const Index n = r.values.size();
  const MatrixXd weight = information_of(r);
  const ColumnSolution nearest = solve_not_negative(weight, weight * r.values);
  r.at_zero.clear();
  for (Index i = 0; i < n; ++i) {
    r.values(i) = std::max(nearest.c(i), 0.0);
    if (r.values(i) == 0) r.at_zero.push_back(static_cast<int>(i));
  }
}

// "k1 -0.018, k2 +0.0004".
std::string changes_words(const std::vector<std::string>& names, const VectorXd& change,
                          const MatrixXd& covariance) {
  std::string words;
  for (std::size_t u = 0; u < names.size(); ++u) {
    const double c = change(u);
    const double sd = std::sqrt(std::max(covariance(u, u), 0.0));
    words += (words.empty() ? "" : ", ") + names[u] + (c < 0 ? " -" : " +") +
             format_short(std::abs(c), 2);
    if (sd > 0) words += " (" + format_short(std::abs(c) / sd, 2) + " standard errors)";
  }
  return words;
}

// What a finer rule makes of the same data tells how far off the trapezoidal one is.
VectorXd discretisation_error(const FitProblem& problem, const LinearFitOptions& options,
                              const VectorXd& values) {
  if (options.curve != Curve::linear) return VectorXd::Zero(values.size());
  LinearFitOptions finer = options;
  finer.curve = Curve::cubic;
  return (LinearFit(problem, finer).solve({}, false).values - values).cwiseAbs();
}

// Holds the answer against the data that it is meant to describe.
void judge_answer(FitStatistics& s, const ProblemObjective& objective, const LocalFit& local,
                  const LinearFitResult& result, const std::vector<int>& at, std::uint64_t seed,
                  const std::string& failure) {
  if (!failure.empty()) {
    s.adequacy.accepted = false;
    s.adequacy.p_value = 0;
    s.adequacy.words =
        "with these values the model does not describe these data: it cannot be integrated (" +
        failure + ")";
    withhold_verdicts(s);
    return;
  }
  const std::size_t count = objective.problem().measurements.size();
  MatrixXd followed = MatrixXd::Zero(local.x.size(), count);
  for (std::size_t m = 0; m < count; ++m) {
    const int row = objective.problem().measurements[m].row;
    for (std::size_t u = 0; u < at.size(); ++u)
      followed(at[u], row >= 0 ? row : static_cast<int>(m)) = result.by_measurement(u, m);
  }
  s.adequacy = assess_adequacy(objective, local, s, seed, &followed);
  if (!s.adequacy.accepted) withhold_verdicts(s);
}

// Of all unknowns of the objective; nothing is known of those that the fit leaves out.
MatrixXd full_covariance(const MatrixXd& of_fit, const std::vector<int>& at, std::size_t n) {
  MatrixXd covariance = MatrixXd::Zero(n, n);
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t j = 0; j < at.size(); ++j) covariance(at[i], at[j]) = of_fit(i, j);
  return covariance;
}

}  // namespace

LinearRun run_linear_fit(const FitProblem& problem, const std::string& name,
                         const LinearFitOptions& options, const ObjectiveOptions& integration,
                         std::uint64_t seed) {
  LinearFitOptions free = options;
  if (options.simulate) free.not_negative = false;  // the corrected answer is kept from it
  const LinearFit fit(problem, free);
  LinearFitResult result = fit.solve();
  const VectorXd as_estimated = result.values;

  LinearRun run;
  run.objective =
      std::make_shared<const ProblemObjective>(plain(problem, options.not_negative), integration);
  FitSummary& summary = run.summary;
  summary.problem = name;
  summary.method = method_name(options.method);
  summary.unknowns = run.objective->unknowns();
  summary.seed = seed;
  summary.starts_asked = 1;
  summary.searched = false;

  Places places;
  std::vector<double> x = estimates(problem, fit, result.values, places);
  LinearAnswer answer{places.at, {}, VectorXd::Zero(result.values.size()), nullptr};
  for (int p : fit.unknowns())
    answer.not_negative.push_back(problem.parameters[p].lower >= 0 || options.not_negative);
  std::unique_ptr<MemorySimulation> memory;
  if (!options.memories.empty())
    memory = std::make_unique<MemorySimulation>(plain(problem, options.not_negative),
                                                options.memories, integration);
  const Predict predict = [&](std::span<const double> theta, std::string& why) {
    return memory ? memory->predict(theta, why) : run.objective->predict(theta, why);
  };
  SimulatedCorrection correction;
  if (options.simulate) {
    correction = correct_by_simulation(
        fit, result, source_of(problem, simulation_of(problem, x, places.at, predict)), seed);
    if (correction.failed.empty()) {
      take_over(correction, result);
      answer.simulated = &correction;
      summary.messages.push_back(
          "taken off, as simulations on the same grid with the same noise show it: " +
          changes_words(places.names, as_estimated - result.values, result.covariance));
      if (!correction.settled)
        summary.messages.push_back(
            "no answer was found whose simulations are estimated exactly as these data are: the "
            "correction is not complete");
    } else {
      summary.messages.push_back("the bias of the grid and the noise was not corrected: " +
                                 correction.failed);
    }
    if (options.not_negative) keep_from_below_zero(result);
  }
  if (!answer.simulated)
    answer.discretisation = discretisation_error(problem, options, as_estimated);
  for (std::size_t u = 0; u < places.at.size(); ++u) x[places.at[u]] = result.values(u);

  std::string failure;
  if (memory) {
    // The memory is an input from here on; what moves it is not in the model's derivatives.
    memory->predict(x, failure);
    ObjectiveOptions values = integration;
    values.derivatives = false;
    if (failure.empty())
      run.objective = std::make_shared<const ProblemObjective>(memory->with_memories(), values);
  }
  Evaluation at = evaluate_at(x, integration, run.objective);
  if (!failure.empty()) at.failure = failure;
  failure = at.failure;
  LocalFit local = solved(std::move(x), std::move(at));
  if (failure.empty())
    run.trajectory_tsv =
        trajectory_table(*run.objective, local,
                         full_covariance(result.covariance, places.at, summary.unknowns.size()));
  summary.statistics = linear_statistics(summary.unknowns, local, result, answer);
  judge_answer(summary.statistics, *run.objective, local, result, places.at, seed, failure);

  StartResult start;
  start.given = true;
  start.fit = std::move(local);
  start.values = start.gradients = 1;
  start.descents = 1;
  summary.starts.push_back(std::move(start));
  summary.order = {0};
  summary.minimum = {-1};
  for (int p : fit.left_out())
    summary.messages.push_back(problem.parameters[p].id +
                               " takes no part in a linear fit and stays at its start");
  for (const std::string& note : result.notes) summary.messages.push_back(note);
  if (!summary.statistics.adequacy.accepted)
    summary.messages.push_back("--start-from " + summary.method + " searches on from these values");
  const int draws = static_cast<int>(correction.draws.cols());
  summary.linear = std::make_shared<const LinearDetails>(
      LinearDetails{std::move(result), options, places.names, answer.discretisation, as_estimated,
                    answer.simulated != nullptr, draws});
  return run;
}

void add_side_by_side(FitSummary& summary, const FitProblem& problem,
                      const LinearFitOptions& options) {
  std::vector<std::string> names;
  std::vector<VectorXd> found;
  for (LinearMethod method : {LinearMethod::integral, LinearMethod::derivative}) {
    LinearFitOptions own = options;
    own.method = method;
    const LinearFit fit(problem, own);
    found.push_back(fit.solve({}, false).values);
    names.clear();
    for (int p : fit.unknowns()) names.push_back(problem.parameters[p].id);
  }
  found.push_back((found[0] + found[1]) / 2);
  constexpr const char* titles[3] = {"integral", "derivative", "mean"};
  for (std::size_t k = 0; k < found.size(); ++k) {
    std::string line = std::string(titles[k]) + ":";
    for (std::size_t u = 0; u < names.size(); ++u)
      line += (u ? ", " : " ") + names[u] + " = " + format_short(found[k](u), 6);
    summary.messages.push_back(std::move(line));
  }
  summary.combined = std::make_shared<const LinearSideBySide>(
      LinearSideBySide{names, found[0], found[1], found[2]});
}

}  // namespace stiffit::internal
