// `stiffit convert`: a model in another language.
// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "base/files/output_file.h"
#include "cli/commands.h"
#include "cli/console_run.h"
#include "report/json.h"
#include "stiffit/model.h"

namespace stiffit::internal {
namespace {

CommandSpec convert_spec() {
  CommandSpec s;
  s.name = "convert";
  s.arguments = "MODEL";
  s.summary = "a model as text, Antimony, SBML, .net, C or LaTeX";
  s.fewest = s.most = 1;
  s.options = with_general_options({
      {"output", "FILE", "the file to write (default: stdout, which needs --to)", 'o', false},
      {"to", "KIND", "text, antimony, sbml, c, latex or net (default: by the ending)", 0, false},
  });
  s.notes =
      "Endings: .rxn text, .ant exact Antimony, .xml .sbml SBML (Level 3 Version 2), .c C, .tex\n"
      "LaTeX, .net BioNetGen network. Simulating texts or SBML gives the same numbers as the "
      "model.\n"
      "Ids that the target cannot say get others: A(b!1) is then called A_b_1. What the target "
      "has\n"
      "no words for is an error or, where the numbers stay the same, a warning.";
  s.examples = {
      {"stiffit convert BIOMD0000000012.xml -o repressilator.rxn", "SBML as readable text"},
      {"stiffit convert my.rxn -o my.xml", "for every other SBML tool"},
      {"stiffit convert my.rxn -o my.ant", "exact Antimony, with every rate written out"},
      {"stiffit convert escep --to latex", "the equations for a paper, on stdout"},
      {"stiffit convert big.net -o big.c", "f, Jacobian and initial values as one C file"},
  };
  return s;
}

int run_convert_command(const Arguments& arguments, const Console& console) {
  if (!arguments.has("to") && !arguments.has("output"))
    throw UsageError("convert needs -o FILE or --to KIND");
  const std::string path = arguments.text("output");
  const std::string language = api::language_to_write(arguments.text("to"), path);
  if (!path.empty()) require_writable(path);
  const api::Model model = api::Model::load(arguments.positional().front(), reading(console));
  console.messages << model.warnings();
  const api::Conversion writing = model.convert(language);
  for (const std::string& what : writing.left_out)
    console.messages << "warning: left out: " << what << "\n";
  if (!path.empty()) write_file(path, writing.text);
  if (arguments.has("json")) {
    JsonWriter json;
    json.begin_object().member("kind", language);
    if (path.empty())
      json.member("text", writing.text);
    else
      json.member("file", path);
    json.key("left_out").begin_array();
    for (const std::string& what : writing.left_out) json.value(what);
    deliver(json.end_array().end_object().text(), console);
  } else if (path.empty()) {
    deliver(writing.text, console);
  }
  return exit_done;
}

}  // namespace

Command convert_command() { return {convert_spec(), run_convert_command}; }

}  // namespace stiffit::internal
