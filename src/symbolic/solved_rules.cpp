// SPDX-License-Identifier: Apache-2.0
#include "symbolic/solved_rules.h"

#include <cmath>
#include <optional>

namespace stiffit::internal {
namespace {

constexpr int deepest = 500;  // of nested operations

// c*x + rest; no_expr stands for zero.
struct Linear {
  ExprId factor = no_expr, rest = no_expr;
};

class RuleSolver {
 public:
  explicit RuleSolver(Model& model) : m_(model), e_(model.expressions) {
    free_[0].assign(m_.species.size(), 1);
    free_[1].assign(m_.parameters.size(), 1);
    free_[2].assign(m_.compartments.size(), 1);
    for (std::size_t i = 0; i < m_.species.size(); ++i) free_[0][i] = !m_.species[i].constant;
    for (std::size_t i = 0; i < m_.parameters.size(); ++i) free_[1][i] = !m_.parameters[i].constant;
    for (std::size_t i = 0; i < m_.compartments.size(); ++i)
      free_[2][i] = !m_.compartments[i].constant;
    for (const Rule& r : m_.rules)
      if (r.kind != RuleKind::algebraic) is_free(r.target) = 0;
    for (const Event& event : m_.events)
      for (const EventAssignment& a : event.assignments) is_free(a.target) = 0;
    for (const Reaction& r : m_.reactions)
      for (const auto* side : {&r.reactants, &r.products})
        for (const SpeciesReference& x : *side)
          if (!m_.species[x.species].boundary) is_free({SymbolKind::species, x.species}) = 0;
  }

  bool solve_any() {
    bool any = false;
    for (Rule& rule : m_.rules)
      if (rule.kind == RuleKind::algebraic && rule.value != no_expr) any |= solve(rule);
    return any;
  }

 private:
  char& is_free(Ref ref) {
    return free_[ref.kind == SymbolKind::species     ? 0
                 : ref.kind == SymbolKind::parameter ? 1
                                                     : 2][ref.index];
  }
  static bool is_quantity(Ref ref) {
    return ref.kind == SymbolKind::species || ref.kind == SymbolKind::parameter ||
           ref.kind == SymbolKind::compartment;
  }

  bool solve(Rule& rule) {
    std::vector<Ref> unknowns;
    walk(rule.value, [&](const ExprNode& n) {
      if (n.op == Op::symbol && is_quantity(n.ref) && is_free(n.ref)) unknowns.push_back(n.ref);
    });
    for (Ref unknown : unknowns) {
      std::optional<Linear> form = linear(rule.value, unknown);
      if (!form || form->factor == no_expr) continue;
      const double factor = constant_value(form->factor);
      if (!std::isfinite(factor) || factor == 0) continue;
      ExprId value = form->rest == no_expr
                         ? e_.number(0, rule.span)
                         : e_.apply(Op::neg, e_.apply(Op::div, form->rest, form->factor));
      rule.kind = RuleKind::assignment;
      rule.target = unknown;
      rule.value = value;
      is_free(unknown) = 0;
      // An initial assignment would say the same or contradict.
      std::erase_if(m_.initial_assignments,
                    [&](const InitialAssignment& a) { return a.target == unknown; });
      return true;
    }
    return false;
  }

  template <class Visit>
  void walk(ExprId root, Visit&& visit) const {
    std::vector<ExprId> stack{root};
    while (!stack.empty()) {
      const ExprNode n = e_[stack.back()];
      stack.pop_back();
      visit(n);
      if (n.op == Op::call) {
        for (int k = 0; k < n.b; ++k) stack.push_back(e_.arguments(n)[k]);
        continue;
      }
      const ExprId operands[3] = {n.a, n.b, n.c};
      for (int k = 0; k < arity(n.op); ++k) stack.push_back(operands[k]);
    }
  }

  // Whether the value of an expression follows from x, through rules, rates, functions and sizes.
  bool depends_on(ExprId root, Ref x) const {
    std::vector<ExprId> stack{root};
    std::vector<Ref> seen;
    std::vector<char> seen_functions(m_.functions.size(), 0);
    bool found = false;
    auto meet = [&](Ref ref) {
      found |= ref == x;
      for (Ref known : seen)
        if (known == ref) return;
      seen.push_back(ref);
      std::size_t i = ref.index;
      if (ref.kind == SymbolKind::reaction && m_.reactions[i].rate != no_expr)
        stack.push_back(m_.reactions[i].rate);
      if (ref.kind == SymbolKind::observable) stack.push_back(m_.observables[i].value);
      if (ref.kind == SymbolKind::species && m_.species[i].compartment >= 0)
        found |= x == Ref{SymbolKind::compartment, m_.species[i].compartment};
      for (const Rule& r : m_.rules)
        if (r.kind == RuleKind::assignment && r.target == ref && r.value != no_expr)
          stack.push_back(r.value);
      for (const InitialAssignment& a : m_.initial_assignments)
        if (a.target == ref) stack.push_back(a.value);
    };
    while (!stack.empty() && !found) {
      ExprId next = stack.back();
      stack.pop_back();
      walk(next, [&](const ExprNode& n) {
        if (n.op == Op::symbol) meet(n.ref);
        // What moves a thing may be anything.
        if (n.op == Op::rate_of) found = true;
        if (n.op != Op::call) return;
        std::size_t f = n.ref.index;
        if (!seen_functions[f] && m_.functions[f].body != no_expr)
          stack.push_back(m_.functions[f].body);
        seen_functions[f] = 1;
      });
    }
    return found;
  }

  // A value made of numbers and constants that have values; NaN otherwise.
  double constant_value(ExprId id) const {
    const ExprNode n = e_[id];
    if (n.op == Op::number) return n.value;
    if (n.op == Op::symbol) {
      if (n.ref.kind != SymbolKind::parameter) return not_set;
      const Parameter& p = m_.parameters[n.ref.index];
      for (const InitialAssignment& a : m_.initial_assignments)
        if (a.target == n.ref) return not_set;
      return p.constant ? p.value : not_set;
    }
    if (n.op != Op::neg && n.op != Op::mul && n.op != Op::div && n.op != Op::add && n.op != Op::sub)
      return not_set;
    return evaluate(n.op, constant_value(n.a), arity(n.op) > 1 ? constant_value(n.b) : 0, 0);
  }

  ExprId plus(Op op, ExprId a, ExprId b) {
    if (b == no_expr) return a;
    if (a == no_expr) return op == Op::add ? b : e_.apply(Op::neg, b);
    return e_.apply(op, a, b);
  }

  std::optional<Linear> linear(ExprId id, Ref x, int depth = 0) {
    if (depth > deepest) return std::nullopt;
    const ExprNode n = e_[id];  // the arena grows
    if (n.op == Op::symbol && n.ref == x) return Linear{e_.number(1, n.span), no_expr};
    if (!depends_on(id, x)) return Linear{no_expr, id};
    if (n.op == Op::neg || n.op == Op::add || n.op == Op::sub) {
      std::optional<Linear> a = linear(n.a, x, depth + 1);
      if (!a) return std::nullopt;
      if (n.op == Op::neg)
        return Linear{plus(Op::sub, no_expr, a->factor), plus(Op::sub, no_expr, a->rest)};
      std::optional<Linear> b = linear(n.b, x, depth + 1);
      if (!b) return std::nullopt;
      return Linear{plus(n.op, a->factor, b->factor), plus(n.op, a->rest, b->rest)};
    }
    if (n.op != Op::mul && n.op != Op::div) return std::nullopt;
    // One side holds x; the other scales it, and is a constant where it must be: in the factor.
    const bool left = n.op == Op::div || depends_on(n.a, x);
    if (depends_on(left ? n.b : n.a, x)) return std::nullopt;
    std::optional<Linear> inner = linear(left ? n.a : n.b, x, depth + 1);
    if (!inner) return std::nullopt;
    auto scaled = [&](ExprId part) {
      if (part == no_expr) return no_expr;
      return left ? e_.apply(n.op, part, n.b) : e_.apply(n.op, n.a, part);
    };
    return Linear{scaled(inner->factor), scaled(inner->rest)};
  }

  Model& m_;
  Expressions& e_;
  std::vector<char> free_[3];
};

}  // namespace

std::shared_ptr<const Model> with_solved_rules(std::shared_ptr<const Model> model) {
  bool algebraic = false;
  for (const Rule& r : model->rules) algebraic |= r.kind == RuleKind::algebraic;
  if (!algebraic) return model;
  auto solved = std::make_shared<Model>(*model);
  if (!RuleSolver(*solved).solve_any()) return model;
  return solved;
}

}  // namespace stiffit::internal
