// SPDX-License-Identifier: Apache-2.0
#include "analysis/reduce/quasi_steady.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "analysis/reduce/graph_expressions.h"
#include "analysis/reduce/linear_fast.h"
#include "base/diagnostic.h"
#include "ode/method_registry.h"
#include "ode/system.h"
#include "symbolic/substitution.h"
#include "symbolic/text/expression_text.h"

namespace stiffit::internal {
namespace {

constexpr double long_enough = 1e20;  // for any rest to be reached, in units of the fastest

class Reducer {
 public:
  Reducer(const std::shared_ptr<const Model>& model, const QuasiSteadyRequest& request)
      : original_(model), request_(request) {
    result_.model = *model;
    for (const std::string& name : request.constant) hold(name);
    // Everything else is worked out on the model with those held.
    base_ = std::make_shared<const Model>(result_.model);
    resolved_ = resolve(base_);
  }

  QuasiSteadyModel run() {
    if (request_.fast.empty()) return std::move(result_);
    for (const std::string& name : request_.fast) fast_.push_back(state_of(name));
    find_relations();
    System& system = resolved_.system;
    Graph& graph = system.graph;
    Substitution kept(graph);
    for (auto& [state, sum] : conserved_) kept.replace(graph.state(state), sum);
    std::vector<NodeId> equations;
    for (int state : independent_) {
      equations.push_back(kept.of(system.rhs[index(state)]));
      require_smooth(equations.back(), state);
    }
    auto solution = solve_linear(graph, without_factors(equations), independent_);
    if (!solution) find_rest(equations);
    for (std::size_t i = 0; i < independent_.size(); ++i) {
      const int state = independent_[i];
      free_from_reactions(state);
      if (solution)
        assign(state, (*solution)[i], QuasiSteadyRow::How::solved);
      else
        leave_algebraic(state, equations[i]);
    }
    for (auto& [state, sum] : conserved_) {
      free_from_reactions(state);
      assign(state, sum, QuasiSteadyRow::How::conserved);
    }
    if (request_.composite) add_composites(equations, solution);
    return std::move(result_);
  }

 private:
  static std::size_t index(int i) { return i; }
  [[noreturn]] static void fail(const std::string& message) {
    throw InputError("error: " + message);
  }

  Ref find(const std::string& name) const {
    const Ref ref = original_->find(name);
    if (ref.kind == SymbolKind::none) {
      const std::string nearest = nearest_name(name, original_->all_ids());
      fail("the model has no '" + name + "'" +
           (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
    }
    return ref;
  }

  void drop_rules_and_start(Ref ref, bool start) {
    Model& m = result_.model;
    std::erase_if(m.rules, [&](const Rule& r) { return r.target == ref; });
    if (start)
      std::erase_if(m.initial_assignments,
                    [&](const InitialAssignment& a) { return a.target == ref; });
  }
  void require_no_event(Ref ref) const {
    for (const Event& event : original_->events)
      for (const EventAssignment& a : event.assignments)
        if (a.target == ref)
          fail("event '" + event.id + "' sets '" + original_->id_of(ref) +
               "', which then can neither be fast nor constant");
  }

  // Held at its initial value.
  void hold(const std::string& name) {
    const Ref ref = find(name);
    require_no_event(ref);
    const bool ruled = std::any_of(original_->rules.begin(), original_->rules.end(), [&](auto& r) {
      return r.target == ref && r.kind == RuleKind::assignment;
    });
    if (ruled) fail("'" + name + "' follows a rule; what moves by itself can be held constant");
    drop_rules_and_start(ref, false);
    if (ref.kind == SymbolKind::species) {
      Species& s = result_.model.species[index(ref.index)];
      s.boundary = s.constant = true;
    } else if (ref.kind == SymbolKind::parameter) {
      result_.model.parameters[index(ref.index)].constant = true;
    } else if (ref.kind == SymbolKind::compartment) {
      result_.model.compartments[index(ref.index)].constant = true;
    } else {
      fail("'" + name + "' is nothing that moves by itself");
    }
  }

  int state_of(const std::string& name) const {
    const Ref ref = find(name);
    const int state = resolved_.system.state_index(ref);
    if (state < 0) fail("'" + name + "' does not move by itself, so it cannot be fast");
    const SystemState& s = resolved_.system.states[index(state)];
    if (s.algebraic || s.equilibrium || s.total)
      fail("'" + name + "' is determined by an equation or a fast reaction already");
    require_no_event(ref);
    if (std::find(fast_.begin(), fast_.end(), state) != fast_.end())
      fail("'" + name + "' is named twice");
    return state;
  }

  // Which fast states are independent, and which others move only with them: those keep a sum,
  // x = x0 + sum of c_j (x_j - x_j0). Rows of the stoichiometric matrix, eliminated in turn.
  void find_relations() {
    const System& system = resolved_.system;
    const std::vector<double> values = parameter_values();
    struct Row {
      std::map<int, double> entries;      // by reaction
      std::map<int, double> combination;  // of independent states
    };
    std::vector<Row> basis;
    auto reduced = [&](int state, Row& row) {
      for (const Term& term : system.terms[index(state)]) {
        if (!system.graph.is_fixed(term.coefficient)) return false;
        row.entries[term.reaction] += value_of(term.coefficient, values);
      }
      for (const Row& b : basis) {
        const int lead = b.entries.begin()->first;
        const auto at = row.entries.find(lead);
        if (at == row.entries.end() || at->second == 0) continue;
        const double factor = at->second / b.entries.begin()->second;
        for (auto [reaction, x] : b.entries) row.entries[reaction] -= factor * x;
        for (auto [other, x] : b.combination) row.combination[other] += factor * x;
      }
      constexpr double rounding = 1e-9;
      std::erase_if(row.entries, [&](auto& e) { return std::fabs(e.second) < rounding; });
      return true;
    };
    for (int state : fast_) {
      Row row;
      const bool known = reduced(state, row);
      if (known && row.entries.empty()) {
        keep_sum(state, row.combination);
        continue;
      }
      independent_.push_back(state);
      if (!known) continue;
      for (auto& [other, x] : row.combination) x = -x;
      row.combination[state] += 1;
      basis.push_back(std::move(row));
    }
    for (int state = 0; state < static_cast<int>(system.states.size()); ++state) {
      if (std::find(fast_.begin(), fast_.end(), state) != fast_.end()) continue;
      if (system.terms[index(state)].empty() || system.states[index(state)].algebraic) continue;
      Row row;
      if (reduced(state, row) && row.entries.empty()) keep_sum(state, row.combination);
    }
  }

  void keep_sum(int state, const std::map<int, double>& combination) {
    require_no_event(resolved_.system.states[index(state)].ref);
    Graph& graph = resolved_.system.graph;
    NodeId sum = resolved_.system.initial[index(state)];
    for (auto [other, x] : combination) {
      if (x == 0) continue;
      const NodeId factor = graph.number(x);
      sum = graph.add(sum, graph.mul(graph.neg(factor), resolved_.system.initial[index(other)]));
      sum = graph.add(sum, graph.mul(factor, graph.state(other)));
    }
    conserved_.emplace_back(state, sum);
  }

  std::vector<double> parameter_values() const {
    std::vector<double> values;
    for (const SystemParameter& p : resolved_.system.parameters) values.push_back(p.value);
    return values;
  }
  double value_of(NodeId node, const std::vector<double>& values) const {
    return resolved_.system.graph.value(
        node, [&](Leaf, int i) { return index(i) < values.size() ? values[index(i)] : 0; });
  }

  // 0 = -g where f = k g with k fixed; most slopes then come out positive.
  std::vector<NodeId> without_factors(std::vector<NodeId> equations) {
    Graph& graph = resolved_.system.graph;
    for (NodeId& equation : equations) {
      const GraphNode n = graph[equation];
      if (n.op == Op::mul && graph.is_fixed(n.a)) equation = n.b;
      equation = graph.neg(equation);
    }
    return equations;
  }

  // Where the fast species come to rest with everything slow at its start: the place to search
  // from.
  void find_rest(const std::vector<NodeId>& equations) {
    const System& system = resolved_.system;
    Graph& graph = resolved_.system.graph;
    const std::vector<double> values = parameter_values();
    const std::size_t n = independent_.size();
    std::vector<double> x(system.states.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = value_of(system.initial[i], values);
    std::vector<NodeId> slopes;
    for (NodeId equation : equations)
      for (int state : independent_) slopes.push_back(slope_by(equation, state));
    auto value = [&](NodeId node) {
      return graph.value(node, [&](Leaf kind, int i) {
        return kind == Leaf::state  ? x[index(i)]
               : kind == Leaf::time ? system.start_time
                                    : values[index(i)];
      });
    };
    struct FastSystem final : OdeSystem {
      std::function<void(const double*)> place;  // puts the fast species where they are
      std::function<double(NodeId)> value;
      const std::vector<NodeId>*equations, *slopes;  // slopes: [equation][species]
      int size() const override { return static_cast<int>(equations->size()); }
      bool autonomous() const override { return true; }
      void rates(double, const double* y, double* f) const override {
        place(y);
        for (NodeId equation : *equations) *f++ = value(equation);
      }
      bool jacobian(double, const double* y, double* values) const override {
        place(y);
        const std::size_t size = equations->size();
        for (std::size_t column = 0; column < size; ++column)
          for (std::size_t row = 0; row < size; ++row)
            *values++ = value((*slopes)[row * size + column]);
        return true;
      }
    } fast;
    fast.equations = &equations;
    fast.slopes = &slopes;
    fast.value = value;
    fast.place = [&](const double* y) {
      for (std::size_t i = 0; i < n; ++i) x[index(independent_[i])] = y[i];
    };
    double rate = 0;  // of the fastest
    for (NodeId slope : slopes) rate = std::max(rate, std::fabs(value(slope)));
    std::vector<double> start;
    for (int state : independent_) start.push_back(x[index(state)]);
    IntegrationOptions options;
    options.method = method_name(MethodRole::stiff);
    const double end = long_enough / (rate > 0 ? rate : 1);
    const Trajectory run = SystemProblem(fast, end).run(start, {0, end}, options);
    if (run.outcome.status != Status::done) return;  // the model's own start has to serve
    fast.place(run.states.data() + n);
    for (int state : independent_) rest_[state] = x[index(state)];
  }

  // Modes and delays are not of the model language.
  void require_smooth(NodeId node, int state) {
    const System& system = resolved_.system;
    const Graph& graph = system.graph;
    bool outside = false;
    graph.value(node, [&](Leaf kind, int i) {
      outside |=
          kind == Leaf::input || (kind == Leaf::parameter && index(i) >= system.parameters.size());
      return 1.0;
    });
    if (outside)
      fail("the equation of '" + system.states[index(state)].name +
           "' has conditions or delays; it cannot be taken at rest");
  }

  void free_from_reactions(int state) {
    const Ref ref = resolved_.system.states[index(state)].ref;
    drop_rules_and_start(ref, true);
    if (ref.kind == SymbolKind::species) {
      Species& s = result_.model.species[index(ref.index)];
      s.boundary = true;
      s.constant = false;
    } else if (ref.kind == SymbolKind::parameter) {
      result_.model.parameters[index(ref.index)].constant = false;
    }
  }

  // A state in the words of the model, whose species names may mean the other of amount and
  // concentration.
  ExprId compartment_of(int state) {
    const SystemState& s = resolved_.system.states[index(state)];
    if (s.ref.kind != SymbolKind::species) return no_expr;
    const Species& species = result_.model.species[index(s.ref.index)];
    if (species.compartment < 0 || species.in_amount == s.is_amount) return no_expr;
    return result_.model.expressions.symbol({SymbolKind::compartment, species.compartment});
  }
  ExprId symbol_of_state(int state) {
    Expressions& e = result_.model.expressions;
    const SystemState& s = resolved_.system.states[index(state)];
    const ExprId symbol = e.symbol(s.ref), size = compartment_of(state);
    return size == no_expr ? symbol : e.apply(s.is_amount ? Op::mul : Op::div, symbol, size);
  }
  ExprId symbol_of(Leaf kind, int i) {
    Expressions& e = result_.model.expressions;
    if (kind == Leaf::time) return e.symbol({SymbolKind::time, -1});
    if (kind == Leaf::state) return symbol_of_state(i);
    const SystemParameter& p = resolved_.system.parameters[index(i)];
    if (resolved_.system.state_index(p.ref) < 0) return e.symbol(p.ref);
    return e.symbol(start_parameter(i));
  }
  // The initial value of something that moves becomes a parameter of its own.
  Ref start_parameter(int i) {
    const SystemParameter& p = resolved_.system.parameters[index(i)];
    auto [at, fresh] = starts_.try_emplace(i, -1);
    if (fresh) at->second = new_parameter(p.name + "_0", p.value, true);
    return {SymbolKind::parameter, at->second};
  }
  int new_parameter(const std::string& wanted, double value, bool constant) {
    Parameter parameter;
    parameter.id = wanted;
    for (int k = 1; result_.model.find(parameter.id).kind != SymbolKind::none; ++k)
      parameter.id = wanted + "_" + std::to_string(k);
    parameter.value = value;
    parameter.constant = constant;
    result_.model.parameters.push_back(parameter);
    return static_cast<int>(result_.model.parameters.size()) - 1;
  }

  ExprId expression(NodeId node) {
    GraphExpressions made(resolved_.system.graph, result_.model,
                          [this](Leaf kind, int i) { return symbol_of(kind, i); });
    return made.of(node);
  }

  void assign(int state, NodeId value, QuasiSteadyRow::How how) {
    Expressions& e = result_.model.expressions;
    const SystemState& s = resolved_.system.states[index(state)];
    ExprId expr = expression(value);
    if (const ExprId size = compartment_of(state); size != no_expr)
      expr = e.apply(s.is_amount ? Op::div : Op::mul, expr, size);
    result_.model.rules.push_back({RuleKind::assignment, s.ref, expr, {}});
    result_.rows.push_back(
        {original_->id_of(s.ref), how, expression_text(result_.model, expr, 400)});
  }

  void leave_algebraic(int state, NodeId equation) {
    const SystemState& s = resolved_.system.states[index(state)];
    // The search along the run starts from the initial value.
    if (s.ref.kind == SymbolKind::species) {
      Species& species = result_.model.species[index(s.ref.index)];
      species.initial = rest_.contains(state)
                            ? rest_.at(state)
                            : value_at_start(resolved_.system.initial[index(state)]);
      species.initial_is_amount = s.is_amount;
    }
    const ExprId expr = expression(equation);
    result_.model.rules.push_back({RuleKind::algebraic, {}, expr, {}});
    result_.rows.push_back({original_->id_of(s.ref), QuasiSteadyRow::How::algebraic,
                            "0 = " + expression_text(result_.model, expr, 400)});
  }
  double value_at_start(NodeId node) const { return value_of(node, parameter_values()); }

  // NAME_composite = the value at rest + the initial layer - what both have in common. The layer
  // is the fast equations with everything slow held at its start (Gutfreund's approximation in
  // general); with one linear equation it is an exponential.
  void add_composites(const std::vector<NodeId>& equations,
                      const std::optional<std::vector<NodeId>>& solution) {
    if (!solution)
      fail("a composite solution needs fast species that enter their equations linearly");
    System& system = resolved_.system;
    Graph& graph = system.graph;
    Substitution start(graph);
    for (int state = 0; state < static_cast<int>(system.states.size()); ++state)
      if (std::find(independent_.begin(), independent_.end(), state) == independent_.end())
        start.replace(graph.state(state), system.initial[index(state)]);
    start.replace(graph.time(), graph.number(system.start_time));
    std::vector<ExprId> layers;
    for (std::size_t i = 0; i < independent_.size(); ++i) {
      const int state = independent_[i];
      const NodeId first = system.initial[index(state)], rest = start.of((*solution)[i]);
      NodeId away = graph.sub(first, rest);
      if (independent_.size() == 1) {
        const NodeId rate = start.of(slope_by(equations[0], state));
        const NodeId elapsed = graph.sub(graph.time(), graph.number(system.start_time));
        away = graph.mul(away, graph.apply(Op::exp, graph.mul(rate, elapsed)));
        layers.push_back(expression(away));
      } else {
        layers.push_back(no_expr);
      }
    }
    if (independent_.size() > 1) add_layer_equations(equations, *solution, start, layers);
    for (std::size_t i = 0; i < independent_.size(); ++i) add_composite(independent_[i], layers[i]);
  }

  NodeId slope_by(NodeId equation, int state) {
    for (auto [other, slope] : resolved_.system.graph.gradient(equation, Leaf::state))
      if (other == state) return slope;
    return resolved_.system.graph.number(0);
  }

  // Deviations of the layer from its rest, z' = A z with A at the start.
  void add_layer_equations(const std::vector<NodeId>& equations,
                           const std::vector<NodeId>& solution, Substitution& start,
                           std::vector<ExprId>& layers) {
    Model& m = result_.model;
    System& system = resolved_.system;
    std::vector<Ref> z;
    for (std::size_t i = 0; i < independent_.size(); ++i) {
      const SystemState& s = system.states[index(independent_[i])];
      z.push_back({SymbolKind::parameter, new_parameter(s.name + "_layer", not_set, false)});
      const NodeId away =
          system.graph.sub(system.initial[index(independent_[i])], start.of(solution[i]));
      m.initial_assignments.push_back({z.back(), expression(away), {}});
      layers[i] = m.expressions.symbol(z.back());
    }
    for (std::size_t i = 0; i < independent_.size(); ++i) {
      ExprId sum = no_expr;
      for (std::size_t j = 0; j < independent_.size(); ++j) {
        const NodeId a = start.of(slope_by(equations[i], independent_[j]));
        if (system.graph.is_number(a, 0)) continue;
        const ExprId term = m.expressions.apply(Op::mul, expression(a), m.expressions.symbol(z[j]));
        sum = sum == no_expr ? term : m.expressions.apply(Op::add, sum, term);
      }
      m.rules.push_back({RuleKind::rate, z[i], sum == no_expr ? m.expressions.number(0) : sum, {}});
    }
  }

  void add_composite(int state, ExprId layer) {
    Expressions& e = result_.model.expressions;
    const SystemState& s = resolved_.system.states[index(state)];
    if (const ExprId size = compartment_of(state); size != no_expr)
      layer = e.apply(s.is_amount ? Op::div : Op::mul, layer, size);
    const std::string& name = original_->id_of(s.ref);
    const int parameter = new_parameter(name + "_composite", not_set, false);
    result_.model.rules.push_back({RuleKind::assignment,
                                   {SymbolKind::parameter, parameter},
                                   e.apply(Op::add, e.symbol(s.ref), layer),
                                   {}});
    result_.composites.push_back(name);
  }

  std::shared_ptr<const Model> original_, base_;
  const QuasiSteadyRequest& request_;
  ResolvedSystem resolved_;
  QuasiSteadyModel result_;
  std::vector<int> fast_, independent_;
  std::vector<std::pair<int, NodeId>> conserved_;  // state, in the independent ones
  std::map<int, double> rest_;                     // of fast states, at the start
  std::map<int, int> starts_;                      // parameter of the system: that of the model
};

}  // namespace

QuasiSteadyModel quasi_steady_model(const std::shared_ptr<const Model>& model,
                                    const QuasiSteadyRequest& request) {
  return Reducer(model, request).run();
}

}  // namespace stiffit::internal
