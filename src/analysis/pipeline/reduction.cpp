// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/reduction.h"

#include <algorithm>

#include "analysis/reduce/polynomial_model.h"
#include "analysis/stiffness/stiffness.h"
#include "base/diagnostic.h"
#include "base/number.h"
#include "base/option_error.h"
#include "symbolic/checks/check_start.h"

namespace stiffit::internal {
namespace {

// The model with its settings made.
struct Original {
  std::shared_ptr<const Model> model;
  ResolvedSystem resolved;
  TimeCourseOptions options;

  std::vector<std::string> columns() const {
    std::vector<std::string> names;
    for (const Output& column : resolved.columns) names.push_back(column.name);
    return names;
  }
  bool interrupted() const {
    const auto* flag = options.integration.interrupt;
    return flag && flag->load();
  }
};

// The quadratic model, run beside the model.
struct Verified {
  PolynomialModel made;
  std::shared_ptr<const Model> model;
  CurveDifference difference;
  double strength = 0;
  int degree = 0;
  std::string not_quadratic;

  bool same() const { return difference.done() && difference.worst < 1e-6; }
};

Verified verify(Original& original, const PolynomialForm& quadratic) {
  const std::vector<std::string> columns = original.columns();
  auto attempt = [&](const PolynomialForm& form, double strength) {
    Verified v;
    v.made = polynomial_model(*original.model, original.resolved, form);
    v.model = std::make_shared<const Model>(v.made.model);
    v.difference = curve_difference(original.model, v.model, columns, original.options);
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
  const std::vector<double> times = output_times(*original.model, original.options);
  const double span = times.back() - times.front();
  for (double turns = 100; turns < 1e7 && !(best.difference.done() && best.difference.worst < same);
       turns *= 10) {
    Verified next = attempt(held_products(original.resolved.system.graph, quadratic, turns / span),
                            turns / span);
    if (next.difference.done() &&
        (!best.difference.done() || next.difference.worst < best.difference.worst))
      best = std::move(next);
  }
  return best;
}

// The quadratic form, or the polynomial one where that is too large or strays from the solution.
Verified best_form(Original& original, const PolynomialForm& polynomial) {
  std::optional<Verified> quadratic;
  std::string why;
  try {
    quadratic = verify(original, quadratic_form(original.resolved.system.graph, polynomial,
                                                original.options.integration.interrupt));
    if (quadratic->same() || quadratic->difference.model_failed || original.interrupted())
      return std::move(*quadratic);
    why = "with " + std::to_string(quadratic->made.names.size()) +
          " variables it strays from the solution in floating-point numbers";
  } catch (const InputError& error) {
    if (original.interrupted() || polynomial.largest_degree() <= 2) throw;
    why = error.what();
    if (why.starts_with("error: ")) why.erase(0, 7);
  }
  Verified plain = verify(original, polynomial);
  if (quadratic && !plain.same()) return std::move(*quadratic);
  plain.not_quadratic = why;
  return plain;
}

void make_polynomial(Original& original, Reduction& result) {
  System& system = original.resolved.system;
  const PolynomialForm polynomial = polynomial_form(system);
  Verified verified = best_form(original, polynomial);
  result.model = verified.model;
  result.difference = std::move(verified.difference);
  Reduction::Polynomial& p = result.polynomial.emplace();
  p.names = std::move(verified.made.names);
  p.meaning = std::move(verified.made.meaning);
  p.initial = std::move(verified.made.initial);
  p.states = system.states.size();
  p.polynomial_variables = polynomial.variables.size();
  p.polynomial_degree = polynomial.largest_degree();
  p.degree = verified.degree;
  p.strength = verified.strength;
  p.not_quadratic = std::move(verified.not_quadratic);
}

// The species that carry the fastest mode.
std::vector<std::string> proposed(Original& original, std::string& fastest) {
  System& system = original.resolved.system;
  if (!system.delays.empty() || system.states.empty())
    throw InputError("error: no fast species can be proposed for this model; name them by " +
                     option("fast"));
  Problem problem = make_problem(compile(system, {}));
  Request request;
  request.start = original.model->start_time;
  request.times = output_times(*original.model, original.options);
  IntegrationOptions integration;
  integration.interrupt = original.options.integration.interrupt;
  std::vector<std::string> rates(system.rates.size());
  const double span = request.times.back() - request.start;
  const Stiffness stiffness = find_stiffness(system, rates, problem, request, integration, span);
  constexpr double considerable = 0.25;
  std::vector<std::string> names;
  for (const Share& share : stiffness.species)
    if (share.share >= considerable && original.model->find(share.name).kind != SymbolKind::none)
      names.push_back(share.name);
  if (stiffness.verdict == Verdict::non_stiff || names.empty())
    throw InputError(
        "error: no species is much faster than the time span (the stiffness index is " +
        format_short(stiffness.peak.index) + "); name those to take away by " + option("fast"));
  for (const std::string& name : names) fastest += (fastest.empty() ? "" : ", ") + name;
  fastest += " (time constant " + format_short(stiffness.peak.tau) + ")";
  return names;
}

void make_quasi_steady(Original& original, const ReductionOptions& options, Reduction& result) {
  QuasiSteadyRequest request{options.fast, options.constant, options.composite};
  if (request.fast.empty() && request.constant.empty())
    request.fast = proposed(original, result.fastest);
  QuasiSteadyModel made = quasi_steady_model(original.model, request);
  result.model = std::make_shared<const Model>(std::move(made.model));
  ResolvedSystem resolved = resolve(result.model);
  require_sound_start(*result.model, resolved);

  std::vector<std::string> columns = original.columns(), there = columns;
  for (const std::string& name : made.composites) {
    columns.push_back(name);
    there.push_back(name + "_composite");
  }
  result.difference =
      curve_difference(original.model, result.model, columns, original.options, there);
  result.fast = std::move(request.fast);
  result.constant = std::move(request.constant);
  result.rows = std::move(made.rows);
}

}  // namespace

std::string Reduction::strays() const {
  if (!polynomial || !difference.done() || difference.worst < 1e-4) return "";
  return "the equations are the same, but in floating-point numbers their run strays from the "
         "solution: the curves differ by " +
         format_short(difference.worst, 2) + " of their maximum";
}

Reduction reduce_model(const std::shared_ptr<const Model>& model, const ReductionOptions& options) {
  if (options.polynomial && (!options.fast.empty() || !options.constant.empty()))
    throw OptionError(option("polynomial") +
                      " stands alone: reduce first, then make the result polynomial");
  Original original{with_settings(model, options.course.set), {}, options.course};
  original.options.set = {};
  original.resolved = resolve(original.model);
  Reduction result;
  result.warnings = require_sound_start(*original.model, original.resolved);
  if (options.polynomial)
    make_polynomial(original, result);
  else
    make_quasi_steady(original, options, result);
  return result;
}

}  // namespace stiffit::internal
