// SPDX-License-Identifier: Apache-2.0
#include "stiffit/lists.h"

#include "api/inside.h"
#include "base/diagnostic.h"
#include "base/version.h"
#include "estimation/optimizers/optimizer.h"
#include "estimation/pipeline/fit_fields.h"
#include "model/library/library.h"
#include "ode/simulate.h"
#include "stiffit/errors.h"

namespace stiffit::api {
namespace {

template <class Options>
std::vector<ListedOption> listed(const FieldTable<Options>& table) {
  std::vector<ListedOption> list;
  for (const FieldInfo& f : table)
    if (f.shown(in_python))
      list.push_back({f.keyword(), f.value, spelled(f.help, ""), f.type, f.range, f.unit,
                      f.fallback, f.choices});
  return list;
}

template <class Options>
void set(const FieldTable<Options>& table, Options& options, const std::string& name,
         const std::vector<std::string>& values) {
  at_border(nullptr, [&] {
    const FieldTable<Options> shown = on_surface(table, in_python);
    read_field(shown, name, values, options);
  });
}

}  // namespace

std::string version() { return stiffit::version(); }

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
  throw InputError("error: the library has no model '" + name + "'\n" +
                   (nearest.empty() ? "" : "  did you mean '" + nearest + "'?\n"));
}

std::vector<ListedMethod> methods() {
  std::vector<ListedMethod> list;
  for (const MethodInfo& m : stiffit::methods())
    list.push_back({std::string(m.name), std::string(m.family), std::string(m.order),
                    std::string(m.stability), std::string(m.use)});
  return list;
}

std::vector<ListedOptimizer> optimizers() {
  std::vector<ListedOptimizer> list;
  for (const OptimizerEntry& entry : stiffit::optimizers()) {
    const OptimizerTraits& t = entry.traits;
    list.push_back({std::string(t.name), t.gradient, t.residuals, t.population,
                    !t.linearity.empty(), t.resumable, t.distributable});
  }
  return list;
}

std::vector<ListedOption> fit_option_list() { return listed(fit_fields()); }
std::vector<ListedOption> profile_option_list() { return listed(profile_fields()); }
std::vector<ListedOption> posterior_option_list() { return listed(posterior_fields()); }

void set_option(FitOptions& options, const std::string& name,
                const std::vector<std::string>& values) {
  set(fit_fields(), options, name, values);
}
void set_option(ProfileOptions& options, const std::string& name,
                const std::vector<std::string>& values) {
  set(profile_fields(), options, name, values);
}
void set_option(PosteriorOptions& options, const std::string& name,
                const std::vector<std::string>& values) {
  set(posterior_fields(), options, name, values);
}

}  // namespace stiffit::api
