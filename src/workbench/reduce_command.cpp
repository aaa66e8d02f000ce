// `stiffit reduce`: a model in another form: without its fast species, or polynomial.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ostream>

#include "base/diagnostic.h"
#include "base/number.h"
#include "reduce/polynomial_model.h"
#include "report/json.h"
#include "report/text_table.h"
#include "workbench/check_start.h"
#include "workbench/commands.h"
#include "workbench/curve_difference.h"
#include "workbench/load_model.h"
#include "workbench/model_settings.h"
#include "workbench/output_file.h"
#include "workbench/time_course.h"
#include "write/write_sbml.h"
#include "write/write_text.h"

namespace stiffit {
namespace {

CommandSpec spec() {
  CommandSpec s;
  s.name = "reduce";
  s.arguments = "MODEL";
  s.summary = "a model in polynomial form";
  s.fewest = s.most = 1;
  s.options = with_general_options({
      {"polynomial", "", "the quadratic form: functions and products become variables", 0, false},
      {"set", "name=value", "a parameter, compartment or initial value; may be repeated", 0, true},
      {"end", "T", "both are compared up to here (default: the model's customary end, else 100)", 0,
       false},
      {"points", "N", "compared at N + 1 times (default 200)", 0, false},
      {"rtol", "R", "relative tolerance of both runs (default 1e-9)", 0, false},
      {"output", "FILE", "the new model, .ant or .xml (default: text on stdout)", 'o', false},
  });
  s.not_yet = {"fast", "constant"};
  s.notes = "The new model is run beside the old one; the differences are told on stderr.";
  s.examples = {
      {"stiffit reduce repressilator --polynomial -o quadratic.ant", "no powers, no fractions"},
  };
  return s;
}

bool is_sbml(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".xml" || ending == ".sbml") return true;
  if (path.empty() || ending == ".ant" || ending == ".rxn" || ending == ".txt") return false;
  throw UsageError("the ending of '" + path + "' does not say what to write", ".ant or .xml");
}

// The quadratic model, run beside the model.
struct Verified {
  PolynomialModel made;
  std::shared_ptr<const Model> model;
  CurveDifference difference;
  double strength = 0;  // that products are held with; 0: they need not be
};

Verified verify(const std::shared_ptr<const Model>& model, ResolvedSystem& resolved,
                const PolynomialForm& quadratic, const TimeCourseOptions& options) {
  std::vector<std::string> columns;
  for (const Output& column : resolved.columns) columns.push_back(column.name);
  auto attempt = [&](const PolynomialForm& form, double strength) {
    Verified v;
    v.made = polynomial_model(*model, resolved, form);
    v.model = std::make_shared<const Model>(v.made.model);
    v.difference = curve_difference(model, v.model, columns, options);
    v.strength = strength;
    return v;
  };
  Verified best = attempt(quadratic, 0);
  constexpr double same = 1e-7;
  const bool has_products =
      std::any_of(quadratic.variables.begin(), quadratic.variables.end(),
                  [](const PolynomialVariable& v) { return !v.product.empty(); });
  if (!has_products || best.difference.model_failed) return best;
  const std::vector<double> times = output_times(*model, options);
  const double span = times.back() - times.front();
  for (double turns = 100; turns < 1e7 && !(best.difference.done() && best.difference.worst < same);
       turns *= 10) {
    Verified next =
        attempt(held_products(resolved.system.graph, quadratic, turns / span), turns / span);
    if (next.difference.done() &&
        (!best.difference.done() || next.difference.worst < best.difference.worst))
      best = std::move(next);
  }
  return best;
}

std::string heading(const PolynomialModel& p, double strength, const std::string& source) {
  std::string text = "// Quadratic form of " + source + ".\n";
  if (strength > 0)
    text += "// Products w = a*b have " + format_number(strength) +
            "*(a*b - w) added to w': zero along the solution, it draws back what strays.\n";
  for (std::size_t i = 0; i < p.names.size(); ++i)
    if (!p.meaning[i].empty())
      text += "// " + p.names[i] + " = " + p.meaning[i] + ", at the start " +
              format_number(p.initial[i]) + "\n";
  return text;
}

int run(const Arguments& arguments, const Console& console) {
  if (!arguments.has("polynomial")) throw UsageError("reduce needs --polynomial");
  const std::string path = arguments.text("output");
  const bool sbml = is_sbml(path);
  if (!path.empty()) require_writable(path);
  TimeCourseOptions options;
  options.end = arguments.number("end", not_set);
  options.points = arguments.count("points", 200);
  options.integration.rtol = arguments.positive("rtol", 1e-9);
  options.integration.interrupt = console.interrupt;
  const std::string name = arguments.positional().front();
  LoadedModel loaded = load_model(name);
  console.messages << loaded.warnings;
  auto model = with_settings(loaded.model, arguments.all("set"));
  ResolvedSystem resolved = resolve(model);
  require_sound_start(*model, resolved.system);
  const PolynomialForm polynomial = polynomial_form(resolved.system);
  const PolynomialForm quadratic = quadratic_form(resolved.system.graph, polynomial);
  const Verified verified = verify(model, resolved, quadratic, options);
  const PolynomialModel& made = verified.made;
  const std::shared_ptr<const Model>& reduced = verified.model;
  const CurveDifference& difference = verified.difference;
  Writing writing = sbml ? write_sbml(*reduced) : write_text(*reduced);
  if (!sbml) writing.text = heading(made, verified.strength, name) + writing.text;
  if (!path.empty()) write_file(path, writing.text);

  if (arguments.has("json")) {
    JsonWriter json;
    json.begin_object().member("states", resolved.system.states.size());
    json.member("polynomial_variables", polynomial.variables.size());
    json.member("polynomial_degree", polynomial.largest_degree());
    json.member("variables", quadratic.variables.size());
    json.member("degree", quadratic.largest_degree());
    json.key("initial").begin_object();
    for (std::size_t i = 0; i < made.names.size(); ++i) json.member(made.names[i], made.initial[i]);
    json.end_object().key("meaning").begin_object();
    for (std::size_t i = 0; i < made.names.size(); ++i)
      if (!made.meaning[i].empty()) json.member(made.names[i], made.meaning[i]);
    json.end_object();
    json.member("held", verified.strength);
    write_json(json, difference);
    if (path.empty())
      json.member("text", writing.text);
    else
      json.member("file", path);
    deliver(json.end_object().text(), console);
  } else {
    if (path.empty()) deliver(writing.text, console);
    console.messages << "quadratic in " << quadratic.variables.size() << " variables, "
                     << resolved.system.states.size() << " of them of the model (polynomial in "
                     << polynomial.variables.size() << ", degree " << polynomial.largest_degree()
                     << ")\n"
                     << text_of(difference);
  }
  if (difference.done()) return exit_done;
  console.messages << "error: " << difference.complaint << "\n";
  return exit_numerics_failed;
}

}  // namespace

Command reduce_command() { return {spec(), run}; }

}  // namespace stiffit
