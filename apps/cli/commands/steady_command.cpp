// `stiffit steady`: where a model comes to rest, and whether it stays there.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <ostream>

#include "base/number.h"
#include "cli/commands.h"
#include "cli/console_run.h"
#include "cli/field_options.h"
#include "cli/run_inputs.h"
#include "report/tables/steady_json.h"
#include "report/text_table.h"
#include "stiffit/model.h"

namespace stiffit::internal {
namespace {

CommandSpec steady_spec() {
  CommandSpec s;
  s.name = "steady";
  s.arguments = "MODEL";
  s.summary = "steady state of a model, its eigenvalues and stability";
  s.fewest = s.most = 1;
  s.options = with_general_options(option_specs<api::SteadyOptions>());
  s.notes =
      "The time course from the initial values is followed until Newton's method, which keeps the\n"
      "conserved sums, finds the state it leads to. If it never comes to rest, Newton alone looks\n"
      "for a steady state near by, which is then unstable. Exit code 3 if there is none.";
  s.examples = {{"stiffit steady lotka-volterra", "where predator and prey balance"},
                {"stiffit steady escep --set S=2 --json", "another start, one JSON document"}};
  return s;
}

std::string as_text(const api::SteadyState& a) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    rows.push_back({a.names[i], format_number(a.values[i]), a.kinds[i]});
  std::string text = text_table({}, rows) + "\n";
  std::vector<std::vector<std::string>> facts{
      {"residual", format_number(a.residual) + " (largest |x'|/|x|)"},
      {"found by", a.how},
      {"stability", a.stability}};
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

int run_steady_command(const Arguments& arguments, const Console& console) {
  auto options = read_options<api::SteadyOptions>(arguments);
  options.run.interrupt = console.interrupt;
  const api::Model model = api::Model::load(arguments.positional().front(), reading(console));
  console.messages << model.warnings();
  const api::SteadyState steady = model.steady(options);
  if (!steady.found && steady.message.empty()) throw api::Interrupted();  // before it began

  if (arguments.has("json"))
    deliver(steady_json(steady, run_provenance("steady", arguments)), console);
  else if (steady.found)
    deliver(as_text(steady), console);
  if (!steady.found) {
    console.messages << "error: no steady state was found: " << steady.message << "\n";
    return exit_numerics_failed;
  }
  for (const std::string& warning : steady.warnings)
    console.messages << "warning: " << warning << "\n";
  if (!steady.message.empty())
    console.messages << "warning: the time course does not come to rest here: " << steady.message
                     << "\n";
  return exit_done;
}

}  // namespace

Command steady_command() { return {steady_spec(), run_steady_command}; }

}  // namespace stiffit::internal
