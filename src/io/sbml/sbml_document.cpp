// SPDX-License-Identifier: Apache-2.0
#include "io/sbml/sbml_document.h"

#include <sbml/extension/SBasePlugin.h>
#include <sbml/packages/comp/common/CompExtensionTypes.h>

#include <algorithm>

#include "io/sbml/sbml_flatten.h"
#include "io/sbml/sbml_interrupt.h"

namespace stiffit::internal {

Span SbmlPlaces::at(unsigned line, unsigned column) const {
  std::string_view text = source_.text();
  std::string_view row = source_.line(static_cast<int>(line));
  if (!known_ || line == 0 || row.data() == nullptr) return {};
  auto start = row.data() - text.data();
  auto offset = static_cast<std::ptrdiff_t>(column) - 1;
  if (static_cast<int>(line) == shifted_line_) offset -= shift_;
  offset = start + std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(row.size()));
  std::size_t end = offset;
  if (end == text.size() || text[end] != '<') {  // parsers report the end of a tag
    std::size_t begin = end == 0 ? std::string_view::npos : text.rfind('<', end - 1);
    while (end < text.size() && (text[end] == '/' || text[end] == '>')) ++end;
    if (begin != std::string_view::npos && end - begin < 2000)
      return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  if (end >= text.size()) end = text.empty() ? 0 : text.size() - 1;
  return {static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(end + 1)};
}

namespace {

std::string one_line(std::string text) {
  if (std::size_t reference = text.find("Reference:"); reference != std::string::npos) {
    // What follows the reference speaks of this file; what stands before quotes the standard.
    std::size_t end = text.find('\n', reference);
    std::string own = end == std::string::npos ? std::string() : text.substr(end + 1);
    if (own.find_first_not_of(" \n\t") != std::string::npos)
      text = own;
    else
      text.erase(reference);
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Broken XML and unreadable mathematics cannot be worked around; libSBML reads on past breaches of
// the schema (a wrong annotation, an element of another level), and so do we, with a warning.
bool is_fatal(const XMLError& error) {
  if (error.getSeverity() < LIBSBML_SEV_ERROR) return false;
  switch (error.getCategory()) {
    case LIBSBML_CAT_XML:
    case LIBSBML_CAT_SYSTEM:
    case LIBSBML_CAT_INTERNAL:
    case LIBSBML_CAT_MATHML_CONSISTENCY:
      return true;
    default:
      return error.getSeverity() == LIBSBML_SEV_FATAL;
  }
}

constexpr int most_warnings = 10;  // of one file; sloppy writers repeat themselves

void report_log(const SBMLDocument& document, const SbmlPlaces& places, Diagnostics& diagnostics) {
  const bool unusable = document.getModel() == nullptr;
  int warnings = 0;
  for (unsigned i = 0; i < document.getNumErrors(); ++i) {
    const SBMLError& error = *document.getError(i);
    if (error.getSeverity() < LIBSBML_SEV_ERROR) continue;
    // Unknown packages are judged by name below.
    if (error.getErrorId() == RequiredPackagePresent) continue;
    std::string message = one_line(error.getMessage());
    std::string title = one_line(error.getShortMessage());
    if (message.empty()) message = title;
    Span span = places.at(error.getLine(), error.getColumn());
    if (is_fatal(error) || unusable)
      diagnostics.error(span, message, title == message ? std::string() : title);
    else if (++warnings <= most_warnings)
      diagnostics.warning(span, message, title == message ? std::string() : title);
  }
  if (warnings > most_warnings)
    diagnostics.warning(
        {}, std::to_string(warnings - most_warnings) + " more breaches of the SBML schema");
  if (unusable && !diagnostics.has_errors()) diagnostics.error({}, "the file holds no model");
}

// Packages that do not touch what a simulation computes, or that are handled here.
bool is_supported(const std::string& package) {
  for (const char* known : {"comp", "fbc", "l3v2extendedmath", "layout", "render", "groups"})
    if (package == known) return true;
  return false;
}

// Of distrib only its functions change the mathematics: uncertainties are said about values.
bool draws_numbers(const std::string& text) {
  return text.find("/symbols/distrib/") != std::string::npos ||
         text.find("drawFromDistribution") != std::string::npos;
}

void judge_packages(SBMLDocument& document, const std::string& text, Diagnostics& diagnostics) {
  auto refuse = [&](const std::string& name) {
    if (name == "distrib" && !draws_numbers(text)) return;
    diagnostics.error({}, "the model needs the SBML package '" + name + "'",
                      "it changes the mathematics and is not supported");
  };
  for (unsigned i = 0; i < document.getNumPlugins(); ++i) {
    const std::string& name = document.getPlugin(i)->getPackageName();
    if (document.getPackageRequired(name) && !is_supported(name)) refuse(name);
  }
  for (int i = 0; i < document.getNumUnknownPackages(); ++i)
    if (document.getPackageRequired(document.getUnknownPackageURI(i)))
      refuse(document.getUnknownPackagePrefix(i));
}

// Makes the definition of that id the document's model. False if it is not here.
bool pick_model(SBMLDocument& document, WantedModel& wanted, Diagnostics& diagnostics) {
  if (wanted.id.empty() || document.getModel()->getId() == wanted.id) return true;
  std::vector<std::string> known{document.getModel()->getId()};
  if (auto* plugin = static_cast<CompSBMLDocumentPlugin*>(document.getPlugin("comp"))) {
    if (const ModelDefinition* found = plugin->getModelDefinition(wanted.id)) {
      const ::Model model(*found);
      if (document.setModel(&model) == LIBSBML_OPERATION_SUCCESS) return true;
      diagnostics.error({}, "libSBML cannot use the model '" + wanted.id + "'");
      return false;
    }
    if (const ExternalModelDefinition* found = plugin->getExternalModelDefinition(wanted.id)) {
      wanted = {found->getModelRef(), found->getSource()};
      return false;
    }
    for (unsigned i = 0; i < plugin->getNumModelDefinitions(); ++i)
      known.push_back(plugin->getModelDefinition(i)->getId());
    for (unsigned i = 0; i < plugin->getNumExternalModelDefinitions(); ++i)
      known.push_back(plugin->getExternalModelDefinition(i)->getId());
  }
  std::string near = nearest_name(wanted.id, known);
  std::string all;
  for (const std::string& id : known) all += (all.empty() || id.empty() ? "" : ", ") + id;
  diagnostics.error({}, "no model named '" + wanted.id + "'",
                    !near.empty()  ? "did you mean '" + near + "'?"
                    : !all.empty() ? "the file has " + all
                                   : "the file has one model only");
  return false;
}

}  // namespace

std::unique_ptr<SBMLDocument> open_sbml(const GuardedText& guarded, SbmlPlaces& places,
                                        const std::string& folder, WantedModel& wanted,
                                        Diagnostics& diagnostics) {
  std::unique_ptr<SBMLDocument> document;
  std::string reason;
  try {
    const SbmlInterrupt interrupt;
    document.reset(readSBMLFromString(guarded.text.c_str()));
    interrupt.check();
  } catch (const SBMLConstructorException& error) {
    reason = error.what();
  }
  if (!document) {
    diagnostics.error({}, "libSBML cannot read the file", reason);
    return nullptr;
  }
  report_log(*document, places, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  judge_packages(*document, guarded.text, diagnostics);
  if (diagnostics.has_errors() || !pick_model(*document, wanted, diagnostics)) return nullptr;
  if (!flatten_sbml(*document, places, folder, diagnostics)) return nullptr;
  return document;
}

}  // namespace stiffit::internal
