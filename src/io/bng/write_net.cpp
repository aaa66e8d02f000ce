// SPDX-License-Identifier: Apache-2.0
#include "io/bng/write_net.h"

#include <cmath>
#include <functional>

#include "base/diagnostic.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "io/bng/net_expression_text.h"
#include "io/bng/net_factors.h"

namespace stiffit::internal {
namespace {

bool is_reserved(std::string_view name) {
  for (std::string_view word : {"time", "t", "if", "rint", "log2", "log", "sum", "avg", "_pi", "_e",
                                "Ele", "Sat", "MM", "Hill", "Arrhenius", "FunctionProduct"})
    if (name == word) return true;
  return function_named(name).has_value();
}

using Side = std::map<std::int32_t, int>;

class NetWriter {
 public:
  explicit NetWriter(const Model& model)
      : model_(model),
        names_(model, is_reserved, [](std::string_view) { return false; }),
        say_(model, names_) {
    for (const InitialAssignment& a : model.initial_assignments)
      (a.target.kind == SymbolKind::species ? species_initial_
                                            : parameter_initial_)[a.target.index] = a.value;
  }

  Writing write() {
    check_model();
    for (const Reaction& r : model_.reactions) {
      check_interrupt();
      reaction(r);
    }
    std::string parameters = write_parameters(), functions = write_functions(),
                species = write_species(), groups = write_groups();
    for (const std::string& what : say_.refused) refuse(what);
    if (!refused_.empty()) throw InputError(complaint());
    Writing out;
    auto block = [&](const std::string& name, const std::string& lines) {
      if (!lines.empty()) out.text += "begin " + name + "\n" + lines + "end " + name + "\n";
    };
    out.text = "# " + (model_.title.empty() ? model_.id : model_.title) + "\n";
    block("parameters", parameters + made_parameters_);
    block("functions", functions + made_functions_);
    block("species", species);
    block("reactions", reactions_);
    block("groups", groups);
    return out;
  }

 private:
  void refuse(const std::string& what) {
    for (const std::string& known : refused_)
      if (known == what) return;
    refused_.push_back(what);
  }

  std::string complaint() const {
    std::string text = "error: a BioNetGen network cannot say this model\n";
    for (const std::string& what : refused_) text += "  " + what + "\n";
    return text;
  }

  void check_model() {
    if (!model_.events.empty()) refuse("events");
    for (const Rule& r : model_.rules) {
      if (r.kind == RuleKind::rate) refuse("the rate rule of " + model_.id_of(r.target));
      if (r.kind == RuleKind::algebraic) refuse("algebraic rules");
      if (r.kind == RuleKind::assignment && r.target.kind != SymbolKind::parameter)
        refuse("the rule of " + model_.id_of(r.target));
    }
    for (const Compartment& c : model_.compartments)
      if (!c.constant || c.size != 1) refuse("compartment " + c.id + ", whose size is not 1");
    for (const InitialAssignment& a : model_.initial_assignments) {
      if (a.target.kind == SymbolKind::compartment)
        refuse("the computed size of compartment " + model_.id_of(a.target));
      else if (say_.varies(a.value))
        refuse("the initial value of " + model_.id_of(a.target) + ", which needs other variables");
    }
    for (const Species& s : model_.species)
      if (s.conversion_factor >= 0) refuse("the conversion factor of " + s.id);
    if (model_.flux_balance) refuse("the flux-balance problem");
  }

  // One line per reaction, two if it runs both ways.
  void reaction(const Reaction& r) {
    if (r.rate == no_expr) return;
    if (r.fast) refuse("the fast reaction " + r.id);
    Side left = side(r, r.reactants), right = side(r, r.products);
    if (one_way(r, {r.rate, false}, left, right)) return;
    for (const NetTerm& term : net_terms(model_.expressions, r.rate)) {
      if (term.negative && one_way(r, {term.value, false}, right, left)) continue;
      if (one_way(r, term, left, right)) continue;
      refuse("the rate of " + r.id + ", which is no product with its reactants");
    }
  }

  Side side(const Reaction& r, const std::vector<SpeciesReference>& references) {
    Side result;
    for (const SpeciesReference& x : references) {
      const double n = x.stoichiometry;
      if (x.parameter >= 0 || !(n >= 1) || n > 100 || n != std::trunc(n))
        refuse("the stoichiometry of " + model_.species[x.species].id + " in " + r.id +
               ", which is no small whole number");
      else
        result[x.species] += static_cast<int>(n);
    }
    return result;
  }

  bool one_way(const Reaction& r, const NetTerm& term, const Side& from, const Side& to) {
    NetFactors factors = net_factors(model_.expressions, term.value);
    if (!factors.take(from)) return false;
    factors.negative ^= term.negative;
    reactions_ += "    " + std::to_string(++lines_) + " " + list(from) + " " + list(to) + " " +
                  coefficient(r, factors) + "\n";
    return true;
  }

  static std::string list(const Side& side) {
    std::string text;
    for (auto [species, count] : side)
      for (int i = 0; i < count; ++i)
        text += (text.empty() ? "" : ",") + std::to_string(species + 1);
    return text.empty() ? "0" : text;
  }

  // What multiplies the reactants: a parameter, or a parameter or function made for it.
  std::string coefficient(const Reaction& r, const NetFactors& factors) {
    std::string text = factors.negative ? "(-1)" : "";
    bool varies = false;
    auto times = [&](const std::string& factor) { text += (text.empty() ? "" : "*") + factor; };
    for (ExprId id : factors.above) {
      times(say_.text(id));
      varies |= say_.varies(id);
    }
    for (auto [species, count] : factors.species)
      for (int i = 0; i < count; ++i) {
        times(say_.species(species));
        varies = true;
      }
    if (text.empty()) text = "1";
    for (ExprId id : factors.below) {
      text += "/" + say_.text(id);
      varies |= say_.varies(id);
    }
    if (is_identifier(text) && !varies) return text;
    if (text.ends_with("()") && is_identifier(text.substr(0, text.size() - 2)))
      return text.substr(0, text.size() - 2);
    std::string name = names_.fresh((varies ? "rate_" : "k_") + r.id);
    if (varies)
      made_functions_ += "    " + name + "() " + net_unwrapped(text) + "\n";
    else
      made_parameters_ += "    " + name + " " + net_unwrapped(text) + "\n";
    return name;
  }

  // Numbers first, then what is computed from them, each after what it needs.
  std::string write_parameters() {
    std::string numbers, computed;
    std::vector<bool> done(model_.parameters.size());
    std::function<void(std::int32_t)> define = [&](std::int32_t index) {
      std::size_t i = index;
      if (done[i] || say_.is_ruled(index)) return;
      done[i] = true;
      const Parameter& p = model_.parameters[i];
      std::string name = "    " + names_.of({SymbolKind::parameter, index}) + " ";
      auto found = parameter_initial_.find(index);
      if (found == parameter_initial_.end()) {
        if (!std::isfinite(p.value)) refuse("parameter " + p.id + ", which has no value");
        numbers += name + format_number(p.value) + "\n";
        return;
      }
      each_parameter(found->second, define);
      computed += name + net_unwrapped(say_.text(found->second)) + "\n";
    };
    for (std::size_t i = 0; i < done.size(); ++i) define(static_cast<std::int32_t>(i));
    return numbers + computed;
  }

  void each_parameter(ExprId root, const std::function<void(std::int32_t)>& visit) const {
    std::vector<ExprId> open{root};
    while (!open.empty()) {
      const ExprNode& n = model_.expressions[open.back()];
      open.pop_back();
      if (n.op == Op::symbol && n.ref.kind == SymbolKind::parameter) visit(n.ref.index);
      const ExprId operands[3] = {n.a, n.b, n.c};
      const ExprId* first = n.op == Op::call ? model_.expressions.arguments(n) : operands;
      open.insert(open.end(), first, first + (n.op == Op::call ? n.b : arity(n.op)));
    }
  }

  std::string write_functions() {
    std::string text;
    std::vector<bool> done(model_.parameters.size());
    std::function<void(std::int32_t)> define = [&](std::int32_t index) {
      if (done[index]) return;
      done[index] = true;
      for (const Rule& r : model_.rules) {
        if (r.kind != RuleKind::assignment || r.target != Ref{SymbolKind::parameter, index})
          continue;
        each_parameter(r.value, define);
        text += "    " + names_.of(r.target) + "() " + net_unwrapped(say_.text(r.value)) + "\n";
      }
    };
    for (std::size_t i = 0; i < done.size(); ++i) define(static_cast<std::int32_t>(i));
    return text;
  }

  std::string write_species() {
    std::string text;
    for (std::size_t i = 0; i < model_.species.size(); ++i) {
      const Species& s = model_.species[i];
      std::string id = is_identifier(s.id) ? s.id + "()" : s.id;
      if (id.find_first_of(" \t\n#") != std::string::npos) id = as_identifier(id) + "()";
      auto found = species_initial_.find(static_cast<std::int32_t>(i));
      std::string value = found == species_initial_.end() ? format_number(s.initial)
                                                          : net_unwrapped(say_.text(found->second));
      if (found == species_initial_.end() && !std::isfinite(s.initial))
        refuse("species " + s.id + ", which has no initial value");
      text += "    " + std::to_string(i + 1) + " " + (s.boundary || s.constant ? "$" : "") + id +
              " " + value + "\n";
    }
    return text;
  }

  std::string write_groups() {
    std::string text;
    int number = 0;
    auto line = [&](const std::string& name, const std::string& members) {
      text += "    " + std::to_string(++number) + " " + name + " " + members + "\n";
    };
    for (std::size_t i = 0; i < model_.observables.size(); ++i) {
      std::string members;
      for (const NetTerm& term : net_terms(model_.expressions, model_.observables[i].value))
        members += (members.empty() ? "" : ",") + member(term, model_.observables[i].id);
      line(names_.of({SymbolKind::observable, static_cast<std::int32_t>(i)}), members);
    }
    for (auto& [species, name] : say_.groups) line(name, std::to_string(species + 1));
    return text;
  }

  // "12" or "2*12"
  std::string member(const NetTerm& term, const std::string& observable) {
    const Expressions& e = model_.expressions;
    const ExprNode* n = &e[term.value];
    double weight = term.negative ? -1 : 1;
    if (n->op == Op::mul && e[n->a].op == Op::number) {
      weight *= e[n->a].value;
      n = &e[n->b];
    }
    if (n->op == Op::number && n->value == 0) return "";
    if (n->op != Op::symbol || n->ref.kind != SymbolKind::species) {
      refuse("observable " + observable + ", which is no weighted sum of species");
      return "";
    }
    return (weight == 1 ? "" : format_number(weight) + "*") + std::to_string(n->ref.index + 1);
  }

  const Model& model_;
  WrittenNames names_;
  NetExpressions say_;
  std::map<std::int32_t, ExprId> species_initial_, parameter_initial_;
  std::vector<std::string> refused_;
  std::string reactions_, made_parameters_, made_functions_;
  int lines_ = 0;
};

}  // namespace

Writing write_net(const Model& model) { return NetWriter(model).write(); }

}  // namespace stiffit::internal
