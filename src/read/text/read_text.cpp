// SPDX-License-Identifier: Apache-2.0
#include "read/text/read_text.h"

#include <string>
#include <vector>

#include "read/text/parser.h"
#include "read/text/resolver.h"

namespace stiffit {
namespace {

bool says_something(const Statement& statement) {
  return !std::holds_alternative<Directive>(statement) &&
         !std::holds_alternative<UnitDefinition>(statement);
}

Span place_of(const Statement& statement) {
  if (auto* declaration = std::get_if<Declaration>(&statement)) return declaration->name.span;
  if (auto* assignment = std::get_if<Assignment>(&statement)) return assignment->span;
  if (auto* reaction = std::get_if<ReactionSyntax>(&statement)) return reaction->span;
  if (auto* event = std::get_if<EventSyntax>(&statement)) return event->span;
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

const ModelSyntax* choose_model(const Syntax& syntax, std::string_view name,
                                Diagnostics& diagnostics) {
  if (!name.empty()) return named_model(syntax, name, diagnostics);
  if (syntax.models.empty()) return &syntax.loose;
  for (const Statement& statement : syntax.loose.statements)
    if (says_something(statement)) {
      diagnostics.warning(place_of(statement), "statements outside of 'model' are not read",
                          "the file has a model block");
      break;
    }
  for (const ModelSyntax& model : syntax.models)
    if (model.main) return &model;
  return &syntax.models.back();
}

void check_model_names(const Syntax& syntax, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < syntax.models.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (syntax.models[i].name.text == syntax.models[j].name.text) {
        int line = diagnostics.source().locate(syntax.models[j].name.span.begin).line;
        diagnostics.error(syntax.models[i].name.span,
                          "a second model " + quoted(syntax.models[i].name.text),
                          "already defined on line " + std::to_string(line));
        break;
      }
}

}  // namespace

std::optional<Model> read_text(const std::shared_ptr<const Source>& source,
                               Diagnostics& diagnostics, std::string_view model_name,
                               const TextFiles& files) {
  (void)source;  // the findings are about it: diagnostics.source()
  Syntax syntax = parse_text(diagnostics);
  if (diagnostics.full()) return std::nullopt;
  check_model_names(syntax, diagnostics);
  const ModelSyntax* chosen = choose_model(syntax, model_name, diagnostics);
  if (!chosen) return std::nullopt;
  Model model = TextResolver(syntax, *chosen, diagnostics, files).resolve();
  bool says_nothing = model.species.empty() && model.parameters.empty() &&
                      model.reactions.empty() && model.rules.empty() && model.events.empty() &&
                      model.compartments.empty();
  if (says_nothing && !diagnostics.has_errors()) diagnostics.error({}, "there is no model here");
  if (diagnostics.has_errors()) return std::nullopt;
  return model;
}

}  // namespace stiffit
