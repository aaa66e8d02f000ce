// From the syntax of one model to the Model: roles of names, values, rules, reactions, events.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "io/text/expression_builder.h"
#include "io/text/syntax/lexer.h"
#include "io/text/syntax/symbols.h"
#include "io/text/syntax/syntax.h"
#include "model/model.h"

namespace stiffit::internal {

class TextResolver {
 public:
  TextResolver(const Syntax& syntax, const ModelSyntax& chosen, Diagnostics& diagnostics,
               const TextFiles& files);
  Model resolve();

 private:
  // Names (resolver.cpp).
  void settle_role(Symbol& symbol);
  bool is_misspelt_species(const Symbol& symbol);
  void define(Symbol& symbol);
  void define_species(Symbol& symbol);
  void define_slopes(Symbol& symbol);
  std::int32_t compartment_of(const Word& name);
  void check_changes(const Symbol& symbol);

  // Units (resolve_unit.cpp).
  void define_units();

  // Values and rules (resolve_value.cpp).
  void set_values(Symbol& symbol);
  void set_initial(Ref target, const Expression& value, Span span);
  bool amount_over_compartment(const Symbol& symbol, double& amount) const;
  void add_rules(const Symbol& symbol);
  void warn_without_value(const Symbol& symbol);
  void apply_directives(const ModelSyntax& from);
  void apply_directive(const Word& directive);

  // Reactions and events (resolve_reaction.cpp).
  void add_reaction(const ReactionSyntax& reaction);
  void add_interaction(const ReactionSyntax& interaction);
  std::vector<SpeciesReference> references(const std::vector<Participant>& side);
  ExprId rate_of_reaction(const ReactionSyntax& syntax, const Reaction& reaction);
  ExprId antimony_rate(const ReactionSyntax& syntax);
  void warn_of_other_reading(const ReactionSyntax& syntax);
  bool is_single_constant(const ReactionSyntax& syntax);
  ExprId mass_action(ExprId constant, const ReactionSyntax& syntax, const Reaction& reaction,
                     bool forward);
  void add_modifiers(Reaction& reaction, std::size_t first_node);
  void add_event(const EventSyntax& event);
  void mark_fast();
  std::string unused_id(std::string_view prefix, int& counter) const;

  std::string on_line(Span span) const {
    return "on " + diagnostics_.source().line_text(span.begin);
  }

  const Syntax& syntax_;
  const ModelSyntax& chosen_;
  Diagnostics& diagnostics_;
  Model model_;
  SymbolTable symbols_;
  ExpressionBuilder build_;
  bool says_mass_action_ = false;  // a line '#: mass-action'
  // Listed species by their names with one letter left out.
  std::unordered_map<std::string, std::vector<std::string_view>> near_listed_;
  bool has_algebraic_rules_ = false;
  std::vector<Word> fast_;  // reactions of `#: fast`
  int unnamed_reactions_ = 0, unnamed_events_ = 0;
};

// Assignment rules, or initial values, that need each other: an error that names the circle.
void check_circles(const Model& model, Diagnostics& diagnostics);

}  // namespace stiffit::internal
