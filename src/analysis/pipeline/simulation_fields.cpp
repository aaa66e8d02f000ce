// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/simulation_fields.h"

#include <limits>

#include "analysis/pipeline/comparison.h"
#include "analysis/pipeline/method_choice.h"
#include "analysis/pipeline/simulation_rules.h"

namespace stiffit::internal {
namespace {

constexpr long most_points = 100'000'000, any_count = std::numeric_limits<long>::max();
constexpr unsigned programs = on_command_line | in_python;  // what names a file, or only costs time
constexpr auto if_given = Provenanced::if_given, never = Provenanced::no;
constexpr const char* model_time = "the model's time";

// Of fields that several have, by the same name.
template <class O>
Field<O> start_field() {
  return field<O>({"start", "T0", "time to start at (default: the model's, else 0)", if_given,
                   on_all_surfaces, 0, model_time},
                  &O::start, number_rule());
}
template <class O>
Field<O> end_field(
    const char* help = "time to end at (default: the model's own end time, else 100)") {
  return field<O>({"end", "T", help, if_given, on_all_surfaces, 0, model_time}, &O::end,
                  number_rule());
}
template <class O>
Field<O> points_field(const char* help) {
  return field<O>({"points", "N", help, if_given}, &O::points, long_rule(1, most_points));
}
template <class O>
Field<O> method_field() {
  return field<O>(
      {"method", "M",
       "an integrator of 'stiffit methods' (default " + std::string(default_method()) + ")",
       if_given},
      &O::method, integrator_name_rule());
}
template <class O>
Field<O> rtol_field(const char* help = "relative tolerance (default 1e-6)") {
  return field<O>({"rtol", "R", help, if_given}, &O::rtol, above_zero());
}
template <class O>
Field<O> atol_field() {
  return field<O>({"atol", "A", "absolute tolerance (default: scaled for each species)", if_given},
                  &O::atol, tolerance_rule());
}
template <class O>
Field<O> max_step_field() {
  return field<O>({"max-step", "H", "no step is longer (default: as long as the errors allow)",
                   if_given, on_all_surfaces, 0, model_time},
                  &O::max_step, above_zero());
}
template <class O>
Field<O> max_steps_field(const char* help) {
  return field<O>({"max-steps", "N", help, if_given}, &O::max_steps, long_rule(1, any_count));
}
template <class O>
Field<O> step_field() {
  return field<O>({"step", "H", "fixed steps of this size, without error control", if_given,
                   on_all_surfaces, 0, model_time},
                  &O::step, above_zero());
}
template <class O>
Field<O> max_order_field() {
  return field<O>(
      {"max-order", "N", "largest order, of methods that 'stiffit methods' shows with several",
       if_given, programs},
      &O::max_order, whole_rule(1, 1000));
}
template <class O>
Field<O> set_field() {
  return field<O>(
      {"set", "name=value", "a parameter, compartment or initial value; may be repeated", if_given},
      &O::set, values_rule());
}
template <class O>
Field<O> assume_field() {
  return field<O>({"assume",
                   "size=1",
                   "for compartments that the model gives no size",
                   if_given,
                   programs,
                   0,
                   {},
                   false,
                   "assumed_size"},
                  &O::assumed_size, assumed_size_rule());
}
template <class O>
Field<O> show_field() {
  return field<O>(
      {"show", "a,b,...", "columns: names, [S] concentration, amount(S), rate(J), S'", if_given},
      &O::show, list_rule());
}
template <class O>
Field<O> threads_field() {
  return field<O>(
      {"threads", "N", "threads to use (default: all cores)", never, programs, 0, {}, true},
      [](O& o) -> int& { return o.run.threads; }, whole_rule(1, std::numeric_limits<int>::max()));
}

FieldTable<api::SimulateOptions> make_simulate_fields() {
  using O = api::SimulateOptions;
  return {
      start_field<O>(),
      end_field<O>(),
      points_field<O>("N + 1 rows, evenly spaced from start to end (default 100)"),
      field<O>({"times", "a,b,c",
                "rows at exactly these times, ascending, instead of " + option("points"), if_given,
                programs, 0, model_time},
               &O::times, numbers_rule()),
      method_field<O>(),
      rtol_field<O>(),
      atol_field<O>(),
      step_field<O>(),
      max_order_field<O>(),
      field<O>({"eigenvalues", "a,b,...", "that fitted methods are fitted to: -40 or a pair, -5+3i",
                if_given, programs},
               &O::eigenvalues, eigenvalues_rule()),
      max_step_field<O>(),
      max_steps_field<O>("give up after N steps between events (default 500000)"),
      set_field<O>(),
      assume_field<O>(),
      show_field<O>(),
      field<O>({"sensitivities",
                "p,q",
                "adds columns d(x)/d(p): parameters, compartments, initial values",
                if_given,
                programs,
                0,
                {},
                false,
                "by"},
               &O::sensitivities, names_rule()),
      field<O>({"amounts", "", "species as amounts, headers amount(S)", if_given}, &O::amounts,
               flag_rule()),
      field<O>(
          {"lanes", "1|4|8", "trajectories computed side by side (default 1)", if_given, programs},
          &O::lanes, lanes_rule()),
      threads_field<O>(),
  };
}

FieldTable<api::StiffnessOptions> make_stiffness_fields() {
  using O = api::StiffnessOptions;
  return {
      start_field<O>(),
      end_field<O>(),
      field<O>({"span", "T", "the time span of interest (default: end - start)", if_given,
                on_all_surfaces, 0, model_time},
               &O::span, above_zero()),
      points_field<O>("N + 1 rows, evenly spaced from start to end (default 800)"),
      max_step_field<O>(),
      set_field<O>(),
      assume_field<O>(),
  };
}

FieldTable<api::SteadyOptions> make_steady_fields() {
  using O = api::SteadyOptions;
  return {
      set_field<O>(),
      assume_field<O>(),
      rtol_field<O>("relative tolerance of the time course (default 1e-8)"),
      atol_field<O>(),
      max_step_field<O>(),
      max_steps_field<O>("of the time course, before it gives up (default 50000)"),
  };
}

FieldTable<api::ParameterEnsembleOptions> make_parameter_ensemble_fields() {
  using O = api::ParameterEnsembleOptions;
  return {
      field<O>({"sample", "name=dist(a,b)",
                "draws a parameter or initial value: lognormal(median,sd of log), normal(mean,sd), "
                "uniform(low,high), loguniform(low,high); may be repeated",
                if_given},
               &O::sample, sample_rule()),
      field<O>({"derive", "FORMULA",
                "a function of the parameters, with limits: \"Km = (k_1+k2)/k1\"", if_given},
               &O::derive, repeated_rule()),
      field<O>(
          {"samples", "N", "parameter sets (default 1000, or 10000 draws with data)", if_given},
          &O::samples, long_rule(1, any_count)),
      start_field<O>(),
      end_field<O>(),
      points_field<O>("N + 1 rows, evenly spaced from start to end (default 100)"),
      field<O>({"method", "M", "an integrator of 'stiffit methods'; with data: of 'stiffit fit'",
                if_given},
               &O::method, integrator_name_rule()),
      rtol_field<O>(),
      atol_field<O>(),
      max_step_field<O>(),
      set_field<O>(),
      assume_field<O>(),
      show_field<O>(),
      field<O>({"output",
                "DIR",
                "folder for bands.csv, failures.csv, result.json, report.html and the run's state",
                never,
                programs,
                'o',
                {},
                false,
                "folder"},
               &O::output, text_rule()),
      field<O>({"rows", "", "also samples.csv: the curves of every sample", if_given, programs},
               &O::rows, flag_rule()),
      field<O>(
          {"histogram", "N", "also histograms.csv: N bins for each time and quantity", if_given},
          &O::histogram, long_rule(1, 1'000'000)),
      field<O>({"resume", "", "goes on with the run in DIR", never, programs}, &O::resume,
               flag_rule()),
      field<O>({"report", "FILE.html", "a page with everything; DIR gets it as report.html", never,
                programs},
               &O::report, text_rule()),
      threads_field<O>(),
      field<O>(
          {"seed", "S", "of everything random (default 1)", if_given, on_all_surfaces, 0, {}, true},
          &O::seed, seed_rule()),
  };
}

FieldTable<api::ScanOptions> make_scan_fields() {
  using O = api::ScanOptions;
  return {
      field<O>({"vary", "name=lo:hi:n[:log]", "n values from lo to hi; may be repeated (a grid)",
                if_given},
               &O::vary, vary_rule()),
      start_field<O>(),
      end_field<O>(),
      points_field<O>("N + 1 rows for each run (default 1: start and end)"),
      method_field<O>(),
      rtol_field<O>(),
      atol_field<O>(),
      max_step_field<O>(),
      set_field<O>(),
      assume_field<O>(),
      show_field<O>(),
      threads_field<O>(),
  };
}

FieldTable<api::CompareOptions> make_compare_fields() {
  using O = api::CompareOptions;
  return {
      field<O>({"methods", "a,b,c|all", "integrators of 'stiffit methods' (default all)", if_given},
               &O::methods, list_rule()),
      field<O>({"errors", "1e-2,1e-6", "true errors to reach (default 1e-2,1e-4,1e-6)", if_given},
               &O::errors, positive_numbers_rule()),
      start_field<O>(),
      end_field<O>(),
      points_field<O>("errors are measured at N + 1 times (default 50)"),
      max_step_field<O>(),
      set_field<O>(),
      assume_field<O>(),
      max_steps_field<O>("a run that needs more has failed (default 2000000)"),
  };
}

FieldTable<api::ReduceOptions> make_reduce_fields() {
  using O = api::ReduceOptions;
  return {
      field<O>(
          {"fast", "a,b", "species taken to be at rest at all times (default: proposed)", if_given},
          &O::fast, list_rule()),
      field<O>(
          {"constant", "c,d", "slow and abundant species, held at their initial values", if_given},
          &O::constant, list_rule()),
      field<O>(
          {"composite", "", "adds NAME_composite: fast species with their initial layer", if_given},
          &O::composite, flag_rule()),
      field<O>({"polynomial", "", "the quadratic form: functions and products become variables",
                if_given},
               &O::polynomial, flag_rule()),
      set_field<O>(),
      assume_field<O>(),
      end_field<O>("both are compared up to here (default: the model's own end time, else 100)"),
      points_field<O>("compared at N + 1 times (default 200)"),
      rtol_field<O>("relative tolerance of both runs (default 1e-9)"),
  };
}

FieldTable<api::IntegrateOptions> make_integrate_fields() {
  using O = api::IntegrateOptions;
  return {
      method_field<O>(),
      rtol_field<O>(),
      atol_field<O>(),
      step_field<O>(),
      max_order_field<O>(),
      max_step_field<O>(),
      max_steps_field<O>("give up after N steps between events (default 500000)"),
  };
}

// The order and the fitted eigenvalues that a method can have.
void check_order(const MethodEntry& method, int order) {
  const std::string name(method.info.name);
  if (order > 0 && method.largest_order == 0)
    throw OptionError(option("max-order") + ": method '" + name + "' has one order only");
  if (order > method.largest_order)
    throw OptionError(option("max-order") + " is at most " + std::to_string(method.largest_order) +
                      " for method '" + name + "'");
}

void check_eigenvalues(const MethodEntry& method,
                       const std::vector<std::complex<double>>& eigenvalues) {
  if (eigenvalues.empty()) return;
  const std::string name(method.info.name);
  if (method.fitted_to == 0)
    throw OptionError(option("eigenvalues") + " is for fitted methods; '" + name + "' is none");
  for (const std::complex<double>& value : eigenvalues)
    if (value.imag() != 0 && method.fitted_to < 2)
      throw OptionError("method '" + name + "' can be fitted to a real eigenvalue only",
                        methods_listed([](const MethodEntry& m) { return m.fitted_to > 1; }) +
                            " can be fitted to a pair");
}

void check_fixed_step(double step, double max_step) {
  if (max_step < step) throw OptionError(option("step") + " is longer than " + option("max-step"));
}

// Of runs side by side.
void require_error_control(const std::string& method) {
  if (named_method(method).fixed_step_only)
    throw OptionError("method '" + method + "' has no error control",
                      "choose one that finds its own steps; 'stiffit methods' lists them");
}

void check_times(const api::SimulateOptions& o) {
  if (o.times.empty()) return;
  const FieldTable<api::SimulateOptions>& table = simulate_fields();
  for (const char* other : {"points", "end"})
    if (table[field_index(infos(table), other)].given(o))
      throw OptionError(option("times") + " and " + option(other) + " exclude each other");
}

}  // namespace

const FieldTable<api::SimulateOptions>& simulate_fields() {
  static const FieldTable<api::SimulateOptions> table = make_simulate_fields();
  return table;
}
const FieldTable<api::StiffnessOptions>& stiffness_fields() {
  static const FieldTable<api::StiffnessOptions> table = make_stiffness_fields();
  return table;
}
const FieldTable<api::SteadyOptions>& steady_fields() {
  static const FieldTable<api::SteadyOptions> table = make_steady_fields();
  return table;
}
const FieldTable<api::ParameterEnsembleOptions>& parameter_ensemble_fields() {
  static const FieldTable<api::ParameterEnsembleOptions> table = make_parameter_ensemble_fields();
  return table;
}
const FieldTable<api::ScanOptions>& scan_fields() {
  static const FieldTable<api::ScanOptions> table = make_scan_fields();
  return table;
}
const FieldTable<api::CompareOptions>& compare_fields() {
  static const FieldTable<api::CompareOptions> table = make_compare_fields();
  return table;
}
const FieldTable<api::ReduceOptions>& reduce_fields() {
  static const FieldTable<api::ReduceOptions> table = make_reduce_fields();
  return table;
}
const FieldTable<api::IntegrateOptions>& integrate_fields() {
  static const FieldTable<api::IntegrateOptions> table = make_integrate_fields();
  return table;
}

void check_options(const api::SimulateOptions& o) {
  check_fields(simulate_fields(), o);
  check_times(o);
  const MethodEntry& method = named_method(o.method);
  require_suitable_step(method, o.step > 0);
  if (!method.lanes && o.lanes != 1)
    throw OptionError("method '" + o.method + "' runs in one lane only");
  if (!o.sensitivities.empty()) {
    if (o.lanes != 1)
      throw OptionError(option("sensitivities") +
                        " runs in one lane; the lanes hold the derivatives");
    require_sensitivities(o.method);
  }
  check_fixed_step(o.step, o.max_step);
  check_order(method, o.max_order);
  check_eigenvalues(method, o.eigenvalues);
}

void check_options(const api::StiffnessOptions& o) { check_fields(stiffness_fields(), o); }

void check_options(const api::SteadyOptions& o) { check_fields(steady_fields(), o); }

void check_options(const api::ParameterEnsembleOptions& o) {
  if (o.sample.empty())
    throw OptionError("ensemble needs at least one " + option("sample") + " name=dist(...)",
                      "for instance " + option("sample") + " \"k1=lognormal(1,0.2)\"");
  check_fields(parameter_ensemble_fields(), o);
  require_error_control(o.method);
  if (!o.output.empty()) return;
  for (const auto& [name, given] : std::initializer_list<std::pair<const char*, bool>>{
           {"resume", o.resume}, {"rows", o.rows}, {"histogram", o.histogram > 0}})
    if (given)
      throw OptionError(option(name) + " needs the folder of the run", "name it with -o DIR");
}

void check_options(const api::ScanOptions& o) {
  if (o.vary.empty())
    throw OptionError("scan needs at least one " + option("vary") + " name=lo:hi:n");
  check_fields(scan_fields(), o);
  require_error_control(o.method);
}

void check_options(const api::CompareOptions& o) {
  check_fields(compare_fields(), o);
  methods_to_compare(o.methods);
}

void check_options(const api::ReduceOptions& o) { check_fields(reduce_fields(), o); }

void check_options(const api::IntegrateOptions& o) {
  check_fields(integrate_fields(), o);
  check_fixed_step(o.step, o.max_step);
  check_order(named_method(o.method), o.max_order);
}

}  // namespace stiffit::internal
