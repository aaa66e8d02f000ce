// `stiffit check`: every finding about a model or a PEtab problem, all at once.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>

#include "io/petab/read_petab.h"
#include "report/json.h"
#include "symbolic/resolve_run.h"
#include "symbolic/system.h"
#include "workbench/check_problem.h"
#include "workbench/check_start.h"
#include "workbench/check_units.h"
#include "workbench/commands.h"
#include "workbench/load_model.h"

namespace stiffit {
namespace {

CommandSpec spec() {
  CommandSpec s;
  s.name = "check";
  s.arguments = "FILE";
  s.summary = "validates a model or a PEtab problem, all findings at once";
  s.fewest = s.most = 1;
  s.options = with_general_options({});
  s.notes =
      "Checks what 'simulate' would refuse as well: what cannot be simulated yet, and values that\n"
      "are not finite at the start. Units that do not agree are warnings; what has no unit fits\n"
      "everywhere. The exit code is 1 if there is an error; warnings leave it 0.";
  s.examples = {{"stiffit check my.rxn", "findings with line, column and caret"},
                {"stiffit check my.rxn --json", "the same for an editor"},
                {"stiffit check problem.yaml", "a PEtab problem with all its tables"}};
  return s;
}

// A finding about the equations, which arrives rendered: its text with its first line apart.
struct LateError {
  std::string message, text;
};

std::vector<LateError> check_equations(const ReadModel& read, Diagnostics& start_findings) {
  try {
    ResolvedSystem resolved = resolve_run(read.model);
    check_start(*read.model, resolved, start_findings);
  } catch (const InputError& error) {
    std::string text = error.what();
    std::string first = text.substr(0, text.find('\n'));
    if (first.starts_with("error: ")) first.erase(0, 7);
    return {{first, text}};
  }
  return {};
}

void write_findings(JsonWriter& json, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.items()) {
    json.begin_object().member("severity", d.severity == Severity::error ? "error" : "warning");
    json.member("message", d.message).member("hint", d.hint);
    if (!d.span.empty()) {
      json.member("file", diagnostics.source().name_at(d.span.begin));
      LineColumn at = diagnostics.source().locate(d.span.begin);
      json.member("line", at.line).member("column", at.column);
    }
    json.member("text", render(d, diagnostics.source())).end_object();
  }
}

int run(const Arguments& arguments, const Console& console) {
  const std::string& name = arguments.positional().front();
  if (is_petab_name(name)) return check_petab_problem(name, arguments, console);
  ReadModel read = read_model(name);
  Diagnostics start(read.diagnostics.shared_source());
  std::vector<LateError> late;
  if (read.model) {
    check_units(*read.model, start);
    late = check_equations(read, start);
  }

  auto count = [&](Severity severity) {
    auto in = [&](const Diagnostics& d) {
      return std::count_if(d.items().begin(), d.items().end(),
                           [&](const Diagnostic& x) { return x.severity == severity; });
    };
    return in(read.diagnostics) + in(start);
  };
  auto errors = count(Severity::error) + static_cast<std::ptrdiff_t>(late.size());
  auto warnings = count(Severity::warning);
  if (arguments.has("json")) {
    JsonWriter json;
    json.begin_object().member("file", name).member("errors", errors);
    json.member("warnings", warnings).key("findings").begin_array();
    write_findings(json, read.diagnostics);
    write_findings(json, start);
    for (const LateError& e : late)
      json.begin_object()
          .member("severity", "error")
          .member("message", e.message)
          .member("text", e.text)
          .end_object();
    deliver(json.end_array().end_object().text(), console);
  } else {
    std::string text = render(read.diagnostics) + render(start);
    for (const LateError& e : late) text += e.text;
    // Findings are what was asked for, so they go to stdout; a script still sees the exit code.
    deliver(text + name + ": " + std::to_string(errors) + " errors, " + std::to_string(warnings) +
                " warnings\n",
            console);
  }
  return errors ? exit_bad_input : exit_done;
}

}  // namespace

Command check_command() { return {spec(), run}; }

}  // namespace stiffit
