// `stiffit reduce`: a model in another form: without its fast species, or polynomial.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <ostream>

#include "analysis/pipeline/simulation_fields.h"
#include "analysis/pipeline/simulation_options.h"
#include "base/diagnostic.h"
#include "base/files/output_file.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/field_options.h"
#include "cli/run_inputs.h"
#include "io/files/load_model.h"
#include "io/sbml/write_sbml.h"
#include "io/text/writer/write_text.h"
#include "report/json.h"
#include "report/provenance.h"
#include "report/tables/difference_text.h"

namespace stiffit::internal {
namespace {

CommandSpec reduce_spec() {
  CommandSpec s;
  s.name = "reduce";
  s.arguments = "MODEL";
  s.summary = "a model without its fast or slow species, or in polynomial form";
  s.fewest = s.most = 1;
  s.options = option_specs(reduce_fields());
  s.options.push_back({"output", "FILE",
                       "the new model, .rxn, .ant or .xml (default: text on stdout)", 'o', false,
                       false});
  s.options = with_general_options(std::move(s.options));
  s.notes =
      "The new model is run beside the old one; the differences are told on stderr. Without\n"
      "--fast, --constant or --polynomial the species of the fastest mode (stiffit stiffness) are\n"
      "proposed and taken. What moves only with fast species keeps its sum with them.";
  s.examples = {
      {"stiffit reduce escep --fast C -o reduced.rxn", "Michaelis and Menten's equations"},
      {"stiffit reduce escep --fast C --composite", "with Gutfreund's initial layer"},
      {"stiffit reduce water-moderate --constant H2", "what is abundant stays as it is"},
      {"stiffit reduce repressilator --polynomial -o quadratic.rxn", "no powers, no fractions"},
  };
  return s;
}

bool is_sbml(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".xml" || ending == ".sbml") return true;
  if (path.empty() || ending == ".ant" || ending == ".rxn" || ending == ".txt") return false;
  throw UsageError("the ending of '" + path + "' does not say what to write", ".rxn or .xml");
}

std::string heading(const Reduction::Polynomial& p, const std::string& source) {
  std::string text =
      (p.not_quadratic.empty() ? "// Quadratic" : "// Polynomial") + (" form of " + source + ".\n");
  if (p.strength > 0)
    text += "// Products w = a*b have " + format_number(p.strength) +
            "*(a*b - w) added to w', fractions what\n// they differ from one by: zero along the "
            "solution, it draws back what strays.\n";
  for (std::size_t i = 0; i < p.names.size(); ++i)
    if (!p.meaning[i].empty())
      text += "// " + p.names[i] + " = " + p.meaning[i] + ", at the start " +
              format_number(p.initial[i]) + "\n";
  return text;
}

const char* word_for(QuasiSteadyRow::How how) {
  return how == QuasiSteadyRow::How::solved      ? "solved"
         : how == QuasiSteadyRow::How::algebraic ? "algebraic"
                                                 : "conserved";
}

void write_members(JsonWriter& json, const Reduction::Polynomial& p) {
  json.member("states", p.states).member("polynomial_variables", p.polynomial_variables);
  json.member("polynomial_degree", p.polynomial_degree).member("variables", p.names.size());
  json.member("degree", p.degree);
  if (!p.not_quadratic.empty()) json.member("not_quadratic", p.not_quadratic);
  json.key("initial").begin_object();
  for (std::size_t i = 0; i < p.names.size(); ++i) json.member(p.names[i], p.initial[i]);
  json.end_object().key("meaning").begin_object();
  for (std::size_t i = 0; i < p.names.size(); ++i)
    if (!p.meaning[i].empty()) json.member(p.names[i], p.meaning[i]);
  json.end_object().member("held", p.strength);
}

void write_members(JsonWriter& json, const Reduction& r) {
  if (r.polynomial) return write_members(json, *r.polynomial);
  json.member("fast", r.fast).member("constant", r.constant).key("species").begin_array();
  for (const QuasiSteadyRow& row : r.rows)
    json.begin_object()
        .member("name", row.name)
        .member("how", word_for(row.how))
        .member("formula", row.formula)
        .end_object();
  json.end_array();
}

std::string told_of(const Reduction::Polynomial& p) {
  std::string told = p.not_quadratic;
  if (!told.empty()) told = "not quadratic: " + told + "\n";
  told += (p.not_quadratic.empty() ? "quadratic in " : "polynomial in ") +
          std::to_string(p.names.size()) + " variables, " + std::to_string(p.states) +
          " of them of the model (";
  if (p.not_quadratic.empty())
    told += "polynomial in " + std::to_string(p.polynomial_variables) + ", ";
  return told + "degree " + std::to_string(p.polynomial_degree) + ")\n";
}

std::string told_of(const Reduction& r) {
  if (r.polynomial) return told_of(*r.polynomial);
  std::string told;
  for (const QuasiSteadyRow& row : r.rows)
    told += row.name + (row.how == QuasiSteadyRow::How::algebraic ? " from " : " := ") +
            row.formula + "\n";
  for (const std::string& name : r.constant) told += name + " is held\n";
  return told;
}

Writing written(const Reduction& r, const std::string& name, const std::string& path) {
  if (is_sbml(path)) return write_sbml(*r.model);
  Writing writing =
      write_text(*r.model, path.ends_with(".ant") ? TextStyle::antimony : TextStyle::stiffit);
  if (r.polynomial) writing.text = heading(*r.polynomial, name) + writing.text;
  return writing;
}

int run_reduce_command(const Arguments& arguments, const Console& console) {
  api::ReduceOptions options;
  read_fields(reduce_fields(), arguments, options);
  check_options(options);
  options.run.interrupt = console.interrupt;
  const std::string name = arguments.positional().front(), path = arguments.text("output");
  is_sbml(path);  // an ending that says nothing is a mistake now, not after the work
  if (!path.empty()) require_writable(path);
  LoadedModel loaded = load_model(name);
  console.messages << loaded.warnings;
  const Reduction reduction = reduce_model(loaded.model, reduction_options(options));
  console.messages << reduction.warnings;
  if (!reduction.fastest.empty()) console.messages << "fastest: " << reduction.fastest << "\n";
  const Writing writing = written(reduction, name, path);
  if (!path.empty()) write_file(path, writing.text);
  if (arguments.has("json")) {
    JsonWriter json;
    json.begin_object();
    write_members(json, reduction);
    write_json(json, reduction.difference);
    if (path.empty())
      json.member("text", writing.text);
    else
      json.member("file", path);
    write_provenance(json, run_provenance("reduce", arguments));
    deliver(json.end_object().text(), console);
  } else {
    if (path.empty()) deliver(writing.text, console);
    console.messages << told_of(reduction) << text_of(reduction.difference);
  }
  const std::string complaint =
      reduction.difference.done() ? reduction.strays() : reduction.difference.complaint;
  if (complaint.empty()) return exit_done;
  console.messages << "error: " << complaint << "\n";
  return exit_numerics_failed;
}

}  // namespace

Command reduce_command() { return {reduce_spec(), run_reduce_command}; }

}  // namespace stiffit::internal
