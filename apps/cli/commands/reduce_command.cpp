// `stiffit reduce`: a model in another form: without its fast species, or polynomial.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <ostream>

#include "analysis/pipeline/time_course.h"
#include "analysis/reduce/polynomial_model.h"
#include "analysis/reduce/quasi_steady.h"
#include "analysis/stiffness/stiffness.h"
#include "base/diagnostic.h"
#include "base/files/output_file.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/run_inputs.h"
#include "cli/run_options.h"
#include "io/files/load_model.h"
#include "io/sbml/write_sbml.h"
#include "io/text/writer/write_text.h"
#include "model/model_settings.h"
#include "report/json.h"
#include "report/provenance.h"
#include "report/tables/difference_text.h"
#include "report/text_table.h"
#include "symbolic/checks/check_start.h"

namespace stiffit {
namespace {

CommandSpec spec() {
  CommandSpec s;
  s.name = "reduce";
  s.arguments = "MODEL";
  s.summary = "a model without its fast or slow species, or in polynomial form";
  s.fewest = s.most = 1;
  s.options = with_general_options({
      {"fast", "a,b", "species taken to be at rest at all times (default: proposed)", 0, false},
      {"constant", "c,d", "slow and abundant species, held at their initial values", 0, false},
      {"composite", "", "adds NAME_composite: fast species with their initial layer", 0, false},
      {"polynomial", "", "the quadratic form: functions and products become variables", 0, false},
      set_option(),
      assume_option(),
      {"end", "T", "both are compared up to here (default: the model's customary end, else 100)", 0,
       false},
      {"points", "N", "compared at N + 1 times (default 200)", 0, false},
      {"rtol", "R", "relative tolerance of both runs (default 1e-9)", 0, false},
      {"output", "FILE", "the new model, .rxn, .ant or .xml (default: text on stdout)", 'o', false},
  });
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

// The quadratic model, run beside the model.
struct Verified {
  PolynomialModel made;
  std::shared_ptr<const Model> model;
  CurveDifference difference;
  double strength = 0;  // that products are held with; 0: they need not be
  int degree = 0;
  std::string not_quadratic;  // why the polynomial form stands in for the quadratic one

  bool same() const { return difference.done() && difference.worst < 1e-6; }
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
    v.degree = form.largest_degree();
    return v;
  };
  Verified best = attempt(quadratic, 0);
  constexpr double same = 1e-7;
  const bool can_be_held = std::any_of(
      quadratic.variables.begin(), quadratic.variables.end(),
      [](const PolynomialVariable& v) { return !v.product.empty() || !v.relation.empty(); });
  if (!can_be_held || best.difference.model_failed) return best;
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

std::string heading(const Verified& v, const std::string& source) {
  const PolynomialModel& p = v.made;
  std::string text =
      (v.not_quadratic.empty() ? "// Quadratic" : "// Polynomial") + (" form of " + source + ".\n");
  if (v.strength > 0)
    text += "// Products w = a*b have " + format_number(v.strength) +
            "*(a*b - w) added to w', fractions what\n// they differ from one by: zero along the "
            "solution, it draws back what strays.\n";
  for (std::size_t i = 0; i < p.names.size(); ++i)
    if (!p.meaning[i].empty())
      text += "// " + p.names[i] + " = " + p.meaning[i] + ", at the start " +
              format_number(p.initial[i]) + "\n";
  return text;
}

struct Setup {
  std::string name, path;
  bool sbml = false;
  TextStyle style() const {
    return path.ends_with(".ant") ? TextStyle::antimony : TextStyle::stiffit;
  }
  std::shared_ptr<const Model> model;
  ResolvedSystem resolved;
  TimeCourseOptions options;
};

// What both kinds of answer end with.
int finish(const Arguments& arguments, const Console& console, const Setup& setup,
           const Writing& writing, JsonWriter& json, const std::string& told,
           const CurveDifference& difference) {
  if (!setup.path.empty()) write_file(setup.path, writing.text);
  if (arguments.has("json")) {
    write_json(json, difference);
    if (setup.path.empty())
      json.member("text", writing.text);
    else
      json.member("file", setup.path);
    write_provenance(json, run_provenance("reduce", arguments));
    deliver(json.end_object().text(), console);
  } else {
    if (setup.path.empty()) deliver(writing.text, console);
    console.messages << told << text_of(difference);
  }
  if (difference.done()) return exit_done;
  console.messages << "error: " << difference.complaint << "\n";
  return exit_numerics_failed;
}

// The quadratic form, or the polynomial one where that is too large or strays from the solution.
Verified best_form(const PolynomialForm& polynomial, Setup& setup, const Console& console) {
  auto interrupted = [&] { return console.interrupt && console.interrupt->load(); };
  std::optional<Verified> quadratic;
  std::string why;
  try {
    quadratic = verify(setup.model, setup.resolved,
                       quadratic_form(setup.resolved.system.graph, polynomial, console.interrupt),
                       setup.options);
    if (quadratic->same() || quadratic->difference.model_failed || interrupted())
      return std::move(*quadratic);
    why = "with " + std::to_string(quadratic->made.names.size()) +
          " variables it strays from the solution in floating-point numbers";
  } catch (const InputError& error) {
    if (interrupted() || polynomial.largest_degree() <= 2) throw;
    why = error.what();
    if (why.starts_with("error: ")) why.erase(0, 7);
  }
  Verified plain = verify(setup.model, setup.resolved, polynomial, setup.options);
  if (quadratic && !plain.same()) return std::move(*quadratic);
  plain.not_quadratic = why;
  return plain;
}

int make_polynomial(const Arguments& arguments, const Console& console, Setup& setup) {
  System& system = setup.resolved.system;
  const PolynomialForm polynomial = polynomial_form(system);
  const Verified verified = best_form(polynomial, setup, console);
  const PolynomialModel& made = verified.made;
  Writing writing =
      setup.sbml ? write_sbml(*verified.model) : write_text(*verified.model, setup.style());
  if (!setup.sbml) writing.text = heading(verified, setup.name) + writing.text;

  JsonWriter json;
  json.begin_object().member("states", system.states.size());
  json.member("polynomial_variables", polynomial.variables.size());
  json.member("polynomial_degree", polynomial.largest_degree());
  json.member("variables", made.names.size());
  json.member("degree", verified.degree);
  if (!verified.not_quadratic.empty()) json.member("not_quadratic", verified.not_quadratic);
  json.key("initial").begin_object();
  for (std::size_t i = 0; i < made.names.size(); ++i) json.member(made.names[i], made.initial[i]);
  json.end_object().key("meaning").begin_object();
  for (std::size_t i = 0; i < made.names.size(); ++i)
    if (!made.meaning[i].empty()) json.member(made.names[i], made.meaning[i]);
  json.end_object().member("held", verified.strength);
  std::string told = verified.not_quadratic;
  if (!told.empty()) told = "not quadratic: " + told + "\n";
  told += (verified.not_quadratic.empty() ? "quadratic in " : "polynomial in ") +
          std::to_string(made.names.size()) + " variables, " +
          std::to_string(system.states.size()) + " of them of the model (";
  if (verified.not_quadratic.empty())
    told += "polynomial in " + std::to_string(polynomial.variables.size()) + ", ";
  told += "degree " + std::to_string(polynomial.largest_degree()) + ")\n";
  const int code = finish(arguments, console, setup, writing, json, told, verified.difference);
  if (code != exit_done || verified.difference.worst < 1e-4) return code;
  console.messages
      << "error: the equations are the same, but in floating-point numbers their run strays "
         "from the solution: the curves differ by "
      << format_short(verified.difference.worst, 2) << " of their maximum\n";
  return exit_numerics_failed;
}

// The species that carry the fastest mode.
std::vector<std::string> proposed(Setup& setup, const Console& console) {
  System& system = setup.resolved.system;
  if (!system.delays.empty() || system.states.empty())
    throw InputError("error: no fast species can be proposed for this model; name them by --fast");
  Problem problem = make_problem(compile(system, {}));
  Request request;
  request.start = setup.model->start_time;
  request.times = output_times(*setup.model, setup.options);
  IntegrationOptions integration;
  integration.interrupt = console.interrupt;
  std::vector<std::string> rates(system.rates.size());
  const double span = request.times.back() - request.start;
  const Stiffness stiffness = find_stiffness(system, rates, problem, request, integration, span);
  constexpr double considerable = 0.25;
  std::vector<std::string> names;
  for (const Share& share : stiffness.species)
    if (share.share >= considerable && setup.model->find(share.name).kind != SymbolKind::none)
      names.push_back(share.name);
  if (stiffness.verdict == Verdict::non_stiff || names.empty())
    throw InputError(
        "error: no species is much faster than the time span (the stiffness index is " +
        format_short(stiffness.peak.index) + "); name those to take away by --fast");
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  console.messages << "fastest: " << list << " (time constant " << format_short(stiffness.peak.tau)
                   << ")\n";
  return names;
}

int make_quasi_steady(const Arguments& arguments, const Console& console, Setup& setup) {
  QuasiSteadyRequest request;
  request.fast = arguments.list("fast");
  request.constant = arguments.list("constant");
  request.composite = arguments.has("composite");
  if (request.fast.empty() && request.constant.empty()) request.fast = proposed(setup, console);
  QuasiSteadyModel made = quasi_steady_model(setup.model, request);
  const auto reduced = std::make_shared<const Model>(std::move(made.model));
  ResolvedSystem resolved = resolve(reduced);
  require_sound_start(*reduced, resolved);

  std::vector<std::string> columns, there;
  for (const Output& column : setup.resolved.columns) columns.push_back(column.name);
  there = columns;
  for (const std::string& name : made.composites) {
    columns.push_back(name);
    there.push_back(name + "_composite");
  }
  const CurveDifference difference =
      curve_difference(setup.model, reduced, columns, setup.options, there);
  const Writing writing = setup.sbml ? write_sbml(*reduced) : write_text(*reduced, setup.style());

  JsonWriter json;
  json.begin_object().member("fast", request.fast).member("constant", request.constant);
  json.key("species").begin_array();
  std::string told;
  for (const QuasiSteadyRow& row : made.rows) {
    const char* how = row.how == QuasiSteadyRow::How::solved      ? "solved"
                      : row.how == QuasiSteadyRow::How::algebraic ? "algebraic"
                                                                  : "conserved";
    json.begin_object().member("name", row.name).member("how", how);
    json.member("formula", row.formula).end_object();
    told += row.how == QuasiSteadyRow::How::algebraic ? row.name + " from " + row.formula + "\n"
                                                      : row.name + " := " + row.formula + "\n";
  }
  json.end_array();
  for (const std::string& name : request.constant) told += name + " is held\n";
  return finish(arguments, console, setup, writing, json, told, difference);
}

int run(const Arguments& arguments, const Console& console) {
  if (arguments.has("polynomial") && (arguments.has("fast") || arguments.has("constant")))
    throw UsageError("--polynomial stands alone: reduce first, then make the result polynomial");
  Setup setup;
  setup.name = arguments.positional().front();
  setup.path = arguments.text("output");
  setup.sbml = is_sbml(setup.path);
  if (!setup.path.empty()) require_writable(setup.path);
  setup.options.end = arguments.number("end", not_set);
  setup.options.points = arguments.count("points", 200);
  setup.options.integration.rtol = arguments.positive("rtol", 1e-9);
  setup.options.integration.interrupt = console.interrupt;
  LoadedModel loaded = load_model(setup.name);
  console.messages << loaded.warnings;
  setup.model = with_settings(loaded.model, settings_option(arguments));
  setup.resolved = resolve(setup.model);
  console.messages << require_sound_start(*setup.model, setup.resolved);
  return arguments.has("polynomial") ? make_polynomial(arguments, console, setup)
                                     : make_quasi_steady(arguments, console, setup);
}

}  // namespace

Command reduce_command() { return {spec(), run}; }

}  // namespace stiffit
