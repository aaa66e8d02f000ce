// SPDX-License-Identifier: Apache-2.0
#include "read/sbml/read_sbml.h"

#include <mutex>

#include "read/sbml/sbml_document.h"
#include "read/sbml/sbml_guard.h"
#include "read/sbml/sbml_model.h"

namespace stiffit {

namespace {
std::mutex libsbml;  // its registries are shared by the process and not made for threads
}

std::optional<Model> read_sbml(const std::shared_ptr<const Source>& source,
                               Diagnostics& diagnostics, const std::string& folder) {
  std::optional<GuardedText> guarded = guard_sbml(source->text(), diagnostics);
  if (!guarded) return std::nullopt;
  SbmlPlaces places(*source, *guarded);
  std::lock_guard lock(libsbml);
  std::unique_ptr<SBMLDocument> document = open_sbml(*guarded, places, folder, diagnostics);
  if (!document) return std::nullopt;
  Model model;
  model.source = source;
  SbmlModel(*document->getModel(), places, diagnostics, model).read();
  if (diagnostics.has_errors()) return std::nullopt;
  return model;
}

}  // namespace stiffit
