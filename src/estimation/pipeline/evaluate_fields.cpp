// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/evaluate_fields.h"

#include <cmath>
#include <limits>

#include "analysis/pipeline/method_choice.h"

namespace stiffit::internal {
namespace {

using Objectives = api::ObjectiveOptions;
using Evaluate = api::EvaluateOptions;

constexpr auto when_given = Provenanced::if_given;
constexpr long any_count = std::numeric_limits<long>::max();

FieldTable<Objectives> make_objective_fields() {
  return {
      field<Objectives>({"sensitivities",
                         "METHOD",
                         "automatic, forward or adjoint, for the gradient",
                         when_given,
                         on_all_surfaces,
                         0,
                         {},
                         false,
                         "gradient"},
                        &Objectives::gradient, choice_rule({"automatic", "forward", "adjoint"})),
      field<Objectives>({"integrator", "M",
                         "of 'stiffit methods', one that gives derivatives (default " +
                             method_name(MethodRole::stiff) + ")",
                         when_given},
                        &Objectives::integrator, integrator_rule()),
      field<Objectives>({"rtol", "R", "relative tolerance (default 1e-8)", when_given},
                        &Objectives::rtol, above_zero()),
      field<Objectives>(
          {"atol", "A", "absolute tolerance (default: scaled for each species)", when_given},
          &Objectives::atol, tolerance_rule()),
      field<Objectives>(
          {"max-step", "H", "no step is longer (default: as long as the errors allow)", when_given,
           on_all_surfaces, 0, "the model's time"},
          &Objectives::max_step, above_zero()),
      field<Objectives>({"max-steps", "N", "of one integration (default 100000)", when_given},
                        &Objectives::max_steps, long_rule(1, any_count)),
      field<Objectives>({"derivatives", "yes|no", "no: values only, which is less to compile",
                         when_given, in_python},
                        &Objectives::derivatives, yes_or_no()),
  };
}

// Here a flag of its own is called `gradient`.
FieldTable<Evaluate> accuracy_fields() {
  FieldTable<Evaluate> table =
      on_surface(fields_of(&Evaluate::objective, objective_fields()), on_command_line);
  for (Field<Evaluate>& f : table) f.python.clear();
  return table;
}

FieldTable<Evaluate> make_evaluate_fields() {
  constexpr unsigned here = on_command_line | in_python;
  return FieldTable<Evaluate>{
             field<Evaluate>(
                 {"at", "POINT", "nominal, perturbed, a table of values, or name=value,...",
                  when_given, here},
                 &Evaluate::at, text_rule()),
             field<Evaluate>(
                 {"gradient", "", "the gradient of the objective, on the estimation scale",
                  when_given, here},
                 &Evaluate::gradient, flag_rule()),
             field<Evaluate>({"hessian", "", "the Fisher information, on the estimation scale",
                              when_given, here},
                             &Evaluate::hessian, flag_rule()),
             field<Evaluate>({"check", "", "forward and adjoint gradient against differences",
                              when_given, here},
                             &Evaluate::check, flag_rule()),
             field<Evaluate>(
                 {"sample", "N",
                  "of " + option("check") + ": only N parameters, chosen by " + option("seed"),
                  when_given, here},
                 &Evaluate::sample, long_rule(1, any_count)),
             field<Evaluate>(
                 {"difference-rtol", "R",
                  "of " + option("check") + ": 1e-11, or " + option("rtol") + " if smaller",
                  when_given, here},
                 &Evaluate::difference_rtol, above_zero()),
         } +
         accuracy_fields() +
         FieldTable<Evaluate>{
             field<Evaluate>(
                 {"seed", "S", "of everything random (default 1)", when_given, here, 0, {}, true},
                 &Evaluate::seed, seed_rule()),
             field<Evaluate>({"simulations", "yes|no",
                              "what the model says about each measurement, as a PEtab table",
                              when_given, in_python},
                             &Evaluate::simulations, yes_or_no()),
             field<Evaluate>({"settle", "yes|no",
                              "a gradient that moves with the tolerance is integrated with a "
                              "smaller one (default yes)",
                              when_given, in_python},
                             &Evaluate::settle, yes_or_no()),
         };
}

void require_adjoint(const ObjectiveOptions& options) {
  const std::string& name = options.integration.method;
  if (!named_method(name).adjoint)
    throw OptionError("method '" + name + "' has no adjoint",
                      methods_listed([](const MethodEntry& m) { return m.adjoint; }) + " has");
}

}  // namespace

FieldRule<std::string> integrator_rule() {
  FieldRule<std::string> rule = text_rule();
  for (const MethodEntry& entry : method_entries())
    if (entry.gives_sensitivities()) rule.choices.emplace_back(entry.info.name);
  rule.check = [](const FieldInfo&, const std::string& name) {
    if (!name.empty()) require_sensitivities(name);
  };
  return rule;
}

const FieldTable<Objectives>& objective_fields() {
  static const FieldTable<Objectives> table = make_objective_fields();
  return table;
}
const FieldTable<Evaluate>& evaluate_fields() {
  static const FieldTable<Evaluate> table = make_evaluate_fields();
  return table;
}

void check_options(const Objectives& options) {
  check_fields(objective_fields(), options);
  if (options.gradient == "adjoint") require_adjoint(objective_options(options));
}

void check_options(const Evaluate& options) {
  check_fields(evaluate_fields(), options);
  check_options(options.objective);
  if (options.check) require_adjoint(objective_options(options.objective));
}

ObjectiveOptions objective_options(const Objectives& options) {
  ObjectiveOptions o = accuracy_in(options);
  o.integration.interrupt = options.interrupt;
  o.derivatives = options.derivatives;
  o.gradient = options.gradient == "forward"   ? GradientMethod::forward
               : options.gradient == "adjoint" ? GradientMethod::adjoint
                                               : GradientMethod::automatic;
  return o;
}

}  // namespace stiffit::internal
