// SPDX-License-Identifier: Apache-2.0
#include "symbolic/checks/check_units.h"

#include <cmath>
#include <unordered_set>

#include "symbolic/text/expression_text.h"

namespace stiffit::internal {
namespace {

using Known = std::optional<Unit>;  // nothing: not said, or not to be known

class UnitChecker {
 public:
  UnitChecker(const Model& model, Diagnostics& diagnostics)
      : model_(model), diagnostics_(diagnostics), time_(named(model.model_units.time)) {}

  void check() {
    unknown_names();
    for (const InitialAssignment& a : model_.initial_assignments)
      sides(a.target, a.value, a.span, "the initial value");
    for (const Rule& rule : model_.rules) check_rule(rule);
    for (const Reaction& reaction : model_.reactions) check_rate(reaction);
    for (const Event& event : model_.events) check_event(event);
    for (const Observable& observable : model_.observables) unit_of(observable.value);
  }

 private:
  Known named(const std::string& text) const { return model_.unit_named(text); }

  // Names that stand for no unit: a misprint would silence the checks.
  void unknown_names() {
    std::unordered_set<std::string> said;
    auto look = [&](const std::string& unit, Span span) {
      if (unit.empty() || named(unit) || !said.insert(unit).second) return;
      for (const UnitDefinition& known : model_.units)
        if (known.id == unit) return;  // defined, though not as something to compute with
      diagnostics_.warning(span, "unknown unit '" + unit + "'", "nothing is checked with it");
    };
    for (const Compartment& c : model_.compartments) look(c.unit, c.span);
    for (const Species& s : model_.species) look(s.unit, s.span);
    for (const Parameter& p : model_.parameters) look(p.unit, p.span);
  }

  // "mM (0.001 mole/litre)"
  std::string shown(const Unit& unit) const {
    std::string text = unit_text(unit);
    for (const UnitDefinition& known : model_.units)
      if (known.unit && same_unit(*known.unit, unit) && known.id != text)
        return known.id + " (" + text + ")";
    return text;
  }
  std::string text_of(ExprId id) const { return "'" + expression_text(model_, id, 60) + "'"; }

  Known of_compartment(std::int32_t index) const {
    const Compartment& c = model_.compartments[index];
    if (!c.unit.empty()) return named(c.unit);
    if (c.dimensions == 0) return Unit{};
    return named(c.dimensions == 3   ? model_.model_units.volume
                 : c.dimensions == 2 ? model_.model_units.area
                 : c.dimensions == 1 ? model_.model_units.length
                                     : std::string());
  }

  // Of the amount, or of what the name means in expressions.
  Known of_species(std::int32_t index, bool amount) const {
    const Species& s = model_.species[index];
    Known unit = named(s.unit.empty() ? model_.model_units.substance : s.unit);
    if (!unit || s.compartment < 0) return unit;
    const bool given_per_size = is_spatial(*unit);
    if (given_per_size == !amount) return unit;
    Known size = of_compartment(s.compartment);
    if (!size) return size;
    return amount ? *unit * *size : *unit / *size;
  }

  Known of_symbol(Ref ref) const {
    switch (ref.kind) {
      case SymbolKind::time:
        return time_;
      case SymbolKind::species:
        return of_species(ref.index, model_.species[ref.index].in_amount);
      case SymbolKind::parameter:
        return named(model_.parameters[ref.index].unit);
      case SymbolKind::compartment:
        return of_compartment(ref.index);
      case SymbolKind::reaction:
        return of_rate(model_.reactions[ref.index]);
      case SymbolKind::argument:
        if (arguments_.empty()) return {};
        return arguments_.back()[ref.index];
      default:
        return {};
    }
  }

  // Extent per time; where no extent is said, the substance that its species agree on.
  Known of_rate(const Reaction& reaction) const {
    Known extent = named(model_.model_units.extent);
    if (model_.model_units.extent.empty()) {
      for (const auto* side : {&reaction.reactants, &reaction.products})
        for (const SpeciesReference& reference : *side) {
          const Species& s = model_.species[reference.species];
          Known amount = of_species(reference.species, true);
          if (!amount || s.conversion_factor >= 0 || (extent && !same_unit(*extent, *amount)))
            return {};
          extent = amount;
        }
    }
    return extent && time_ ? Known(*extent / *time_) : Known();
  }

  void check_rule(const Rule& rule) {
    if (rule.kind == RuleKind::algebraic)
      unit_of(rule.value);
    else if (rule.kind == RuleKind::assignment)
      sides(rule.target, rule.value, rule.span, "the rule");
    else if (Known target = of_symbol(rule.target); target && time_)
      expect(rule.value, *target / *time_, rule.span,
             "the rate of '" + model_.id_of(rule.target) + "'");
    else
      unit_of(rule.value);
  }

  void sides(Ref target, ExprId value, Span span, const std::string& what) {
    Known left = of_symbol(target);
    if (left)
      expect(value, *left, span, what + " of '" + model_.id_of(target) + "'");
    else
      unit_of(value);
  }

  void check_rate(const Reaction& reaction) {
    if (reaction.rate == no_expr) return;
    Known rate = of_rate(reaction);
    Span span = model_.expressions[reaction.rate].span;
    if (span.empty()) span = reaction.span;
    if (rate)
      expect(reaction.rate, *rate, span, "the rate of reaction '" + reaction.id + "'");
    else
      unit_of(reaction.rate);
  }

  void check_event(const Event& event) {
    if (event.trigger != no_expr) unit_of(event.trigger);
    if (event.priority != no_expr) unit_of(event.priority);
    if (event.delay != no_expr) {
      if (time_)
        expect(
            event.delay, *time_, event.span,
            event.id.empty() ? "the delay of an event" : "the delay of event '" + event.id + "'");
      else
        unit_of(event.delay);
    }
    for (const EventAssignment& a : event.assignments)
      sides(a.target, a.value, a.span, "the new value");
  }

  void expect(ExprId value, const Unit& wanted, Span span, const std::string& what) {
    Known found = unit_of(value);
    if (!found || same_unit(*found, wanted)) return;
    diagnostics_.warning(span, what + " is in " + shown(*found) + ", not in " + shown(wanted));
  }

  void warn(ExprId at, std::string message) {
    diagnostics_.warning(model_.expressions[at].span, std::move(message));
  }

  // Both in one unit; what is known of either holds for both.
  Known agree(ExprId at, ExprId a, ExprId b, const char* what) {
    Known left = unit_of(a), right = unit_of(b);
    if (!left || !right) return left ? left : right;
    if (same_unit(*left, *right)) return left;
    warn(at, std::string(what) + " of different units: " + text_of(a) + " in " + shown(*left) +
                 ", " + text_of(b) + " in " + shown(*right));
    return {};
  }

  Known unit_of(ExprId id) {
    const ExprNode& n = model_.expressions[id];
    if (depth_ > deepest) return {};
    ++depth_;
    Known result = unit_of(id, n);
    --depth_;
    return result;
  }

  Known unit_of(ExprId id, const ExprNode& n) {
    switch (n.op) {
      case Op::number:
        return n.ref.index < 0 ? Known() : model_.units[n.ref.index].unit;
      case Op::symbol:
        return of_symbol(n.ref);
      case Op::call:
        return of_call(n);
      case Op::neg:
      case Op::abs:
      case Op::floor:
      case Op::ceil:
        return unit_of(n.a);
      case Op::add:
      case Op::sub:
        return chain(id);
      case Op::min:
      case Op::max:
      case Op::rem:
        return agree(id, n.a, n.b, "a choice");
      case Op::select:
        unit_of(n.b);
        return agree(id, n.a, n.c, "a choice");
      case Op::lt:
      case Op::le:
      case Op::gt:
      case Op::ge:
      case Op::eq:
      case Op::ne:
        agree(id, n.a, n.b, "a comparison");
        return Unit{};
      case Op::mul:
      case Op::div:
      case Op::quotient: {
        Known a = unit_of(n.a), b = unit_of(n.b);
        if (!a || !b) return {};
        return n.op == Op::mul ? *a * *b : *a / *b;
      }
      case Op::sqrt: {
        Known a = unit_of(n.a);
        return a ? Known(power(*a, 0.5)) : a;
      }
      case Op::pow:
        return of_power(id, n);
      case Op::delay: {
        Known tau = unit_of(n.b);
        if (tau && time_ && !same_unit(*tau, *time_))
          warn(id,
               "the delay " + text_of(n.b) + " is in " + shown(*tau) + ", not in " + shown(*time_));
        return unit_of(n.a);
      }
      case Op::rate_of: {
        Known a = unit_of(n.a);
        return a && time_ ? Known(*a / *time_) : Known();
      }
      default:
        return of_function(id, n);
    }
  }

  // Sums may be thousands of terms long on their left: walked, not called.
  Known chain(ExprId id) {
    std::vector<ExprId> terms;
    auto is_sum = [&](ExprId e) {
      return model_.expressions[e].op == Op::add || model_.expressions[e].op == Op::sub;
    };
    for (; is_sum(id); id = model_.expressions[id].a) terms.push_back(id);
    ExprId first = id;
    Known sum = unit_of(id);
    for (std::size_t i = terms.size(); i-- > 0;) {
      ExprId right = model_.expressions[terms[i]].b;
      Known term = unit_of(right);
      if (sum && term && !same_unit(*sum, *term)) {
        warn(terms[i], "a sum of different units: " + text_of(first) + " in " + shown(*sum) + ", " +
                           text_of(right) + " in " + shown(*term));
        for (std::size_t k = i; k-- > 0;) unit_of(model_.expressions[terms[k]].b);
        return {};
      }
      if (!sum && term) {
        sum = term;
        first = right;
      }
    }
    return sum;
  }

  // The value of what never changes, as far as it can be told without computing the model.
  std::optional<double> constant(ExprId id) const {
    const ExprNode& n = model_.expressions[id];
    if (n.op == Op::number) return n.value;
    if (n.op == Op::neg)
      if (auto value = constant(n.a)) return -*value;
    if (n.op == Op::div) {
      auto a = constant(n.a), b = constant(n.b);
      if (a && b && *b != 0) return *a / *b;
    }
    if (n.op == Op::symbol && n.ref.kind == SymbolKind::parameter) {
      const Parameter& p = model_.parameters[n.ref.index];
      for (const InitialAssignment& a : model_.initial_assignments)
        if (a.target == n.ref) return std::nullopt;
      if (p.constant && std::isfinite(p.value)) return p.value;
    }
    return std::nullopt;
  }

  Known of_power(ExprId id, const ExprNode& n) {
    Known base = unit_of(n.a), exponent = unit_of(n.b);
    if (exponent && !is_dimensionless(*exponent))
      warn(id, "the exponent " + text_of(n.b) + " is in " + shown(*exponent));
    if (!base) return {};
    if (is_dimensionless(*base) && base->factor == 1) return base;
    auto value = constant(n.b);
    return value ? Known(power(*base, *value)) : Known();
  }

  // exp, ln, sin, ...: of numbers, giving numbers; and the logical operations.
  Known of_function(ExprId id, const ExprNode& n) {
    const ExprId operands[3] = {n.a, n.b, n.c};
    for (int i = 0; i < arity(n.op); ++i) {
      Known argument = unit_of(operands[i]);
      const bool any = n.op == Op::sign || is_boolean(n.op);
      if (argument && !any && !is_dimensionless(*argument))
        warn(id, std::string(name_of(n.op)) + " of what has a dimension: " + text_of(operands[i]) +
                     " is in " + shown(*argument));
    }
    return Unit{};
  }

  Known of_call(const ExprNode& n) {
    const Function& function = model_.functions[n.ref.index];
    const ExprId* first = model_.expressions.arguments(n);
    std::vector<Known> arguments;
    for (int i = 0; i < n.b; ++i) arguments.push_back(unit_of(first[i]));
    if (function.body == no_expr || arguments.size() != function.arguments.size()) return {};
    arguments_.push_back(std::move(arguments));
    Known result = arguments_.size() > deepest_calls ? Known() : unit_of(function.body);
    arguments_.pop_back();
    return result;
  }

  static constexpr int deepest = 2000;  // of an expression; guards the call stack
  static constexpr std::size_t deepest_calls = 20;

  const Model& model_;
  Diagnostics& diagnostics_;
  Known time_;
  std::vector<std::vector<Known>> arguments_;  // of the functions being followed
  int depth_ = 0;
};

}  // namespace

void check_units(const Model& model, Diagnostics& diagnostics) {
  UnitChecker(model, diagnostics).check();
}

}  // namespace stiffit::internal
