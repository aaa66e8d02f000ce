// `stiffit evaluate`: the objective of a fitting problem at one point.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <ostream>

#include "base/files/output_file.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/field_options.h"
#include "cli/problem_option.h"
#include "cli/run_inputs.h"
#include "cli/table_option.h"
#include "report/gradient_check_report.h"
#include "report/json.h"
#include "report/provenance.h"
#include "report/text_table.h"

namespace stiffit::internal {
namespace {

CommandSpec evaluate_spec() {
  CommandSpec s;
  s.name = "evaluate";
  s.arguments = "PROBLEM";
  s.summary = "likelihood and gradient of a fitting problem at one point";
  s.fewest = s.most = 1;
  std::vector<OptionSpec> own = option_specs<api::EvaluateOptions>();
  insert_after(own, "hessian",
               {{"simulations", "FILE.tsv", "what the model says about each measurement", 0, false},
                provenance_option()});
  s.options = problem_options();
  s.options.insert(s.options.end(), own.begin(), own.end());
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
  api::PointEvaluation run;
  double load = 0;
  bool gradient = false, hessian = false;
};

std::string as_json(const Report& r, const Provenance& provenance) {
  JsonWriter json;
  const api::Evaluation& e = r.run.evaluation;
  const std::vector<api::EstimatedParameter>& unknowns = r.run.unknowns;
  json.begin_object().member("llh", e.llh).member("chi2", e.chi2).member("objective", e.value);
  json.member("n_data", r.run.n_data);
  if (!e.ok()) json.member("failure", e.failure);
  if (r.gradient && e.ok()) {
    json.key("gradient").begin_object();
    for (std::size_t u = 0; u < unknowns.size(); ++u) json.member(unknowns[u].id, e.gradient[u]);
    json.end_object();
    json.member("gradient_rtol", r.run.rtol);
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
  if (r.run.check) add_json(*r.run.check, json);
  json.member("seconds", r.run.seconds).member("load_seconds", r.load);
  json.member("compile_seconds", r.run.compile_seconds);
  write_provenance(json, provenance);
  return json.end_object().text();
}

std::string as_text(const Report& r) {
  const api::Evaluation& e = r.run.evaluation;
  const std::vector<api::EstimatedParameter>& unknowns = r.run.unknowns;
  std::string text = text_table({}, {{"llh", format_number(e.llh)},
                                     {"chi2", format_number(e.chi2)},
                                     {"objective", format_number(e.value)},
                                     {"n_data", std::to_string(r.run.n_data)},
                                     {"seconds", format_number(r.run.seconds)}});
  std::vector<std::vector<std::string>> rows;
  if (r.gradient && !r.run.check)
    for (std::size_t u = 0; u < unknowns.size(); ++u)
      rows.push_back({unknowns[u].id, unknowns[u].scale, format_number(e.gradient[u])});
  if (!rows.empty()) text += "\n" + text_table({"parameter", "scale", "gradient"}, rows);
  if (r.run.check) text += "\n" + gradient_check_text(*r.run.check);
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

int run_evaluate_command(const Arguments& arguments, const Console& console) {
  auto options = read_options<api::EvaluateOptions>(arguments);
  options.objective.interrupt = console.interrupt;
  options.settle = !arguments.has("rtol");  // whoever asks for a tolerance gets what it gives
  options.simulations = arguments.has("simulations");
  if (options.simulations) require_writable(arguments.text("simulations"));
  check_provenance_option(arguments, "simulations");

  Report report;
  report.gradient = options.gradient || options.check;
  report.hessian = options.hessian;
  const auto began = Clock::now();
  const api::Problem problem = load_problem(arguments, console);
  report.load = since(began);
  report.run = problem.evaluate(options);
  const api::PointEvaluation& run = report.run;
  for (const std::string& message : run.messages) console.messages << message << "\n";
  if (!run.simulations.empty())
    deliver_table(arguments, run_provenance("evaluate", arguments), run.simulations, "simulations");
  if (arguments.has("json"))
    deliver(as_json(report, run_provenance("evaluate", arguments)), console);
  else if (run.evaluation.ok())
    deliver(as_text(report), console);
  if (!run.evaluation.ok()) {
    console.messages << "error: " << run.evaluation.failure << "\n";
    return exit_numerics_failed;
  }
  if (run.check && !run.check->passed()) {
    console.messages << complaint(*run.check);
    return exit_numerics_failed;
  }
  return exit_done;
}

}  // namespace

Command evaluate_command() { return {evaluate_spec(), run_evaluate_command}; }

}  // namespace stiffit::internal
