// SPDX-License-Identifier: Apache-2.0
#include "io/text/read_text.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "io/text/flatten_modules.h"
#include "io/text/imports.h"
#include "io/text/resolver.h"
#include "io/text/syntax/parser.h"

namespace stiffit::internal {
namespace {

bool says_something(const Statement& statement) {
  return !std::holds_alternative<Directive>(statement) &&
         !std::holds_alternative<UnitSyntax>(statement);
}

Span place_of(const Statement& statement) {
  if (auto* declaration = std::get_if<Declaration>(&statement)) return declaration->name.span;
  if (auto* assignment = std::get_if<Assignment>(&statement)) return assignment->span;
  if (auto* reaction = std::get_if<ReactionSyntax>(&statement)) return reaction->span;
  if (auto* event = std::get_if<EventSyntax>(&statement)) return event->span;
  if (auto* part = std::get_if<SubmodelSyntax>(&statement)) return part->span;
  if (auto* same = std::get_if<SameSyntax>(&statement)) return same->left.span;
  if (auto* deletion = std::get_if<DeletionSyntax>(&statement)) return deletion->name.span;
  if (auto* unsupported = std::get_if<Unsupported>(&statement)) return unsupported->span;
  if (auto* ignored = std::get_if<Ignored>(&statement)) return ignored->span;
  return {};
}

const ModelSyntax* named_model(const Syntax& syntax, std::string_view name,
                               Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const ModelSyntax& model : syntax.models) {
    if (model.name.text == name) return &model;
    names.emplace_back(model.name.text);
  }
  std::string nearest = nearest_name(name, names);
  std::string hint = names.empty() ? "the file has no 'model' blocks" : "";
  if (!nearest.empty()) hint = "did you mean '" + nearest + "'?";
  diagnostics.error({}, "no model named " + quoted(name), hint);
  return nullptr;
}

void warn_of_loose(const ModelSyntax& loose, Diagnostics& diagnostics) {
  auto found = std::find_if(loose.statements.begin(), loose.statements.end(), says_something);
  if (found != loose.statements.end())
    diagnostics.warning(place_of(*found), "statements outside of 'model' are not read",
                        "the file has a model block");
}

const ModelSyntax* choose_model(const Syntax& syntax, std::string_view name,
                                Diagnostics& diagnostics) {
  if (!name.empty()) return named_model(syntax, name, diagnostics);
  if (syntax.models.empty()) return &syntax.loose;
  Span first_file = diagnostics.source().file(0);  // what is imported is there to be used
  const ModelSyntax* last = nullptr;
  for (const ModelSyntax& model : syntax.models) {
    if (model.name.span.begin > first_file.end) continue;
    if (!last || !last->main) last = &model;
  }
  if (last) {
    warn_of_loose(syntax.loose, diagnostics);
    return last;
  }
  if (std::any_of(syntax.loose.statements.begin(), syntax.loose.statements.end(), says_something))
    return &syntax.loose;
  return &syntax.models.back();
}

void check_model_names(const Syntax& syntax, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < syntax.models.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (syntax.models[i].name.text == syntax.models[j].name.text) {
        diagnostics.error(syntax.models[i].name.span,
                          "a second model " + quoted(syntax.models[i].name.text),
                          "already defined on " +
                              diagnostics.source().line_text(syntax.models[j].name.span.begin));
        break;
      }
}

}  // namespace

TextDialect dialect_of(std::string_view name) {
  std::string ending(name.substr(std::min(name.rfind('.'), name.size())));
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending == ".ant" || ending == ".antimony" ? TextDialect::antimony : TextDialect::stiffit;
}

std::optional<Model> read_text(const std::shared_ptr<const Source>& source,
                               Diagnostics& diagnostics, std::string_view model_name,
                               const TextFiles& files, const std::string& folder,
                               TextDialect dialect) {
  (void)source;  // the findings are about it: diagnostics.source()
  gather_imports(diagnostics, folder);
  Syntax syntax = parse_text(diagnostics, dialect);
  if (diagnostics.full()) return std::nullopt;
  check_model_names(syntax, diagnostics);
  const ModelSyntax* chosen = choose_model(syntax, model_name, diagnostics);
  if (!chosen) return std::nullopt;
  std::optional<ModelSyntax> flat = flatten_modules(syntax, *chosen, diagnostics);
  if (diagnostics.full()) return std::nullopt;
  Model model = TextResolver(syntax, flat ? *flat : *chosen, diagnostics, files).resolve();
  bool says_nothing = model.species.empty() && model.parameters.empty() &&
                      model.reactions.empty() && model.rules.empty() && model.events.empty() &&
                      model.compartments.empty();
  if (says_nothing && !diagnostics.has_errors()) diagnostics.error({}, "there is no model here");
  if (diagnostics.has_errors()) return std::nullopt;
  return model;
}

}  // namespace stiffit::internal
