// What a text model says, before any name is looked up. Texts are views into the source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "base/source.h"
#include "model/operation.h"

namespace stiffit::internal {

struct Word {
  std::string_view text;
  Span span;
  bool empty() const { return text.empty(); }
};

using SyntaxId = std::int32_t;

enum class NodeKind : std::uint8_t { number, name, operation, call, table };

struct SyntaxNode {
  NodeKind kind = NodeKind::number;
  Op op = Op::number;       // of an operation
  int order = 0;            // of a name: 1 for y', 2 for y''
  double value = 0;         // of a number
  std::string_view text;    // the name, the function called, or the unit of a number
  SyntaxId a = -1, b = -1;  // operands; of a call: first in Syntax::arguments, count; of a table:
                            // a is its number in Syntax::tables
  Span span;
};

// table("f.csv", column, kind); the kind may be missing.
struct TableSyntax {
  Word file, column, kind;
};

// Nodes [first, root] of Syntax::nodes hold it, operands before what uses them.
struct Expression {
  SyntaxId first = -1, root = -1;
  bool parenthesised = false;
  Span span;
  bool empty() const { return root < 0; }
};

enum class Role : std::uint8_t { none, species, compartment, parameter, reaction, event };

// `const species $S in c`, one per name; also plain `S in c`, `S has mole`.
struct Declaration {
  Word name;
  Role role = Role::none;
  bool constant = false, variable = false, boundary = false, substance_only = false;
  Word compartment;
  std::string_view unit;
};

enum class AssignmentKind : std::uint8_t { initial, rule, rate, algebraic };

// x = e (initial), x := e (rule), x'' = e (rate of order 2), 0 = e (algebraic),
// x'(0) = e (initial, order 1).
struct Assignment {
  AssignmentKind kind = AssignmentKind::initial;
  Word target;
  int order = 0;
  Expression value;
  Span span;
};

enum class Arrow : std::uint8_t { reversible, irreversible, both_ways, interaction };

struct Participant {
  Word species;
  double stoichiometry = 1;
  Word stoichiometry_name;  // `n S`
  bool boundary = false;
  Span span;
};

struct ReactionSyntax {
  Word name, compartment;
  Arrow arrow = Arrow::reversible;
  std::vector<Participant> left, right;
  std::vector<Expression> law;  // none, the rate or the one constant, or a pair of constants
  Span span;                    // from the name or the first species to the arrow's last product
};

struct EventSyntax {
  Word name;
  Expression trigger, delay, priority;
  bool initial_value = true, persistent = true, values_at_trigger = true;
  std::vector<Assignment> assignments;
  Span span;
};

// unit mM = 1e-3 mole/liter; without a definition it only is a name.
struct UnitSyntax {
  Word name;
  std::string_view definition;
};

// A: inner(x, y): a copy of the model `inner`, whose names begin with "A." here.
struct SubmodelSyntax {
  Word name;  // may be empty
  Word model;
  Word compartment;                   // of its species that say none
  std::vector<Expression> arguments;  // what the exported names stand for
  Span span;
};

// A.S is S: two names of one thing.
struct SameSyntax {
  Word left, right;
};

// delete A.J1; or only what gives it a value: A.x =
struct DeletionSyntax {
  Word name;
  bool whole = true;
  AssignmentKind kind = AssignmentKind::initial;
};

// `#: end 40`
struct Directive {
  Word text;
};

// Understood, but there is nothing yet to do it: an error if the model is the one wanted.
struct Unsupported {
  Span span;
  std::string_view what;
};

// Understood, and left out with a word.
struct Ignored {
  Span span;
  std::string_view what;
};

using Statement =
    std::variant<Declaration, Assignment, ReactionSyntax, EventSyntax, UnitSyntax, SubmodelSyntax,
                 SameSyntax, DeletionSyntax, Directive, Unsupported, Ignored>;

struct ModelSyntax {
  Word name;
  bool main = false;  // model *name
  std::string_view title;
  std::vector<Word> exported;
  std::vector<Statement> statements;
  // Of a flattened model: names that begin so are in that compartment unless they say otherwise.
  std::vector<std::pair<std::string_view, Word>> compartments;
  bool flattened = false;
};

struct FunctionSyntax {
  Word name;
  std::vector<Word> arguments;
  Expression body;
};

struct Syntax {
  std::vector<SyntaxNode> nodes;
  std::vector<SyntaxId> arguments;
  std::vector<TableSyntax> tables;
  std::vector<FunctionSyntax> functions;
  ModelSyntax loose;                  // statements outside of any model
  std::vector<ModelSyntax> imported;  // the same of the imported files
  std::vector<ModelSyntax> models;
  // Names in statements that could not be read: nothing more is said about those.
  std::unordered_set<std::string_view> damaged;
  bool is_damaged(std::string_view name) const {  // of a part: the name within its submodel
    return !damaged.empty() && damaged.contains(name.substr(name.rfind('.') + 1));
  }
  // Where a stretch of Antimony (true) or of Stiffit's text begins, ascending.
  std::vector<std::pair<std::uint32_t, bool>> dialects;
  bool is_antimony(std::uint32_t offset) const {
    bool antimony = false;
    for (auto& [begin, exact] : dialects)
      if (begin <= offset) antimony = exact;
    return antimony;
  }
  // Names that stand in no file: those of submodels' parts.
  std::deque<std::string> made_names;
};

}  // namespace stiffit::internal
