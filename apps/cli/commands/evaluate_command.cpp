// `stiffit evaluate`: the objective of a fitting problem at one point.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <optional>
#include <ostream>

#include "base/files/output_file.h"
#include "base/files/read_file.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/problem_option.h"
#include "cli/run_inputs.h"
#include "cli/run_options.h"
#include "cli/table_option.h"
#include "estimation/objective/gradient_methods.h"
#include "estimation/objective/parameter_point.h"
#include "estimation/objective/problem_objective.h"
#include "report/gradient_check_report.h"
#include "report/json.h"
#include "report/provenance.h"
#include "report/tables/result_table.h"
#include "report/tables/simulation_table.h"
#include "report/text_table.h"

namespace stiffit {
namespace {

CommandSpec spec() {
  CommandSpec s;
  s.name = "evaluate";
  s.arguments = "PROBLEM";
  s.summary = "likelihood and gradient of a fitting problem at one point";
  s.fewest = s.most = 1;
  s.options = problem_options();
  for (OptionSpec& o : std::vector<OptionSpec>{
           {"at", "POINT", "nominal, perturbed, a table of values, or name=value,...", 0, false},
           {"gradient", "", "the gradient of the objective, on the estimation scale", 0, false},
           {"hessian", "", "the Fisher information, on the estimation scale", 0, false},
           {"simulations", "FILE.tsv", "what the model says about each measurement", 0, false},
           provenance_option(),
           {"check", "", "forward and adjoint gradient against differences", 0, false},
           {"sample", "N", "of --check: only so many unknowns, chosen by --seed", 0, false},
           {"difference-rtol", "R", "of --check: 1e-11, or --rtol if smaller", 0, false},
           {"sensitivities", "METHOD", "automatic, forward or adjoint, for the gradient", 0, false},
           integrator_option(),
           {"rtol", "R", "relative tolerance (default 1e-8)", 0, false},
           {"atol", "A", "absolute tolerance (default: scaled for each species)", 0, false},
           max_step_option(),
           {"max-steps", "N", "of one integration (default 100000)", 0, false},
       })
    s.options.push_back(std::move(o));
  s.options = with_general_options(std::move(s.options));
  s.notes =
      "llh is the log-likelihood without priors; objective is minus the log-likelihood minus the\n"
      "logarithm of the priors, which is what a fit minimises. Values of --at are values, not\n"
      "logarithms. A gradient that moves with the tolerance is integrated again with a smaller "
      "one,\n"
      "unless --rtol is given. Exit code 3 if an experiment cannot be simulated.";
  s.examples = {
      {"stiffit evaluate problem.yaml", "at the nominal values"},
      {"stiffit evaluate problem.yaml --at k1=0.5,k2=3 --gradient --json", "elsewhere"},
      {"stiffit evaluate problem.yaml --check", "is the gradient right?"},
      {"stiffit evaluate escep --data curve.csv --estimate k1,k2", "a model and a table"}};
  return s;
}

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Report {
  Evaluation evaluation;
  std::optional<CheckedGradient> check;
  double load = 0, compile = 0, seconds = 0;
  double rtol = 0;  // of the gradient
  bool gradient = false, hessian = false;
};

std::string as_json(const ProblemObjective& objective, const Report& r,
                    const Provenance& provenance) {
  JsonWriter json;
  const Evaluation& e = r.evaluation;
  const std::vector<Unknown>& unknowns = objective.unknowns();
  json.begin_object().member("llh", e.llh).member("chi2", e.chi2).member("objective", e.value);
  json.member("n_data", objective.data_count());
  if (!e.ok()) json.member("failure", e.failure);
  if (r.gradient && e.ok()) {
    json.key("gradient").begin_object();
    for (std::size_t u = 0; u < unknowns.size(); ++u) json.member(unknowns[u].id, e.gradient[u]);
    json.end_object();
    json.member("gradient_rtol", r.rtol);
  }
  if (r.hessian && e.ok()) {
    json.key("hessian").begin_array();
    for (std::size_t u = 0; u < unknowns.size(); ++u) {
      json.begin_array();
      for (std::size_t v = 0; v < unknowns.size(); ++v)
        json.value(e.fisher[u * unknowns.size() + v]);
      json.end_array();
    }
    json.end_array();
  }
  if (r.check) add_json(*r.check, unknowns, json);
  json.member("seconds", r.seconds).member("load_seconds", r.load);
  json.member("compile_seconds", r.compile);
  write_provenance(json, provenance);
  return json.end_object().text();
}

std::string as_text(const ProblemObjective& objective, const Report& r) {
  const Evaluation& e = r.evaluation;
  const std::vector<Unknown>& unknowns = objective.unknowns();
  std::string text = text_table({}, {{"llh", format_number(e.llh)},
                                     {"chi2", format_number(e.chi2)},
                                     {"objective", format_number(e.value)},
                                     {"n_data", std::to_string(objective.data_count())},
                                     {"seconds", format_number(r.seconds)}});
  std::vector<std::vector<std::string>> rows;
  if (r.gradient && !r.check)
    for (std::size_t u = 0; u < unknowns.size(); ++u)
      rows.push_back({unknowns[u].id, scale_name(unknowns[u].scale), format_number(e.gradient[u])});
  if (!rows.empty()) text += "\n" + text_table({"parameter", "scale", "gradient"}, rows);
  if (r.check) text += "\n" + as_text(*r.check, unknowns);
  if (r.hessian) {
    text += "\nFisher information\n";
    for (std::size_t u = 0; u < unknowns.size(); ++u) {
      text += unknowns[u].id;
      for (std::size_t v = 0; v < unknowns.size(); ++v)
        text += "\t" + format_number(e.fisher[u * unknowns.size() + v]);
      text += "\n";
    }
  }
  return text;
}

std::string percent(double share) {
  return std::isfinite(share) ? format_short(100 * share, 2) + " %" : "an unknown share";
}

// Whoever asks for a tolerance gets what it gives.
void settle(const ProblemObjective& objective, const ObjectiveOptions& options,
            const std::vector<double>& theta, const Console& console, Report& report) {
  const Need need = report.hessian ? Need::fisher : Need::gradient;
  SettledGradient gradient =
      settle_gradient(objective, options, theta, need, std::move(report.evaluation));
  if (gradient.rtol < options.integration.rtol)
    console.messages << "note: at rtol " << format_short(options.integration.rtol, 3)
                     << " entries of the gradient are off by up to "
                     << percent(gradient.first_error) << "; it was integrated with rtol "
                     << format_short(gradient.rtol, 3) << "\n";
  if (!gradient.settled())
    console.messages
        << "warning: the gradient still moves with the tolerance; entries may be off by "
        << percent(gradient.error) << "\n";
  report.evaluation = std::move(gradient.evaluation);
  report.rtol = gradient.rtol;
}

int run(const Arguments& arguments, const Console& console) {
  Report report;
  const bool check = arguments.has("check");
  report.gradient = arguments.has("gradient") || check;
  report.hessian = arguments.has("hessian");
  if (arguments.has("simulations")) require_writable(arguments.text("simulations"));
  check_provenance_option(arguments, "simulations");
  ObjectiveOptions options;
  options.derivatives = report.gradient || report.hessian;
  options.integration.method = integrator_of(arguments, options.integration.method);
  options.integration.rtol = arguments.positive("rtol", options.integration.rtol);
  options.integration.atol = arguments.positive("atol", options.integration.atol);
  options.integration.max_steps = arguments.count("max-steps", options.integration.max_steps);
  options.integration.max_step = max_step_of(arguments);
  options.integration.interrupt = console.interrupt;

  const std::string gradient = arguments.text("sensitivities", "automatic");
  if (gradient == "forward")
    options.gradient = GradientMethod::forward;
  else if (gradient == "adjoint")
    options.gradient = GradientMethod::adjoint;
  else if (gradient != "automatic")
    throw UsageError("--sensitivities is automatic, forward or adjoint, not '" + gradient + "'");

  if ((options.gradient == GradientMethod::adjoint || arguments.has("check")) &&
      !named_method(options.integration.method).adjoint)
    throw UsageError("method '" + options.integration.method + "' has no adjoint",
                     methods_listed([](const MethodEntry& m) { return m.adjoint; }) + " has");

  auto began = Clock::now();
  FitProblem problem = load_problem(arguments, console);
  report.load = since(began);
  began = Clock::now();
  ProblemObjective objective(std::move(problem), options);
  const std::vector<double> theta =
      parameter_point(objective, arguments.text("at", "nominal"),
                      static_cast<unsigned long long>(arguments.number("seed", 1)), read_file);
  report.compile = since(began);
  began = Clock::now();
  report.evaluation = objective.evaluate(theta, report.hessian    ? Need::fisher
                                                : report.gradient ? Need::gradient
                                                                  : Need::value);
  report.seconds = since(began);
  report.rtol = options.integration.rtol;
  if (report.gradient && report.evaluation.ok() && !arguments.has("rtol") && !check)
    settle(objective, options, theta, console, report);
  if (const long forward = objective.adjoint_retreats().forward; forward > 0)
    console.messages << "note: the adjoint of " << forward
                     << " experiments is not accurate enough by its own estimate; they went "
                        "forward\n";
  if (report.evaluation.ok() && arguments.has("simulations")) {
    std::string failure;
    const std::vector<Prediction> predictions = objective.predict(theta, failure);
    if (failure.empty())
      deliver_table(arguments, run_provenance("evaluate", arguments),
                    simulation_table(objective.problem(), predictions), "simulations");
  }
  if (report.evaluation.ok() && check) {
    CheckOptions how;
    how.difference_rtol = arguments.positive("difference-rtol", 0);
    how.sample = static_cast<std::size_t>(arguments.count("sample", 0));
    how.seed = static_cast<unsigned long long>(arguments.number("seed", 1));
    report.check = check_methods(objective, options, theta, how);
  }
  if (arguments.has("json"))
    deliver(as_json(objective, report, run_provenance("evaluate", arguments)), console);
  else if (report.evaluation.ok())
    deliver(as_text(objective, report), console);
  if (!report.evaluation.ok()) {
    console.messages << "error: " << report.evaluation.failure << "\n";
    return exit_numerics_failed;
  }
  if (report.check && !report.check->passed()) {
    console.messages << complaint(*report.check);
    return exit_numerics_failed;
  }
  return exit_done;
}

}  // namespace

Command evaluate_command() { return {spec(), run}; }

}  // namespace stiffit
