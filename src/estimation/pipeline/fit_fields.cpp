// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/fit_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/pipeline/method_choice.h"
#include "estimation/direct/linear_options.h"
#include "estimation/optimizers/flow/gradient_flow.h"
#include "estimation/optimizers/optimizer.h"
#include "estimation/optimizers/population/search.h"
#include "estimation/pipeline/evaluate_fields.h"

namespace stiffit::internal {
namespace {

using Fit = api::FitOptions;
using Profiles = api::ProfileOptions;
using Draws = api::PosteriorOptions;

constexpr int many = std::numeric_limits<int>::max();
constexpr unsigned programs = on_command_line | in_python;  // what names a file
constexpr auto always = Provenanced::always, if_given = Provenanced::if_given,
               never = Provenanced::no;

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const OptimizerEntry& entry : optimizers()) names.emplace_back(entry.traits.name);
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string method_help() {
  std::vector<std::string> names = method_names();
  names.front() += " (default)";
  return joined(names);
}

std::string start_help() {
  std::vector<std::string> names{"nominal", "random"};
  for (const OptimizerEntry& entry : optimizers())
    if (!entry.traits.linearity.empty()) names.emplace_back(entry.traits.name);
  return joined(names) + ", or a table of values";
}

// The words of the registry's own error, with the nearest name.
FieldRule<std::string> method_rule() {
  FieldRule<std::string> rule = text_rule();
  rule.choices = method_names();
  rule.check = [](const FieldInfo&, const std::string& name) { named_optimizer(name); };
  return rule;
}

FieldTable<Fit> make_search_fields() {
  return {
      field<Fit>({"method", "M", method_help(), always}, &Fit::method, method_rule()),
      field<Fit>(
          {"starts", "N", "descents from N starts (default 1, or 20 without start values)", always},
          &Fit::starts, whole_rule(1, many)),
      field<Fit>({"start-from", "WHAT", start_help(), always}, &Fit::start_from, text_rule()),
      field<Fit>({"screen", "N", "candidates for each random start (default 50)", always},
                 &Fit::screen, whole_rule(1, many)),
      field<Fit>(
          {"sampling", "S", "of random starts: latin, sobol or uniform (default latin)", always},
          &Fit::sampling, choice_rule({"latin", "sobol", "uniform"})),
      field<Fit>(
          {"hessian", "H", "of trust-region: hybrid, fisher or bfgs (default hybrid)", always},
          &Fit::hessian, choice_rule({"hybrid", "fisher", "bfgs"})),
      field<Fit>(
          {"projection", "yes|no", "solve for linear parameters inside (default yes)", always},
          &Fit::projection, yes_or_no()),
      field<Fit>({"growing", "yes|no", "fit the beginning of oscillating data first (default yes)",
                  always},
                 &Fit::growing, yes_or_no()),
      field<Fit>({"iterations", "N", "of one descent at most (default 500)", always},
                 &Fit::iterations, whole_rule(1, many)),
      field<Fit>({"integrator", "M",
                  "of 'stiffit methods', one that gives derivatives (default " +
                      method_name(MethodRole::stiff) + ")",
                  if_given},
                 &Fit::integrator, integrator_rule()),
      field<Fit>({"rtol", "R", "relative tolerance of the integrations", always}, &Fit::rtol,
                 above_zero()),
      field<Fit>({"atol", "A", "absolute tolerance (default: scaled for each species)", always},
                 &Fit::atol, above_zero()),
      field<Fit>({"max-step", "H", "no step is longer (default: as long as the errors allow)",
                  if_given, on_all_surfaces, 0, "the model's time"},
                 &Fit::max_step, above_zero()),
      field<Fit>({"max-steps", "N", "of one integration", always}, &Fit::max_steps,
                 long_rule(1, std::numeric_limits<long>::max())),
      field<Fit>({"derive", "FORMULA",
                  "a function of the parameters, with limits: \"Km = (k_1+k2)/k1\"", if_given},
                 &Fit::derive, repeated_rule()),
      field<Fit>({"output",
                  "DIR",
                  "folder for the results and the state of the run",
                  never,
                  programs,
                  'o',
                  {},
                  false,
                  "folder"},
                 &Fit::output, text_rule()),
      field<Fit>({"resume", "", "go on with the run in DIR", never, programs}, &Fit::resume,
                 flag_rule()),
      field<Fit>({"report", "FILE.html", "a page with everything; DIR gets it as report.html",
                  never, programs},
                 &Fit::report, text_rule()),
      field<Fit>({"generations", "N",
                  "of evolution, cma-es, differential-evolution (default 400, or 2000)"},
                 &Fit::generations, whole_rule(1, 1000000000)),
      field<Fit>({"parents", "MU", "individuals that a generation leaves (default 15)"},
                 &Fit::parents, whole_rule(1, 100000)),
      field<Fit>({"offspring", "LAMBDA",
                  "individuals of a generation (default 100, or by the number of parameters)"},
                 &Fit::offspring, whole_rule(1, 1000000)),
      field<Fit>(
          {"selection", "S", "of evolution: comma, or plus, where parents compete (default comma)"},
          &Fit::selection, choice_rule({"comma", "plus"})),
      field<Fit>(
          {"recombination", "R", "of evolution: none, discrete or intermediate (default none)"},
          &Fit::recombination,
          choice_rule({recombination_name(Recombination::none),
                       recombination_name(Recombination::discrete),
                       recombination_name(Recombination::intermediate)})),
      field<Fit>({"spread", "W", "of the first generation to each side of the start, on its scale"},
                 &Fit::spread, above_zero()),
      field<Fit>({"restarts", "N", "of cma-es, each with twice the population (default 2)"},
                 &Fit::restarts, whole_rule(1, 20)),
      field<Fit>({"descent", "yes|no", "of a population's best at the end (default yes)"},
                 &Fit::descent, perhaps_yes_or_no()),
      field<Fit>({"flow", "F", "of gradient-flow: accelerated (default), stiff or runge-kutta"},
                 &Fit::flow,
                 choice_rule({flow_name(FlowKind::accelerated), flow_name(FlowKind::stiff),
                              flow_name(FlowKind::runge_kutta)})),
      field<Fit>({"degree", "D", "of the polynomials of an accelerated flow, 1 to 4 (default 2)"},
                 &Fit::degree, whole_rule(1, 4)),
      field<Fit>(
          {"threads", "N", "threads to use (default: all cores)", never, programs, 0, {}, true},
          [](Fit& o) -> int& { return o.run.threads; }, whole_rule(1, many)),
      field<Fit>(
          {"seed", "S", "of everything random (default 1)", always, on_all_surfaces, 0, {}, true},
          &Fit::seed, seed_rule()),
  };
}

// A share of all, between none and all of it.
FieldRule<double> level_rule() {
  FieldRule<double> rule = above_zero();
  rule.range = "between 0 and 1";
  rule.check = [](const FieldInfo& info, const double& level) {
    if (!(level > 0 && level < 1))
      throw OptionError(option(info.name) + " is a share between 0 and 1, such as 0.95");
  };
  return rule;
}

FieldRule<double> zero_or_more() {
  FieldRule<double> rule = number_rule();
  rule.range = "from 0 on";
  rule.check = [](const FieldInfo& info, const double& value) {
    if (!(value >= 0) || std::isinf(value))
      throw OptionError(option(info.name) + " is a number from 0 on");
  };
  return rule;
}

// Of fits and profiles, not of ensembles.
FieldTable<Fit> limit_fields() {
  return {
      field<Fit>({"level", "P", "confidence level of all limits (default 0.95)", if_given},
                 &Fit::level, level_rule()),
      field<Fit>(
          {"rivals", "N", "further starts that look for other minima (8 where cheap, unless given)",
           if_given},
          &Fit::rivals, whole_rule(0, 1000)),
  };
}

FieldTable<Fit> make_fit_fields() {
  return search_fields() + limit_fields() +
         FieldTable<Fit>{
             field<Fit>(
                 {"limits-time", "S", "about how many seconds the limits may take (default 10)",
                  if_given, on_all_surfaces, 0, "s"},
                 &Fit::limits_time, zero_or_more()),
             field<Fit>({"advice", "yes|no", "which measurements would help most (default yes)"},
                        &Fit::advice, yes_or_no()),
             field<Fit>({"interest", "a,b,...",
                         "for which parameters, or names of " + option("derive") +
                             " (default: those of the network)"},
                        &Fit::interest, list_rule()),
             field<Fit>({"measurable", "S,...", "species that could be measured as well"},
                        &Fit::measurable, list_rule()),
             field<Fit>(
                 {"profiles", "yes|no|auto",
                  "profiles of all parameters, of none, or of those in doubt (default auto)"},
                 &Fit::profiles, choice_rule({"yes", "no", "auto"})),
             field<Fit>({"bootstrap", "N", "limits by N fits of drawn data (1000 is a good number)",
                         never},
                        &Fit::bootstrap, whole_rule(1, 10000000)),
             field<Fit>(
                 {"bootstrap-kind", "K",
                  "what is drawn: residual (default), or case, whole measurements", if_given},
                 &Fit::bootstrap_kind, choice_rule({"residual", "case"})),
             field<Fit>({"progress", "FILE",
                         "a JSON document for programs that watch the run: the best point so far",
                         never, on_command_line},
                        &Fit::progress_file, text_rule()),
             field<Fit>(
                 {"quadrature", "Q",
                  "of integral fits: trapezoid, cubic, or spline (smoothing, by cross-validation)",
                  if_given},
                 &Fit::quadrature,
                 choice_rule({curve_name(Curve::linear), curve_name(Curve::cubic),
                              curve_name(Curve::smooth)})),
             field<Fit>({"bias-correction", "yes|no",
                         "of integral fits: take off what grid and noise add (default yes, by "
                         "simulation; or analytic)",
                         if_given},
                        &Fit::bias_correction, choice_rule({"yes", "analytic", "no"})),
             field<Fit>({"nonnegative", "", "of integral fits: no rate below zero"},
                        &Fit::nonnegative, flag_rule()),
             field<Fit>({"weight", "FORMULA",
                         "of integral fits: Q(t), \"x1 = 1+time\" or \"x1,x2 = 0.5\"", if_given},
                        &Fit::weight, repeated_rule()),
             field<Fit>({"memory", "M",
                         "of integral fits: an integral over the past, \"w = S, exp(-age/3)/3\"",
                         if_given},
                        &Fit::memory, repeated_rule()),
             field<Fit>(
                 {"point-weight", "W", "of integral fits: one moment, \"x1 @ 0.3 = 10\"", if_given},
                 &Fit::point_weight, repeated_rule()),
         };
}

FieldTable<Profiles> make_profile_fields() {
  return FieldTable<Profiles>{
             field<Profiles>(
                 {"parameters", "a,b,...", "only these (default: all estimated parameters)"},
                 &Profiles::parameters, list_rule()),
             field<Profiles>({"points", "N", "at most N on each side (default 60)", always},
                             &Profiles::points, whole_rule(1, many)),
             field<Profiles>(
                 {"predict", "WHAT",
                  "limits of a value as well, \"P at 300\" or \"P at 300 in EXPERIMENT\"",
                  if_given},
                 &Profiles::predict, repeated_rule()),
             field<Profiles>(
                 {"pairs", "a:b,...",
                  "the region of two parameters at once, by following its contour", if_given},
                 &Profiles::pairs, list_rule()),
         } +
         fields_of(&Profiles::fit, limit_fields()) + fields_of(&Profiles::fit, search_fields());
}

FieldTable<Draws> make_posterior_fields() {
  return FieldTable<Draws>{
             field<Draws>(
                 {"samples", "N", "draws (default 10000, and as many more as convergence needs)"},
                 &Draws::samples, long_rule(1, 100000000)),
             field<Draws>({"points", "N", "of the time courses of the bands (default 50)"},
                          &Draws::points, whole_rule(1, 100000)),
         } +
         fields_of(&Draws::fit, search_fields()) +
         FieldTable<Draws>{
             field<Draws>(
                 {"sampler", "S", "with data: adaptive (default), tempered or langevin (gradients)",
                  always},
                 &Draws::sampler, choice_rule({"adaptive", "tempered", "langevin"})),
             field<Draws>({"chains", "N", "with data: chains side by side (default 8)", always},
                          &Draws::chains, whole_rule(2, 1000)),
             field<Draws>(
                 {"temperatures", "N", "of " + option("sampler") + " tempered (default 6)"},
                 &Draws::temperatures, whole_rule(2, 50)),
             field<Draws>(
                 {"warmup", "N", "iterations that are not kept (default 2000 + 300 per parameter)",
                  always},
                 &Draws::warmup, long_rule(1, 100000000)),
             field<Draws>(
                 {"thin", "N",
                  "iterations between draws that are kept (default: the number of parameters)",
                  always},
                 &Draws::thin, long_rule(1, 1000000)),
             field<Draws>({"band-samples", "N", "draws that the bands are made of (default 1000)"},
                          &Draws::band_samples, long_rule(1, 100000000)),
         };
}

// What only fits along the data know of, said to another method, would be ignored.
void check_linear_options(const Fit& options, const OptimizerTraits& method) {
  if (!method.linearity.empty()) return;
  std::vector<std::string> linear;
  for (const OptimizerEntry& entry : optimizers())
    if (!entry.traits.linearity.empty()) linear.emplace_back(entry.traits.name);
  for (const char* name :
       {"quadrature", "bias-correction", "nonnegative", "weight", "memory", "point-weight"})
    if (fit_fields()[field_index(infos(fit_fields()), name)].given(options))
      throw OptionError(option(name) + " goes with " + option("method") + " " + either(linear) +
                        ", not with '" + options.method + "'");
}

// What goes together: the method with its options, a run to go on with and its directory.
void check_together(const Fit& options) {
  const OptimizerEntry& method = named_optimizer(options.method);
  check_own_options(method.traits, [&](std::string_view name) {
    return search_fields()[field_index(infos(search_fields()), name)].given(options);
  });
  if (method.make) method.make(options);
  check_linear_options(options, method.traits);
  if (options.resume && options.output.empty())
    throw OptionError(option("resume") + " needs the folder of the run, -o DIR");
}

void require_search(const Fit& options, const std::string& what) {
  if (named_optimizer(options.method).traits.linearity.empty()) return;
  throw OptionError(what + " needs a method that searches, not '" + options.method + "'",
                    option("start-from") + " " + options.method + " starts one there");
}

}  // namespace

const FieldTable<Fit>& search_fields() {
  static const FieldTable<Fit> table = make_search_fields();
  return table;
}
const FieldTable<Fit>& fit_fields() {
  static const FieldTable<Fit> table = make_fit_fields();
  return table;
}
const FieldTable<Profiles>& profile_fields() {
  static const FieldTable<Profiles> table = make_profile_fields();
  return table;
}
const FieldTable<Draws>& posterior_fields() {
  static const FieldTable<Draws> table = make_posterior_fields();
  return table;
}

void check_options(const Fit& options) {
  check_fields(fit_fields(), options);
  check_together(options);
  linear_options(options, LinearMethod::integral);  // reads the formulas
  if (options.bootstrap > 0) require_search(options, "a bootstrap");
  for (const auto& [name, given] : {std::pair{"interest", !options.interest.empty()},
                                    std::pair{"measurable", !options.measurable.empty()}}) {
    if (!given) continue;
    if (!options.advice)
      throw OptionError(option(name) + " is about advice, and " + option("advice") +
                        " no does without");
    require_search(options, "advice on measurements (" + option(name) + ")");
  }
  if (options.bootstrap == 0 && options.bootstrap_kind != Fit().bootstrap_kind)
    throw OptionError(option("bootstrap-kind") + " goes with " + option("bootstrap") + " N");
}

void check_options(const Profiles& options) {
  check_fields(profile_fields(), options);
  check_together(options.fit);
  require_search(options.fit, "a profile");
}

void check_options(const Draws& options) {
  check_fields(posterior_fields(), options);
  check_together(options.fit);
  require_search(options.fit, "an ensemble");
  if (options.temperatures > 0 && options.sampler != "tempered")
    throw OptionError(option("temperatures") + " goes with " + option("sampler") + " tempered");
}

}  // namespace stiffit::internal
