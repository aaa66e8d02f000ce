// SPDX-License-Identifier: Apache-2.0
#include "io/sbml/sbml_flatten.h"

#include <sbml/conversion/ConversionProperties.h>
#include <sbml/packages/comp/common/CompExtensionTypes.h>
#include <sbml/packages/comp/util/SBMLResolver.h>
#include <sbml/packages/comp/util/SBMLResolverRegistry.h>
#include <sbml/packages/comp/util/SBMLUri.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/folder.h"
#include "io/sbml/sbml_document.h"

namespace stiffit::internal {

namespace {

namespace fs = std::filesystem;

// The flattening under way on this thread; libSBML knows one resolver for the whole process.
struct Flattening {
  fs::path folder;
  Diagnostics* diagnostics = nullptr;
  int files = 0;
};
thread_local Flattening* current = nullptr;

constexpr int most_files = 1000;  // definitions that refer to each other for ever

// Reads files below the model's folder, and those only. libSBML's own resolver would also look
// into the working directory and follow absolute paths.
class FolderResolver : public SBMLResolver {
 public:
  SBMLResolver* clone() const override { return new FolderResolver(*this); }

  SBMLUri* resolveUri(const std::string& uri, const std::string& base) const override {
    fs::path path = locate(uri, base);
    return path.empty() ? nullptr : new SBMLUri(path.string());
  }

  SBMLDocument* resolve(const std::string& uri, const std::string& base) const override {
    fs::path path = locate(uri, base);
    if (path.empty()) return nullptr;
    if (++current->files > most_files) return refuse(uri, "too many external files");
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    auto source = std::make_shared<const Source>(path.filename().string(), text.str());
    Diagnostics findings(source);
    auto guarded = guard_sbml(source->text(), findings);
    if (!guarded) {
      const Diagnostic& first = findings.items().front();
      return refuse(uri, first.message + " (" + source->line_text(first.span.begin) + ")");
    }
    try {
      SBMLDocument* document = readSBMLFromString(guarded->text.c_str());
      if (document) document->setLocationURI(path.string());
      return document;
    } catch (const SBMLConstructorException& error) {
      return refuse(uri, error.what());
    }
  }

 private:
  static SBMLDocument* refuse(const std::string& uri, const std::string& why) {
    if (current)
      current->diagnostics->error({}, "cannot read the external model '" + uri + "'", why);
    return nullptr;
  }

  // The file that is meant, or an empty path if it is not one of ours.
  static fs::path locate(const std::string& uri, const std::string& base) {
    if (!current) return {};
    // libSBML writes a resolved place as a URI.
    std::string from = base.starts_with("file:") ? base.substr(5) : base;
    fs::path beside = from.empty() ? current->folder : fs::path(from).parent_path();
    FolderFile found = find_in_folder(current->folder, beside, uri);
    if (found.path.empty()) refuse(uri, found.reason);
    return found.path;
  }
};

void install_resolver() {
  static const bool installed = [] {
    SBMLResolverRegistry& registry = SBMLResolverRegistry::getInstance();
    while (registry.getNumResolvers() > 0) registry.removeResolver(0);
    FolderResolver resolver;
    registry.addResolver(&resolver);
    return true;
  }();
  static_cast<void>(installed);
}

constexpr int deepest = 50;
constexpr double most_submodels = 10000;

// All submodels below a model. libSBML makes each of them, and definitions that use others twice
// double them with every level.
class SubmodelCount {
 public:
  explicit SubmodelCount(const CompSBMLDocumentPlugin& definitions) : definitions_(definitions) {}

  double below(const ::Model& model, int depth = 0) {
    const auto* plugin = static_cast<const CompModelPlugin*>(model.getPlugin("comp"));
    if (!plugin) return 0;
    if (depth > deepest) return INFINITY;
    double count = 0;
    for (unsigned i = 0; i < plugin->getNumSubmodels(); ++i)
      count += 1 + of_definition(plugin->getSubmodel(i)->getModelRef(), depth + 1);
    return count;
  }

 private:
  double of_definition(const std::string& id, int depth) {
    // Zero while it is being counted: circles are told by the validation.
    auto [known, is_new] = known_.emplace(id, 0);
    if (!is_new) return known->second;
    const ::Model* definition = definitions_.getModelDefinition(id);
    const double count = definition ? below(*definition, depth) : 0;
    return known_[id] = count;
  }

  const CompSBMLDocumentPlugin& definitions_;
  std::map<std::string, double> known_;
};

}  // namespace

bool flatten_sbml(SBMLDocument& document, SbmlPlaces& places, const std::string& folder,
                  Diagnostics& diagnostics) {
  if (!document.isPackageEnabled("comp")) return true;
  const auto* definitions = static_cast<const CompSBMLDocumentPlugin*>(document.getPlugin("comp"));
  const auto* hierarchy =
      static_cast<const CompModelPlugin*>(document.getModel()->getPlugin("comp"));
  // Definitions that the model does not use, external ones too, are no matter of it.
  if (!hierarchy || (hierarchy->getNumSubmodels() == 0 && hierarchy->getNumPorts() == 0))
    return true;
  if (definitions && SubmodelCount(*definitions).below(*document.getModel()) > most_submodels) {
    diagnostics.error({}, "too many submodels",
                      "at most " + std::to_string(deepest) + " levels and " +
                          std::to_string(static_cast<int>(most_submodels)) + " submodels");
    return false;
  }
  install_resolver();
  Flattening flattening;
  std::error_code trouble;
  if (!folder.empty()) flattening.folder = fs::canonical(folder, trouble);
  flattening.diagnostics = &diagnostics;
  document.setLocationURI((flattening.folder / "model.xml").string());
  if (definitions && definitions->getNumExternalModelDefinitions() > 0) places.forget();

  // Without its validation libSBML follows circular definitions for ever; units and modelling
  // practice are no matter of flattening.
  for (auto category : {LIBSBML_CAT_UNITS_CONSISTENCY, LIBSBML_CAT_MODELING_PRACTICE,
                        LIBSBML_CAT_OVERDETERMINED_MODEL, LIBSBML_CAT_SBO_CONSISTENCY})
    document.setConsistencyChecks(category, false);
  ConversionProperties properties;
  properties.addOption("flatten comp", true);
  properties.addOption("performValidation", true);
  properties.addOption("abortIfUnflattenable", "requiredOnly");
  current = &flattening;
  int result = LIBSBML_OPERATION_FAILED;
  try {
    result = document.convert(properties);
  } catch (const SBMLConstructorException& error) {
    diagnostics.error({}, "the hierarchical model cannot be flattened", error.what());
  }
  current = nullptr;
  if (diagnostics.has_errors()) return false;
  if (result == LIBSBML_OPERATION_SUCCESS) return true;
  bool said = false;
  for (unsigned i = 0; i < document.getNumErrors(); ++i) {
    const SBMLError& error = *document.getError(i);
    if (error.getSeverity() < LIBSBML_SEV_ERROR) continue;
    said = true;
    diagnostics.error(places.at(error.getLine(), error.getColumn()), error.getMessage());
  }
  if (!said) diagnostics.error({}, "the hierarchical model cannot be flattened");
  return false;
}

}  // namespace stiffit::internal
