// `stiffit check`: every finding about a model or a PEtab problem, all at once.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <ostream>

#include "cli/commands.h"
#include "cli/console_run.h"
#include "report/json.h"
#include "stiffit/problem.h"

namespace stiffit::internal {
namespace {

CommandSpec check_spec() {
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

// A PEtab problem names the file of every finding, a model where it has a place.
void write_finding(JsonWriter& json, const api::Finding& f, bool of_problem) {
  json.begin_object().member("severity", f.severity);
  if (f.of_equations) {
    if (!of_problem) json.member("message", f.message);
  } else {
    if (of_problem) json.member("file", f.file);
    json.member("message", f.message).member("hint", f.hint);
    if (!of_problem && f.line > 0) json.member("file", f.file);
    if (f.line > 0) json.member("line", f.line).member("column", f.column);
  }
  json.member("text", f.text).end_object();
}

int run_check_command(const Arguments& arguments, const Console& console) {
  const std::string& name = arguments.positional().front();
  const bool of_problem = api::is_petab(name);
  const api::CheckedInput checked = api::check_input(name, reading(console));
  const auto errors = std::count_if(checked.findings.begin(), checked.findings.end(),
                                    [](const api::Finding& f) { return f.severity == "error"; });
  const auto warnings = std::ssize(checked.findings) - errors;
  if (arguments.has("json")) {
    JsonWriter json;
    json.begin_object().member("file", name).member("errors", errors);
    json.member("warnings", warnings).key("findings").begin_array();
    for (const api::Finding& f : checked.findings) write_finding(json, f, of_problem);
    json.end_array();
    if (!checked.summary.empty()) json.member("summary", checked.summary);
    deliver(json.end_object().text(), console);
  } else {
    std::string text;
    for (const api::Finding& f : checked.findings) text += f.text;
    // Findings are what was asked for, so they go to stdout; a script still sees the exit code.
    deliver(text + checked.summary + name + ": " + std::to_string(errors) + " errors, " +
                std::to_string(warnings) + " warnings\n",
            console);
  }
  return errors ? exit_bad_input : exit_done;
}

}  // namespace

Command check_command() { return {check_spec(), run_check_command}; }

}  // namespace stiffit::internal
