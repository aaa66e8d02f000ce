// SPDX-License-Identifier: Apache-2.0
#include "io/latex/mathml.h"

#include <cmath>

#include "io/latex/mathml_names.h"

namespace stiffit {
namespace {

class EquationList {
 public:
  EquationList(const Model& model, std::size_t most, std::size_t longest)
      : model_(model), names_(model), most_(most), longest_(longest) {}

  std::vector<TypesetEquation> all() {
    for (std::size_t i = 0; i < model_.species.size(); ++i) species(i);
    for (const Rule& rule : model_.rules)
      if (rule.kind == RuleKind::rate)
        add(EquationKind::derivative, model_.id_of(rule.target),
            derivative(names_.of(model_.id_of(rule.target))), expression(rule.value));
    for (const Reaction& r : model_.reactions)
      add(EquationKind::rate, r.id, mathml_rate(r.id),
          r.rate == no_expr ? "<mtext>no rate law</mtext>" : expression(r.rate));
    for (const Rule& rule : model_.rules) {
      if (rule.kind == RuleKind::assignment)
        add(EquationKind::rule, model_.id_of(rule.target), names_.of(model_.id_of(rule.target)),
            expression(rule.value));
      if (rule.kind == RuleKind::algebraic)
        add(EquationKind::rule, "", "<mn>0</mn>", expression(rule.value));
    }
    for (const Observable& o : model_.observables)
      add(EquationKind::observable, o.id, names_.of(o.id), expression(o.value));
    for (std::size_t i = 0; i < model_.functions.size(); ++i) function(i);
    return std::move(list_);
  }

 private:
  bool full() const { return list_.size() >= most_; }

  void add(EquationKind kind, const std::string& name, const std::string& left,
           const std::string& right) {
    if (full()) return;
    list_.push_back(
        {kind, name,
         "<math display=\"block\"><mrow>" + left + "<mo>=</mo>" + right + "</mrow></math>"});
  }

  std::string expression(ExprId id, std::int32_t of_function = -1) const {
    if (full()) return {};
    if (deep_or_long(id)) return "<mtext>(too long to be shown)</mtext>";
    return "<mrow>" + mathml_expression(model_, names_, id, of_function) + "</mrow>";
  }

  // By the number of its operations; each is a few characters for a reader.
  bool deep_or_long(ExprId root) const {
    const std::size_t most = longest_ / 4;
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

  static std::string derivative(const std::string& of) {
    return "<mfrac><mrow><mi>d</mi>" + of + "</mrow><mrow><mi>d</mi><mi>t</mi></mrow></mfrac>";
  }

  // "+ 2 v", for each reaction that makes or uses the species.
  std::string shares(std::int32_t index) const {
    std::string terms;
    for (const Reaction& r : model_.reactions) {
      auto add_share = [&](const SpeciesReference& reference, bool made) {
        if (reference.species != index) return;
        const double number = reference.parameter < 0 ? reference.stoichiometry : 1;
        if ((number < 0) == made)
          terms += "<mo>−</mo>";
        else if (!terms.empty())
          terms += "<mo>+</mo>";
        if (std::fabs(number) != 1) terms += mathml_number(std::fabs(number));
        if (reference.parameter >= 0)
          terms += names_.of(model_.id_of({SymbolKind::parameter, reference.parameter}));
        terms += mathml_rate(r.id);
      };
      for (const SpeciesReference& x : r.reactants) add_share(x, false);
      for (const SpeciesReference& x : r.products) add_share(x, true);
    }
    return terms;
  }

  void species(std::size_t i) {
    if (full()) return;
    const Species& s = model_.species[i];
    if (s.boundary || s.constant) return;
    std::string right = shares(static_cast<std::int32_t>(i)), left = names_.of(s.id);
    if (right.empty()) return;
    if (s.conversion_factor >= 0)
      right = names_.of(model_.id_of({SymbolKind::parameter, s.conversion_factor})) +
              "<mrow><mo>(</mo>" + right + "<mo>)</mo></mrow>";
    if (s.compartment >= 0 && !s.in_amount) {
      const Compartment& c = model_.compartments[s.compartment];
      if (c.constant)
        right = "<mfrac><mn>1</mn>" + names_.of(c.id) + "</mfrac><mrow><mo>(</mo>" + right +
                "<mo>)</mo></mrow>";
      else
        left = "<mrow><mo>(</mo>" + names_.of(c.id) + left + "<mo>)</mo></mrow>";
    }
    add(EquationKind::derivative, s.id, derivative(left), "<mrow>" + right + "</mrow>");
  }

  void function(std::size_t i) {
    const Function& f = model_.functions[i];
    if (f.body == no_expr) return;
    std::string left = names_.of(f.id) + "<mo>(</mo>";
    for (std::size_t k = 0; k < f.arguments.size(); ++k)
      left += (k ? "<mo>,</mo>" : "") + names_.of(f.arguments[k]);
    add(EquationKind::function, f.id, left + "<mo>)</mo>",
        expression(f.body, static_cast<std::int32_t>(i)));
  }

  const Model& model_;
  const MathmlNames names_;
  std::size_t most_, longest_;
  std::vector<TypesetEquation> list_;
};

}  // namespace

std::vector<TypesetEquation> typeset_equations(const Model& model, std::size_t most,
                                               std::size_t longest) {
  return EquationList(model, most, longest).all();
}

}  // namespace stiffit
