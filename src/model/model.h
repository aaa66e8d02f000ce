// The one middle form that text models, BioNetGen networks and SBML reach, and from which
// everything else starts. It says what the modeller said: nothing is solved, inlined or converted
// here. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/source.h"
#include "model/flux_balance.h"
#include "model/operation.h"
#include "model/unit.h"

namespace stiffit::internal {

inline constexpr double not_set = std::numeric_limits<double>::quiet_NaN();

// What a name in an expression refers to.
enum class SymbolKind : std::uint8_t {
  none,
  time,         // the simulation time
  species,      // its concentration, or its amount if `in_amount`
  parameter,    // also variables of rules, and stoichiometries with an id
  compartment,  // its size
  reaction,     // its rate
  observable,
  argument,  // of the function definition whose body this is
};
struct Ref {
  SymbolKind kind = SymbolKind::none;
  std::int32_t index = -1;
  friend bool operator==(const Ref&, const Ref&) = default;
};

using ExprId = std::int32_t;
inline constexpr ExprId no_expr = -1;

struct ExprNode {
  Op op = Op::number;
  Ref ref;           // of a symbol; of a call: index is the function's; of a number: its unit's
  double value = 0;  // of a number
  ExprId a = no_expr, b = no_expr,
         c = no_expr;  // operands; of a call: a = first in call_arguments, b = count
  Span span;
};

// All expressions of a model, in one arena. Operands are made before what uses them.
class Expressions {
 public:
  // `unit`: in Model::units, or -1 if none was said.
  ExprId number(double value, Span span = {}, std::int32_t unit = -1);
  ExprId symbol(Ref ref, Span span = {});
  ExprId apply(Op op, ExprId a, ExprId b = no_expr, ExprId c = no_expr, Span span = {});
  ExprId call(std::int32_t function, const std::vector<ExprId>& arguments, Span span = {});

  const ExprNode& operator[](ExprId id) const { return nodes_[id]; }
  // The arguments of a call node.
  const ExprId* arguments(const ExprNode& call) const { return arguments_.data() + call.a; }
  std::size_t size() const { return nodes_.size(); }

 private:
  std::vector<ExprNode> nodes_;
  std::vector<ExprId> arguments_;
};

// A unit with a name of its own; without a value if it stands for nothing known.
struct UnitDefinition {
  std::string id;
  std::optional<Unit> unit;
  Span span;
};

// What holds where nothing else is said; "" if that is not said either.
struct ModelUnits {
  std::string substance, time, volume, area, length, extent;
};

struct Compartment {
  std::string id;
  double size = 1;  // not_set: only a rule or initial assignment gives it
  double dimensions = 3;
  bool constant = true;
  std::string unit;  // a name in Model::units, a built-in one, or products of those
  Span span;
};

struct Species {
  std::string id;
  std::int32_t compartment = -1;  // -1: none; amount and concentration are the same
  double initial = not_set;
  bool initial_is_amount = false;  // what `initial` means
  bool in_amount = false;  // what the name means in expressions (SBML hasOnlySubstanceUnits)
  bool boundary = false;   // reactions do not change it ($X)
  bool constant = false;
  std::int32_t conversion_factor = -1;  // a parameter, or -1
  std::string unit;  // of the amount; of the concentration if it is per length, area or volume
  Span span;
};

// A constant, or a variable that a rule, an event or an initial assignment gives its value.
struct Parameter {
  std::string id;  // a reaction's own parameter is called REACTION.NAME
  double value = not_set;
  bool constant = true;
  std::string unit;  // a name in Model::units, a built-in one, or products of those
  Span span;
};

struct SpeciesReference {
  std::int32_t species = -1;
  double stoichiometry = 1;
  std::int32_t parameter = -1;  // >= 0: this parameter is the stoichiometry (it may vary)
  Span span;
};

struct Reaction {
  std::string id;
  std::vector<SpeciesReference> reactants, products;
  std::vector<std::int32_t> modifiers;
  ExprId rate = no_expr;  // substance per time; no_expr: no kinetic law
  bool reversible = false;
  bool fast = false;
  Span span;
};

struct InitialAssignment {
  Ref target;
  ExprId value = no_expr;
  Span span;
};

enum class RuleKind { assignment, rate, algebraic };
struct Rule {
  RuleKind kind = RuleKind::assignment;
  Ref target;  // none for an algebraic rule, which says 0 = value
  ExprId value = no_expr;
  Span span;
};

struct Function {
  std::string id;
  std::vector<std::string> arguments;
  ExprId body = no_expr;  // no_expr: not defined (SBML L3V2)
  Span span;
};

struct EventAssignment {
  Ref target;
  ExprId value = no_expr;
  Span span;
};

struct Event {
  std::string id;
  ExprId trigger = no_expr;  // no_expr: never fires
  ExprId delay = no_expr;
  ExprId priority = no_expr;
  bool initial_value = true;      // of the trigger before t0: false lets it fire at t0
  bool persistent = true;         // goes off even if the trigger falls during the delay
  bool values_at_trigger = true;  // assignments use the values of the trigger time
  std::vector<EventAssignment> assignments;
  Span span;
};

// A named quantity to show: a BioNetGen group, or what an experiment measures.
struct Observable {
  std::string id;
  ExprId value = no_expr;
  Span span;
};

struct Model {
  std::string id;
  std::string title;  // one line for people
  std::shared_ptr<const Source> source;
  Expressions expressions;
  std::vector<Compartment> compartments;
  std::vector<Species> species;
  std::vector<Parameter> parameters;
  std::vector<Reaction> reactions;
  std::vector<Function> functions;
  std::vector<InitialAssignment> initial_assignments;
  std::vector<Rule> rules;
  std::vector<Event> events;
  std::vector<Observable> observables;
  std::optional<FluxBalance> flux_balance;
  double start_time = 0;
  double end_time = not_set;  // default end time, used when none is asked for
  std::vector<UnitDefinition> units;
  ModelUnits model_units;

  // The thing of that id; kind none if there is no such. (Function names are not symbols.)
  Ref find(std::string_view id) const;
  const std::string& id_of(Ref ref) const;
  std::vector<std::string> all_ids() const;
  // What a unit's text means: names of `units`, built-in ones (also in the plural), products.
  std::optional<Unit> unit_named(std::string_view text) const;
};

}  // namespace stiffit::internal
