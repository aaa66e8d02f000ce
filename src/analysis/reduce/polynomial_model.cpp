// SPDX-License-Identifier: Apache-2.0
#include "analysis/reduce/polynomial_model.h"

#include <cmath>
#include <set>

#include "analysis/reduce/graph_expressions.h"
#include "base/diagnostic.h"
#include "base/number.h"
#include "symbolic/text/expression_text.h"

namespace stiffit::internal {
namespace {

class Builder {
 public:
  Builder(const Model& original, const ResolvedSystem& resolved, const PolynomialForm& form)
      : original_(original), resolved_(resolved), system_(resolved.system), form_(form) {}

  PolynomialModel run() {
    copy_heading();
    name_variables();
    for (std::size_t i = 0; i < form_.variables.size(); ++i) add_species(i);
    add_initial_values();
    GraphExpressions rates(system_.graph, result_.model,
                           [this](Leaf kind, int index) { return symbol(kind, index, false); });
    for (std::size_t i = 0; i < form_.variables.size(); ++i)
      result_.model.rules.push_back({RuleKind::rate, variable(i), sum_of(i, rates), {}});
    add_columns(rates);
    return std::move(result_);
  }

 private:
  void copy_heading() {
    Model& m = result_.model;
    m.id = original_.id;
    m.title = original_.title;
    m.start_time = original_.start_time;
    m.end_time = original_.end_time;
  }

  std::string free_name(const std::string& wanted) {
    std::string name = wanted;
    for (int k = 1; !taken_.insert(name).second; ++k) name = wanted + "_" + std::to_string(k);
    return name;
  }

  void name_variables() {
    const Graph& graph = system_.graph;
    std::vector<std::string> shown(system_.states.size());
    for (const Output& column : resolved_.columns) {
      taken_.insert(column.name);
      const GraphNode& n = graph[column.node];
      // Several columns may show one state; its own name is the best.
      if (n.op == Op::symbol && static_cast<Leaf>(n.a) == Leaf::state &&
          (shown[n.b].empty() || column.name == system_.states[n.b].name))
        shown[n.b] = column.name;
    }
    for (const SystemParameter& p : system_.parameters) taken_.insert(p.name);
    taken_.insert("time");
    for (const std::string& id : original_.all_ids()) taken_.insert(id);
    int count = 0;
    for (const PolynomialVariable& v : form_.variables) {
      std::string name, meaning;
      if (v.state >= 0) {
        const std::size_t state = v.state;
        name =
            shown[state].empty() ? free_name(system_.states[state].name + "_amount") : shown[state];
      } else {
        do name = "w" + std::to_string(++count);
        while (!taken_.insert(name).second);
        meaning = expression_text(original_, system_, v.definition, 200);
      }
      result_.names.push_back(name);
      result_.meaning.push_back(meaning);
    }
  }

  Ref variable(std::size_t i) const { return {SymbolKind::species, static_cast<int>(i)}; }

  void add_species(std::size_t i) {
    Species s;
    s.id = result_.names[i];
    result_.model.species.push_back(s);
  }

  ExprId symbol(Leaf kind, int index, bool at_start) {
    Expressions& e = result_.model.expressions;
    if (kind == Leaf::time) return e.symbol({SymbolKind::time, -1});
    if (kind == Leaf::state) return e.symbol({SymbolKind::species, index});
    const SystemParameter& p = system_.parameters.at(index);
    if (at_start)
      if (const int state = system_.state_index(p.ref); state >= 0)
        return e.symbol({SymbolKind::species, state});
    auto [at, fresh] = parameters_.try_emplace(index, -1);
    if (fresh) {
      Parameter parameter;
      const bool is_state = system_.state_index(p.ref) >= 0;
      parameter.id = is_state ? free_name(p.name + "_0") : p.name;
      parameter.value = p.value;
      at->second = static_cast<int>(result_.model.parameters.size());
      result_.model.parameters.push_back(parameter);
    }
    return e.symbol({SymbolKind::parameter, at->second});
  }

  double value_of(NodeId node) const {
    return system_.graph.value(node, [this](Leaf kind, int index) {
      const std::size_t i = index;
      if (kind == Leaf::time) return system_.start_time;
      if (kind == Leaf::parameter) return system_.parameters[i].value;
      return value_of(system_.initial[i]);
    });
  }

  // States start as they do in the model; new variables from their definitions, so that they
  // follow when another start is set.
  void add_initial_values() {
    Model& m = result_.model;
    GraphExpressions starts(system_.graph, m,
                            [this](Leaf kind, int index) { return symbol(kind, index, true); });
    for (std::size_t i = 0; i < form_.variables.size(); ++i) {
      const PolynomialVariable& v = form_.variables[i];
      const double value = value_of(v.definition);
      if (!std::isfinite(value))
        throw InputError("error: the polynomial form needs the variable " + result_.names[i] +
                         " = " + result_.meaning[i] + ", which is " + format_number(value) +
                         " at the start\n  a start a little away from there may serve "
                         "(--set name=value)");
      result_.initial.push_back(value);
      if (v.state < 0) {
        m.initial_assignments.push_back({variable(i), starts.of(v.definition), {}});
        continue;
      }
      const NodeId start = system_.initial[v.state];
      const GraphNode& n = system_.graph[start];
      const bool own = n.op == Op::symbol && static_cast<Leaf>(n.a) == Leaf::parameter &&
                       system_.state_index(system_.parameters[n.b].ref) == v.state;
      if (own || n.op == Op::number)
        m.species[i].initial = value;
      else
        m.initial_assignments.push_back({variable(i), amount_start(start), {}});
    }
  }

  // The start of a state in its own parameters: the symbols of states there mean theirs.
  ExprId amount_start(NodeId start) {
    GraphExpressions plain(system_.graph, result_.model,
                           [this](Leaf kind, int index) { return symbol(kind, index, false); });
    return plain.of(start);
  }

  // A coefficient as number * rest; no_node: nothing but the number.
  std::pair<double, NodeId> sign_first(NodeId c) const {
    const Graph& graph = system_.graph;
    double factor = 1;
    if (graph[c].op == Op::neg) {
      factor = -1;
      c = graph[c].a;
    }
    if (graph.is_number(c)) return {factor * graph[c].value, no_node};
    if (graph[c].op == Op::mul && graph.is_number(graph[c].a))
      return {factor * graph[graph[c].a].value, graph[c].b};
    return {factor, c};
  }

  ExprId sum_of(std::size_t i, GraphExpressions& rates) {
    Expressions& e = result_.model.expressions;
    ExprId sum = no_expr;
    for (auto& [m, c] : form_.variables[i].derivative) {
      auto [factor, rest] = sign_first(c);
      const bool minus = factor < 0, first = sum == no_expr;
      // A leading number carries its own sign.
      if (!(first && factor != -1)) factor = std::fabs(factor);
      ExprId term = no_expr;
      if (factor != 1 || (rest == no_node && m.empty())) term = e.number(factor);
      if (rest != no_node) {
        const ExprId symbolic = rates.of(rest);
        term = term == no_expr ? symbolic : e.apply(Op::mul, term, symbolic);
      }
      for (auto [v, power] : m) {
        ExprId x = e.symbol({SymbolKind::species, v});
        if (power > 1) x = e.apply(Op::pow, x, e.number(power));
        term = term == no_expr ? x : e.apply(Op::mul, term, x);
      }
      if (sum == no_expr)
        sum = minus && factor > 0 ? e.apply(Op::neg, term) : term;
      else
        sum = e.apply(minus ? Op::sub : Op::add, sum, term);
    }
    return sum == no_expr ? e.number(0) : sum;
  }

  // What the model shows and is no state.
  void add_columns(GraphExpressions& now) {
    for (const Output& column : resolved_.columns) {
      const GraphNode& n = system_.graph[column.node];
      if (n.op == Op::symbol && static_cast<Leaf>(n.a) == Leaf::state &&
          result_.names[n.b] == column.name)
        continue;
      if (n.depends >> static_cast<int>(Leaf::input) & 1) continue;
      Parameter p;
      p.id = column.name;
      p.constant = false;
      const Ref ref{SymbolKind::parameter, static_cast<int>(result_.model.parameters.size())};
      result_.model.parameters.push_back(p);
      const ExprId value = now.of(column.node);
      result_.model.rules.push_back({RuleKind::assignment, ref, value, {}});
    }
  }

  const Model& original_;
  const ResolvedSystem& resolved_;
  const System& system_;
  const PolynomialForm& form_;
  PolynomialModel result_;
  std::set<std::string> taken_;
  std::map<int, int> parameters_;  // of the system to those of the new model
};

}  // namespace

PolynomialModel polynomial_model(const Model& original, const ResolvedSystem& resolved,
                                 const PolynomialForm& form) {
  return Builder(original, resolved, form).run();
}

}  // namespace stiffit::internal
