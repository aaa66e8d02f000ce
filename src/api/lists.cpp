// SPDX-License-Identifier: Apache-2.0
#include "stiffit/lists.h"

#include "base/diagnostic.h"
#include "base/version.h"
#include "model/library/library.h"
#include "ode/simulate.h"
#include "stiffit/errors.h"

namespace stiffit::api {

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

}  // namespace stiffit::api
