// SPDX-License-Identifier: Apache-2.0
#include "stiffit/lists.h"

#include "analysis/pipeline/simulation_fields.h"
#include "api/impl.h"
#include "base/diagnostic.h"
#include "base/version.h"
#include "estimation/optimizers/optimizer.h"
#include "estimation/pipeline/evaluate_fields.h"
#include "estimation/pipeline/fit_fields.h"
#include "model/library/library.h"
#include "ode/method_registry.h"
#include "stiffit/errors.h"

namespace stiffit {
inline namespace api {
namespace {

const auto& table_of(const SimulateOptions&) { return simulate_fields(); }
const auto& table_of(const StiffnessOptions&) { return stiffness_fields(); }
const auto& table_of(const SteadyOptions&) { return steady_fields(); }
const auto& table_of(const ParameterEnsembleOptions&) { return parameter_ensemble_fields(); }
const auto& table_of(const ScanOptions&) { return scan_fields(); }
const auto& table_of(const CompareOptions&) { return compare_fields(); }
const auto& table_of(const ReduceOptions&) { return reduce_fields(); }
const auto& table_of(const IntegrateOptions&) { return integrate_fields(); }
const auto& table_of(const ObjectiveOptions&) { return objective_fields(); }
const auto& table_of(const EvaluateOptions&) { return evaluate_fields(); }
const auto& table_of(const FitOptions&) { return fit_fields(); }
const auto& table_of(const ProfileOptions&) { return profile_fields(); }
const auto& table_of(const PosteriorOptions&) { return posterior_fields(); }

// As ListedMethod calls it.
std::string word_for(MethodRole role) {
  switch (role) {
    case MethodRole::none:
      return "";
    case MethodRole::standard:
      return "standard";
    case MethodRole::stiff:
      return "stiff";
    case MethodRole::large_stiff:
      return "large stiff";
    case MethodRole::accurate_stiff:
      return "accurate stiff";
    case MethodRole::non_stiff:
      return "non-stiff";
    case MethodRole::reference:
      return "reference";
  }
  return "";
}

}  // namespace

std::string version() { return internal::version(); }

std::vector<ListedModel> models() {
  std::vector<ListedModel> list;
  for (const LibraryModel& m : library_models())
    list.push_back({std::string(m.name), std::string(m.title)});
  return list;
}

std::string model_text(const std::string& name) {
  if (const LibraryModel* found = find_library_model(name)) return std::string(found->text);
  std::vector<std::string> names;
  for (const LibraryModel& m : library_models()) names.emplace_back(m.name);
  const std::string nearest = nearest_name(name, names);
  throw InputError("error: no library model is called '" + name + "'\n" +
                   (nearest.empty() ? "" : "  did you mean '" + nearest + "'?\n"));
}

std::vector<ListedMethod> methods() {
  std::vector<ListedMethod> list;
  for (const MethodEntry& entry : method_entries()) {
    const MethodInfo& m = entry.info;
    list.push_back({std::string(m.name), std::string(m.family), std::string(m.order),
                    std::string(m.stability), std::string(m.use), entry.fixed_steps,
                    entry.fixed_step_only, entry.gives_sensitivities(), word_for(entry.role)});
  }
  return list;
}

std::vector<ListedOptimizer> optimizers() {
  std::vector<ListedOptimizer> list;
  for (const OptimizerEntry& entry : internal::optimizers()) {
    const OptimizerTraits& t = entry.traits;
    list.push_back({std::string(t.name), t.gradient, t.residuals, t.population,
                    !t.linearity.empty(), t.resumable, t.distributable});
  }
  return list;
}

template <class Options>
std::vector<ListedOption> option_list(const std::string& before) {
  std::vector<ListedOption> list;
  for (const FieldInfo& f : table_of(Options()))
    list.push_back({f.name, f.value, spelled(f.help, before), f.type, f.range, f.unit, f.fallback,
                    f.choices, f.keyword(), f.shown(on_command_line), f.shown(on_server),
                    f.shown(in_python), f.repeated, f.letter, f.in_general,
                    f.provenance != Provenanced::no});
  return list;
}

template <class Options>
void set_option(Options& options, const std::string& name, const std::vector<std::string>& values) {
  at_border(nullptr, [&] { read_field(table_of(options), name, values, options); });
}

template <class Options>
std::vector<std::pair<std::string, std::vector<std::string>>> given_options(
    const Options& options) {
  return given_fields(table_of(options), options);
}

template <class Options>
void validate(const Options& options) {
  at_border(nullptr, [&] { check_options(options); });
}

// Of every struct that has a table.
#define STIFFIT_OPTIONS(Options)                                                           \
  template std::vector<ListedOption> option_list<Options>(const std::string&);             \
  template void set_option(Options&, const std::string&, const std::vector<std::string>&); \
  template std::vector<std::pair<std::string, std::vector<std::string>>> given_options(    \
      const Options&);                                                                     \
  template void validate(const Options&);
STIFFIT_OPTIONS(SimulateOptions)
STIFFIT_OPTIONS(StiffnessOptions)
STIFFIT_OPTIONS(SteadyOptions)
STIFFIT_OPTIONS(ParameterEnsembleOptions)
STIFFIT_OPTIONS(ScanOptions)
STIFFIT_OPTIONS(CompareOptions)
STIFFIT_OPTIONS(ReduceOptions)
STIFFIT_OPTIONS(IntegrateOptions)
STIFFIT_OPTIONS(ObjectiveOptions)
STIFFIT_OPTIONS(EvaluateOptions)
STIFFIT_OPTIONS(FitOptions)
STIFFIT_OPTIONS(ProfileOptions)
STIFFIT_OPTIONS(PosteriorOptions)
#undef STIFFIT_OPTIONS

}  // namespace api
}  // namespace stiffit
