// `stiffit steady`: where a model comes to rest, and whether it stays there.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <ostream>

#include "base/number.h"
#include "report/json.h"
#include "report/provenance.h"
#include "report/text_table.h"
#include "steady/steady_state.h"
#include "workbench/check_start.h"
#include "workbench/commands.h"
#include "workbench/load_model.h"
#include "workbench/model_settings.h"
#include "workbench/run_inputs.h"

namespace stiffit {
namespace {

CommandSpec spec() {
  CommandSpec s;
  s.name = "steady";
  s.arguments = "MODEL";
  s.summary = "steady state of a model, its eigenvalues and stability";
  s.fewest = s.most = 1;
  s.options = with_general_options({
      {"set", "name=value", "a parameter, compartment or initial value; may be repeated", 0, true},
      {"rtol", "R", "relative tolerance of the time course (default 1e-8)", 0, false},
      {"atol", "A", "absolute tolerance (default: scaled for each species)", 0, false},
      {"max-steps", "N", "of the time course, before it gives up (default 50000)", 0, false},
  });
  s.notes =
      "The time course from the initial values is followed until Newton's method, which keeps the\n"
      "conserved sums, finds the state it leads to. If it never comes to rest, Newton alone looks\n"
      "for a steady state near by, which is then unstable. Exit code 3 if there is none.";
  s.examples = {{"stiffit steady lotka-volterra", "where predator and prey balance"},
                {"stiffit steady escep --set S=2 --json", "another start, one JSON document"}};
  return s;
}

struct Answer {
  SteadyState steady;
  std::string course;  // why the time course is no way there; empty: it is
  std::vector<std::complex<double>> eigenvalues;
  std::vector<double> rates;
};

// Eigenvalues that are zero but for rounding say nothing.
const char* stability(const std::vector<std::complex<double>>& values) {
  double largest = 0, top = -INFINITY;
  for (auto& v : values) {
    largest = std::max(largest, std::abs(v));
    top = std::max(top, v.real());
  }
  if (values.empty() || std::fabs(top) <= 1e-12 * largest) return "neutral";
  return top < 0 ? "stable" : "unstable";
}

const char* word_for(SteadyStatus status) {
  switch (status) {
    case SteadyStatus::found:
      return "found";
    case SteadyStatus::time_dependent:
      return "time-dependent";
    case SteadyStatus::grows:
      return "grows";
    case SteadyStatus::oscillates:
      return "oscillates";
    case SteadyStatus::unsettled:
      return "unsettled";
    case SteadyStatus::failed:
      return "failed";
    case SteadyStatus::interrupted:
      return "interrupted";
  }
  return "unknown";
}

Answer solve(const SteadyProblem& problem, const SteadyOptions& options) {
  Request request;
  request.start = problem.program().start_time;
  Answer answer;
  answer.steady = find_steady_state(problem, request, options);
  SteadyState& s = answer.steady;
  if (!s.found() && s.status != SteadyStatus::interrupted) {
    answer.course = s.detail;
    newton_steady_state(problem, s);
  }
  if (s.found()) answer.eigenvalues = steady_eigenvalues(problem, s);
  return answer;
}

std::string how(const Answer& a) {
  if (!a.steady.stable_route) return "Newton's method alone";
  std::string course = "time course to " + format_number(a.steady.time);
  if (a.steady.time == 0) return "the initial values rest";
  return a.steady.newton ? course + ", then Newton's method" : course;
}

std::string as_json(const SteadyProblem& problem, const Answer& a, const Provenance& provenance) {
  JsonWriter json;
  json.begin_object().member("status", word_for(a.steady.status));
  json.member("message", a.steady.found() ? a.course : a.steady.detail);
  if (a.steady.found()) {
    json.key("state").begin_object();
    for (std::size_t i = 0; i < a.steady.state.size(); ++i)
      json.member(problem.program().state_names[i], a.steady.state[i]);
    json.end_object().member("residual", a.steady.residual);
    json.member("stability", stability(a.eigenvalues)).key("eigenvalues").begin_array();
    for (auto& v : a.eigenvalues) json.begin_array().value(v.real()).value(v.imag()).end_array();
    json.end_array().member("method", how(a));
    json.member("reached_by_time_course", a.steady.stable_route);
  }
  json.member("time", a.steady.time).member("steps", a.steady.counters.steps);
  write_provenance(json, provenance);
  return json.end_object().text();
}

std::string as_text(const SteadyProblem& problem, const System& system, const Answer& a) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < a.steady.state.size(); ++i) {
    const SystemState& state = system.states[i];
    const char* what = state.ref.kind != SymbolKind::species ? ""
                       : state.is_amount                     ? "amount"
                                                             : "concentration";
    rows.push_back({problem.program().state_names[i], format_number(a.steady.state[i]), what});
  }
  std::string text = text_table({}, rows) + "\n";
  std::vector<std::vector<std::string>> facts{
      {"residual", format_number(a.steady.residual) + " (largest |x'|/|x|)"},
      {"found by", how(a)},
      {"stability", stability(a.eigenvalues)}};
  constexpr std::size_t most_shown = 20;
  for (std::size_t i = 0; i < a.eigenvalues.size() && i < most_shown; ++i) {
    const auto v = a.eigenvalues[i];
    std::string value = format_number(v.real());
    if (v.imag() != 0)
      value += (v.imag() < 0 ? " - " : " + ") + format_number(std::fabs(v.imag())) + "i";
    facts.push_back({i == 0 ? "eigenvalues" : "", value});
  }
  if (a.eigenvalues.size() > most_shown)
    facts.push_back({"", "... " + std::to_string(a.eigenvalues.size()) + " in all"});
  return text + text_table({}, facts);
}

int run(const Arguments& arguments, const Console& console) {
  SteadyOptions options;
  options.integration.rtol = arguments.positive("rtol", 1e-8);
  options.integration.atol = arguments.positive("atol", options.integration.atol);
  options.integration.interrupt = console.interrupt;
  options.max_steps = arguments.count("max-steps", options.max_steps);
  LoadedModel loaded = load_model(arguments.positional().front());
  console.messages << loaded.warnings;
  auto model = with_settings(loaded.model, arguments.all("set"));
  ResolvedSystem resolved = resolve(model);
  require_sound_start(*model, resolved.system);
  SteadyProblem problem(resolved.system, make_problem(compile(resolved.system, {})));
  const Answer answer = solve(problem, options);

  if (arguments.has("json"))
    deliver(as_json(problem, answer, run_provenance("steady", arguments)), console);
  else if (answer.steady.found())
    deliver(as_text(problem, resolved.system, answer), console);
  if (!answer.steady.found()) {
    console.messages << "error: no steady state was found: " << answer.steady.detail << "\n";
    return exit_numerics_failed;
  }
  if (!answer.course.empty())
    console.messages << "warning: the time course does not come to rest here: " << answer.course
                     << "\n";
  return exit_done;
}

}  // namespace

Command steady_command() { return {spec(), run}; }

}  // namespace stiffit
