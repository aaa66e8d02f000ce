// All names of one text model and everything its statements say about each, whatever the order of
// the statements. In: a model's syntax. Out: the table, and findings about clashes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "io/text/syntax/syntax.h"
#include "model/model.h"

namespace stiffit::internal {

struct Symbol {
  Word id;       // at its first place
  Span defined;  // where it got its role or value; empty if only used
  Role role = Role::none;
  bool listed = false;  // in a declaration of species, const, var, ...
  bool constant = false, variable = false, boundary = false, substance_only = false;
  bool holds_things = false;  // "... in this"
  Word compartment;           // said of it
  Word reaction_compartment;  // of a reaction it takes part in
  Word changed_by;            // a reaction participant that is not $
  std::string_view unit;
  const Assignment* initial = nullptr;
  const Assignment* rule = nullptr;
  const Assignment* rate = nullptr;                               // of order rate->order
  std::vector<std::pair<int, const Assignment*>> slope_initials;  // y'(0) = v
  Span event_target;                                              // empty: none
  Ref ref;
  std::vector<std::int32_t> slopes;  // parameters that stand for y', y'', below the rate's order

  int order() const { return rate ? rate->order : 0; }
};

std::string_view name_of(Role role);

class SymbolTable {
 public:
  Symbol& at(const Word& word);  // made if new
  Symbol* find(std::string_view name);
  const Symbol* find(std::string_view name) const;
  bool flattened = false;  // names with a dot were looked at before
  std::deque<Symbol>& all() { return symbols_; }
  const std::deque<Symbol>& all() const { return symbols_; }

 private:
  std::deque<Symbol> symbols_;
  std::unordered_map<std::string_view, Symbol*> by_name_;
};

// Fills the table; the syntax must outlive it.
void collect_symbols(const Syntax& syntax, const ModelSyntax& model, SymbolTable& table,
                     Diagnostics& diagnostics);

// S1.sboTerm, S1.mean and the like: said about S1, no name of anything.
bool is_annotation(std::string_view name);

// "did you mean 'ATP', declared on line 3?" among the symbols of that role (any for none), or "".
std::string suggest_symbol(std::string_view name, const SymbolTable& table, const Source& source,
                           Role role = Role::none);

}  // namespace stiffit::internal
