// SPDX-License-Identifier: Apache-2.0
#include "io/files/read_source.h"

#include <optional>

#include "io/bng/read_bng.h"
#include "io/files/load_model.h"
#include "io/sbml/read_sbml.h"
#include "io/text/read_text.h"
#include "symbolic/checks/check_start.h"
#include "symbolic/resolve_run.h"

namespace stiffit::internal {
namespace {

std::optional<Model> read(const std::shared_ptr<const Source>& source,
                          const std::map<std::string, std::string>& files,
                          Diagnostics& diagnostics) {
  auto beside = [&](const std::string& name) {
    auto found = files.find(name);
    if (found == files.end())
      throw InputError("a model that is no file reads only tables that are given beside it");
    return found->second;
  };
  switch (kind_of_model(source->name(), source->text())) {
    case ModelKind::bng:
      return read_bng(source, diagnostics);
    case ModelKind::sbml:
      return read_sbml(source, diagnostics);
    case ModelKind::text:
      break;
  }
  return read_text(source, diagnostics, {}, beside);
}

}  // namespace

SourceReading read_source(const std::string& name, const std::string& text,
                          const std::map<std::string, std::string>& files) {
  SourceReading result;
  auto source = std::make_shared<Source>(name, text);
  Diagnostics diagnostics(source);
  std::optional<Model> model = read(source, files, diagnostics);
  if (!model || diagnostics.has_errors()) {
    result.findings = placed_findings(diagnostics);
    return result;
  }
  auto read_model = std::make_shared<const Model>(std::move(*model));
  try {
    ResolvedSystem resolved = resolve_run(read_model);
    check_start(*read_model, resolved, diagnostics);
    result.findings = placed_findings(diagnostics);
    if (!diagnostics.has_errors()) result.model = std::move(read_model);
  } catch (const InputError& error) {
    result.findings = placed_findings(diagnostics);
    for (Finding& finding : rendered_findings(error.what(), name))
      result.findings.push_back(std::move(finding));
  }
  return result;
}

}  // namespace stiffit::internal
