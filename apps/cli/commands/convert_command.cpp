// `stiffit convert`: a model in another language.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <ostream>

#include "base/files/output_file.h"
#include "cli/commands.h"
#include "io/bng/write_net.h"
#include "io/c/write_c.h"
#include "io/files/load_model.h"
#include "io/latex/write_latex.h"
#include "io/sbml/write_sbml.h"
#include "io/text/writer/write_text.h"
#include "report/json.h"

namespace stiffit {
namespace {

struct Target {
  std::string_view name;
  std::array<std::string_view, 2> endings;
  Writing (*write)(const std::shared_ptr<const Model>&);
};

const std::array<Target, 6> targets{{
    {"text", {".rxn", ".txt"}, [](const auto& m) { return write_text(*m); }},
    {"antimony",
     {".ant", ".antimony"},
     [](const auto& m) { return write_text(*m, TextStyle::antimony); }},
    {"sbml", {".xml", ".sbml"}, [](const auto& m) { return write_sbml(*m); }},
    {"c", {".c", ".c"}, [](const auto& m) { return write_c(m); }},
    {"latex", {".tex", ".latex"}, [](const auto& m) { return write_latex(*m); }},
    {"net", {".net", ".net"}, [](const auto& m) { return write_net(*m); }},
}};

CommandSpec spec() {
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

const Target& target_of(const Arguments& arguments) {
  if (arguments.has("to")) {
    std::string wanted = arguments.text("to");
    std::vector<std::string> names;
    for (const Target& t : targets) {
      if (t.name == wanted) return t;
      names.emplace_back(t.name);
    }
    std::string nearest = nearest_name(wanted, names);
    throw UsageError("--to knows text, antimony, sbml, c, latex and net, not '" + wanted + "'",
                     nearest.empty() ? "" : "did you mean '" + nearest + "'?");
  }
  if (!arguments.has("output")) throw UsageError("convert needs -o FILE or --to KIND");
  std::string path = arguments.text("output");
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Target& t : targets)
    for (std::string_view known : t.endings)
      if (ending == known) return t;
  throw UsageError("the ending of '" + path + "' does not say what to write",
                   ".rxn, .ant, .xml, .c, .tex or .net; or --to text|antimony|sbml|c|latex|net");
}

int run(const Arguments& arguments, const Console& console) {
  const Target& target = target_of(arguments);
  const std::string path = arguments.text("output");
  if (!path.empty()) require_writable(path);
  LoadedModel loaded = load_model(arguments.positional().front());
  console.messages << loaded.warnings;
  Writing writing = target.write(loaded.model);
  for (const std::string& what : writing.left_out)
    console.messages << "warning: left out: " << what << "\n";
  if (!path.empty()) write_file(path, writing.text);
  if (arguments.has("json")) {
    JsonWriter json;
    json.begin_object().member("kind", target.name);
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

Command convert_command() { return {spec(), run}; }

}  // namespace stiffit
