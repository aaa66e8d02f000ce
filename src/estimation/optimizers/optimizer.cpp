// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/optimizer.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "base/fields.h"

namespace stiffit::internal {
namespace {

std::vector<OptimizerEntry> registered() {
  std::vector<OptimizerEntry> all{trust_region_entry(), gauss_newton_entry(),
                                  multiple_shooting_entry(), gradient_flow_entry(),
                                  nelder_mead_entry()};
  for (const std::vector<OptimizerEntry>& more : {population_entries(), linear_entries()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

bool takes(const OptimizerTraits& traits, std::string_view option) {
  return std::find(traits.options.begin(), traits.options.end(), option) != traits.options.end();
}

}  // namespace

const std::vector<OptimizerEntry>& optimizers() {
  static const std::vector<OptimizerEntry> all = registered();
  return all;
}

const OptimizerEntry& default_optimizer() { return optimizers().front(); }

const OptimizerEntry* find_optimizer(std::string_view name) {
  for (const OptimizerEntry& entry : optimizers())
    if (entry.traits.name == name) return &entry;
  return nullptr;
}

const OptimizerEntry& named_optimizer(const std::string& name) {
  if (const OptimizerEntry* entry = find_optimizer(name)) return *entry;
  std::vector<std::string> names;
  for (const OptimizerEntry& entry : optimizers()) names.emplace_back(entry.traits.name);
  const std::string nearest = nearest_name(name, names);
  throw OptionError("unknown method '" + name + "'",
                    nearest.empty() ? "it is " + either(names) : "did you mean '" + nearest + "'?");
}

void check_own_options(const OptimizerTraits& traits,
                       const std::function<bool(std::string_view name)>& given) {
  for (const OptimizerEntry& entry : optimizers())
    for (std::string_view name : entry.traits.options) {
      if (takes(traits, name) || !given(name)) continue;
      std::vector<std::string> takers;
      bool populations = true;
      for (const OptimizerEntry& other : optimizers())
        if (takes(other.traits, name)) {
          takers.emplace_back(other.traits.name);
          populations = populations && other.traits.population;
        }
      if (takers.size() == 1)
        throw OptionError(option(name) + " is for the method " + takers.front() + ", not for " +
                          std::string(traits.name));
      throw OptionError(option(name) + " is for " + (populations ? "populations" : "others") +
                            ", not for " + std::string(traits.name),
                        either(takers, "and") + " are");
    }
}

}  // namespace stiffit::internal
