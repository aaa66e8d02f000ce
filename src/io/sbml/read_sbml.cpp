// SPDX-License-Identifier: Apache-2.0
#include "io/sbml/read_sbml.h"

#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>

#include "base/cpu_clock.h"
#include "base/folder.h"
#include "io/sbml/sbml_document.h"
#include "io/sbml/sbml_guard.h"
#include "io/sbml/sbml_model.h"

namespace stiffit::internal {

namespace {
constexpr int longest_chain = 20;  // from one external definition to the next
std::mutex libsbml;  // its registries are shared by the process and not made for threads
}  // namespace

std::optional<Model> read_sbml(const std::shared_ptr<const Source>& source,
                               Diagnostics& diagnostics, const std::string& folder,
                               const std::string& submodel, double* libsbml_seconds) {
  WantedModel wanted{submodel, {}};
  std::error_code trouble;
  std::filesystem::path root, beside = folder;
  if (!folder.empty()) root = beside = std::filesystem::canonical(folder, trouble);
  std::shared_ptr<const Source> current = source;
  for (int files = 0; files < longest_chain; ++files) {
    std::optional<GuardedText> guarded = guard_sbml(current->text(), diagnostics);
    if (!guarded) return std::nullopt;
    SbmlPlaces places(*current, *guarded);
    std::lock_guard lock(libsbml);
    wanted.file.clear();
    const double before = thread_cpu_seconds();
    auto document = open_sbml(*guarded, places, beside.string(), wanted, diagnostics);
    if (libsbml_seconds) *libsbml_seconds += thread_cpu_seconds() - before;
    if (document) {
      Model model;
      model.source = current;
      SbmlModel(*document->getModel(), places, diagnostics, model).read();
      if (diagnostics.has_errors()) return std::nullopt;
      return model;
    }
    if (wanted.file.empty()) return std::nullopt;
    // The model asked for is defined in another file: what is found from here on is about that.
    FolderFile found = find_in_folder(root, beside, wanted.file);
    if (found.path.empty()) {
      diagnostics.error({}, "cannot read the external model '" + wanted.file + "'", found.reason);
      return std::nullopt;
    }
    std::ifstream file(found.path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    current = std::make_shared<const Source>(found.path.filename().string(), text.str());
    beside = found.path.parent_path();
    diagnostics.now_about(current);
  }
  diagnostics.error({}, "the external definitions of '" + submodel + "' refer to each other");
  return std::nullopt;
}

}  // namespace stiffit::internal
