// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/method_choice.h"

#include "base/diagnostic.h"
#include "base/option_error.h"

namespace stiffit::internal {

const MethodEntry& named_method(const std::string& name) {
  if (const MethodEntry* entry = find_method(name)) return *entry;
  std::vector<std::string> names;
  for (const MethodInfo& info : methods()) names.emplace_back(info.name);
  const std::string nearest = nearest_name(name, names);
  throw OptionError("unknown method '" + name + "'", nearest.empty()
                                                         ? "'stiffit methods' lists them"
                                                         : "did you mean '" + nearest + "'?");
}

void require_suitable_step(const MethodEntry& method, bool step_given) {
  const std::string name(method.info.name);
  if (method.fixed_step_only && !step_given)
    throw OptionError("method '" + name + "' has no error control, it needs " + option("step") +
                      " H");
  if (!method.fixed_steps && step_given)
    throw OptionError("method '" + name + "' chooses its own steps, it takes no " + option("step"));
}

void require_sensitivities(const std::string& method) {
  if (!named_method(method).gives_sensitivities())
    throw OptionError("method '" + method + "' gives no sensitivities",
                      methods_with_sensitivities() + " do");
}

}  // namespace stiffit::internal
