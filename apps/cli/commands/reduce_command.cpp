// `stiffit reduce`: a model in another form: without its fast species, or polynomial.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <ostream>

#include "base/files/output_file.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/console_run.h"
#include "cli/field_options.h"
#include "cli/run_inputs.h"
#include "report/json.h"
#include "report/provenance.h"
#include "report/tables/difference_text.h"
#include "stiffit/model.h"

namespace stiffit::internal {
namespace {

CommandSpec reduce_spec() {
  CommandSpec s;
  s.name = "reduce";
  s.arguments = "MODEL";
  s.summary = "a model without its fast or slow species, or in polynomial form";
  s.fewest = s.most = 1;
  s.options = option_specs<api::ReduceOptions>();
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

std::string heading(const api::Reduction& r, const std::string& source) {
  std::string text =
      (r.not_quadratic.empty() ? "// Quadratic" : "// Polynomial") + (" form of " + source + ".\n");
  if (r.held > 0)
    text += "// Products w = a*b have " + format_number(r.held) +
            "*(a*b - w) added to w', fractions what\n// they differ from one by: zero along the "
            "solution, it draws back what strays.\n";
  for (const api::Reduction::Variable& v : r.variables)
    if (!v.meaning.empty())
      text +=
          "// " + v.name + " = " + v.meaning + ", at the start " + format_number(v.initial) + "\n";
  return text;
}

void write_polynomial(JsonWriter& json, const api::Reduction& r) {
  json.member("states", r.states).member("polynomial_variables", r.polynomial_variables);
  json.member("polynomial_degree", r.polynomial_degree).member("variables", r.variables.size());
  json.member("degree", r.degree);
  if (!r.not_quadratic.empty()) json.member("not_quadratic", r.not_quadratic);
  json.key("initial").begin_object();
  for (const api::Reduction::Variable& v : r.variables) json.member(v.name, v.initial);
  json.end_object().key("meaning").begin_object();
  for (const api::Reduction::Variable& v : r.variables)
    if (!v.meaning.empty()) json.member(v.name, v.meaning);
  json.end_object().member("held", r.held);
}

void write_species(JsonWriter& json, const api::Reduction& r) {
  json.member("fast", r.fast).member("constant", r.constant).key("species").begin_array();
  for (const api::Reduction::Row& row : r.rows)
    json.begin_object()
        .member("name", row.name)
        .member("how", row.how)
        .member("formula", row.formula)
        .end_object();
  json.end_array();
}

std::string told_of_polynomial(const api::Reduction& r) {
  std::string told = r.not_quadratic;
  if (!told.empty()) told = "not quadratic: " + told + "\n";
  told += (r.not_quadratic.empty() ? "quadratic in " : "polynomial in ") +
          std::to_string(r.variables.size()) + " variables, " + std::to_string(r.states) +
          " of them of the model (";
  if (r.not_quadratic.empty())
    told += "polynomial in " + std::to_string(r.polynomial_variables) + ", ";
  return told + "degree " + std::to_string(r.polynomial_degree) + ")\n";
}

std::string told_of_species(const api::Reduction& r) {
  std::string told;
  for (const api::Reduction::Row& row : r.rows)
    told += row.name + (row.how == "algebraic" ? " from " : " := ") + row.formula + "\n";
  for (const std::string& name : r.constant) told += name + " is held\n";
  return told;
}

std::string written(const api::Reduction& r, bool polynomial, const std::string& name,
                    const std::string& path) {
  if (is_sbml(path)) return r.convert("sbml").text;
  const std::string text = r.convert(path.ends_with(".ant") ? "antimony" : "text").text;
  return polynomial ? heading(r, name) + text : text;
}

int run_reduce_command(const Arguments& arguments, const Console& console) {
  auto options = read_options<api::ReduceOptions>(arguments);
  options.run.interrupt = console.interrupt;
  const std::string name = arguments.positional().front(), path = arguments.text("output");
  is_sbml(path);  // an ending that says nothing is a mistake now, not after the work
  if (!path.empty()) require_writable(path);
  const api::Model model = api::Model::load(name, reading(console));
  console.messages << model.warnings();
  const api::Reduction reduction = model.reduce(options);
  console.messages << reduction.warnings;
  if (!reduction.fastest.empty()) console.messages << "fastest: " << reduction.fastest << "\n";
  const std::string text = written(reduction, options.polynomial, name, path);
  if (!path.empty()) write_file(path, text);
  if (arguments.has("json")) {
    JsonWriter json;
    json.begin_object();
    options.polynomial ? write_polynomial(json, reduction) : write_species(json, reduction);
    write_differences(json, reduction.worst, reduction.differences);
    if (path.empty())
      json.member("text", text);
    else
      json.member("file", path);
    write_provenance(json, run_provenance("reduce", arguments));
    deliver(json.end_object().text(), console);
  } else {
    if (path.empty()) deliver(text, console);
    console.messages << (options.polynomial ? told_of_polynomial(reduction)
                                            : told_of_species(reduction))
                     << difference_text(reduction.differences);
  }
  if (reduction.explanation.empty()) return exit_done;
  console.messages << "error: " << reduction.explanation << "\n";
  return exit_numerics_failed;
}

}  // namespace

Command reduce_command() { return {reduce_spec(), run_reduce_command}; }

}  // namespace stiffit::internal
