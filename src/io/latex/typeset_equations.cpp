// SPDX-License-Identifier: Apache-2.0
#include "io/latex/typeset_equations.h"

#include <cmath>

#include "base/interrupt.h"

namespace stiffit::internal {
namespace {

std::string around(const TypesetForm& form, const std::string& text) {
  return std::string(form.before) + text + std::string(form.after);
}

class EquationWalk {
 public:
  EquationWalk(const Typesetter& typesetter, const EquationLimits& limits)
      : typesetter_(typesetter),
        notation_(typesetter.notation()),
        model_(typesetter.model()),
        limits_(limits) {}

  std::vector<EquationSides> all() {
    for (std::size_t i = 0; i < model_.species.size(); ++i) species(i);
    for (const Rule& rule : model_.rules)
      if (rule.kind == RuleKind::rate)
        add(EquationKind::derivative, model_.id_of(rule.target),
            derivative(typesetter_.name(rule.target)), expression(rule.value));
    for (const Reaction& r : model_.reactions)
      add(EquationKind::rate, r.id, typesetter_.rate(r.id),
          r.rate == no_expr ? "" : expression(r.rate));
    for (const Rule& rule : model_.rules) {
      if (rule.kind == RuleKind::assignment)
        add(EquationKind::rule, model_.id_of(rule.target), typesetter_.name(rule.target),
            expression(rule.value));
      if (rule.kind == RuleKind::algebraic)
        add(EquationKind::rule, "", notation_.digits("0"), expression(rule.value));
    }
    for (const Observable& o : model_.observables)
      add(EquationKind::observable, o.id, typesetter_.name(o.id), expression(o.value));
    for (std::size_t i = 0; i < model_.functions.size(); ++i) function(i);
    return std::move(list_);
  }

 private:
  bool full() const { return list_.size() >= limits_.most; }

  void add(EquationKind kind, const std::string& name, const std::string& left,
           const std::string& right) {
    if (!full()) list_.push_back({kind, name, left, right});
  }

  std::string expression(ExprId id, std::int32_t of_function = -1) const {
    if (full()) return {};
    if (too_long(id)) return limits_.too_long;
    return around(notation_.row, typesetter_.expression(id, of_function));
  }

  // By the number of its operations; each is a few characters for a reader.
  bool too_long(ExprId root) const {
    if (limits_.longest == EquationLimits().longest) return false;
    const std::size_t most = limits_.longest / 4;
    std::size_t count = 0;
    std::vector<ExprId> open{root};
    while (!open.empty()) {
      if (++count > most) return true;
      const ExprNode& n = model_.expressions[open.back()];
      open.pop_back();
      if (n.op == Op::call) {
        const ExprId* first = model_.expressions.arguments(n);
        open.insert(open.end(), first, first + n.b);
        continue;
      }
      const ExprId operands[3] = {n.a, n.b, n.c};
      if (n.op != Op::symbol && n.op != Op::number)
        open.insert(open.end(), operands, operands + arity(n.op));
    }
    return false;
  }

  std::string derivative(const std::string& of) const {
    return around(notation_.form(Op::rate_of), of);
  }

  static constexpr std::size_t terms_in_line = 6;

  // The share of each reaction in the change of a species' amount: "v_1 - 2 v_J".
  std::string shares(std::int32_t species) const {
    check_interrupt();
    std::string text;
    std::size_t terms = 0;
    for (const Reaction& r : model_.reactions) {
      auto add = [&](const SpeciesReference& reference, bool made) {
        if (reference.species != species) return;
        const double number = reference.parameter < 0 ? reference.stoichiometry : 1;
        const bool negative = (number < 0) == made;
        if (terms == 0) {
          if (negative) text += notation_.leading_minus;
        } else {
          if (terms % terms_in_line == 0) text += notation_.line_break;
          text += notation_.sign(negative ? Op::sub : Op::add);
        }
        ++terms;
        if (std::fabs(number) != 1)
          text.append(typesetter_.number(std::fabs(number))).append(notation_.times);
        if (reference.parameter >= 0)
          text.append(typesetter_.name({SymbolKind::parameter, reference.parameter}))
              .append(notation_.times);
        text += typesetter_.rate(r.id);
      };
      for (const SpeciesReference& x : r.reactants) add(x, false);
      for (const SpeciesReference& x : r.products) add(x, true);
    }
    return text;
  }

  void species(std::size_t i) {
    if (full()) return;
    const Species& s = model_.species[i];
    if (s.boundary || s.constant) return;
    std::string right = shares(static_cast<std::int32_t>(i)), left = typesetter_.name(s.id);
    if (right.empty()) return;
    if (s.conversion_factor >= 0)
      right = typesetter_.name({SymbolKind::parameter, s.conversion_factor}) +
              around(notation_.factored, right);
    if (s.compartment >= 0 && !s.in_amount) {
      const Compartment& c = model_.compartments[s.compartment];
      const std::string& size = typesetter_.name(c.id);
      if (c.constant)
        right = around(notation_.reciprocal, size) + around(notation_.factored, right);
      else
        left = std::string(notation_.opening) + size + std::string(notation_.times) + left +
               std::string(notation_.closing);
    }
    add(EquationKind::derivative, s.id, derivative(left), around(notation_.row, right));
  }

  void function(std::size_t i) {
    const Function& f = model_.functions[i];
    if (f.body == no_expr) return;
    std::string left = typesetter_.name(f.id) + std::string(notation_.opening);
    for (std::size_t k = 0; k < f.arguments.size(); ++k) {
      if (k) left += notation_.comma;
      left += typesetter_.name(f.arguments[k]);
    }
    left += notation_.closing;
    add(EquationKind::function, f.id, left, expression(f.body, static_cast<std::int32_t>(i)));
  }

  const Typesetter& typesetter_;
  const TypesetNotation& notation_;
  const Model& model_;
  const EquationLimits& limits_;
  std::vector<EquationSides> list_;
};

}  // namespace

std::vector<EquationSides> equations_of(const Typesetter& typesetter,
                                        const EquationLimits& limits) {
  return EquationWalk(typesetter, limits).all();
}

}  // namespace stiffit::internal
