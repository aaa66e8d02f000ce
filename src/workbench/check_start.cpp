// SPDX-License-Identifier: Apache-2.0
#include "workbench/check_start.h"

#include <cmath>

#include "base/number.h"
#include "report/expression_text.h"
#include "symbolic/mode_value.h"

namespace stiffit {
namespace {

// The value of every node at the start: two passes, because initial states depend on parameters.
std::vector<double> values_at_start(const System& system) {
  const Graph& graph = system.graph;
  std::vector<double> values(graph.size());
  auto pass = [&](const std::vector<double>& states) {
    for (NodeId id = 0; id < graph.size(); ++id) {
      const GraphNode& n = graph[id];
      if (n.op == Op::number) {
        values[id] = n.value;
      } else if (n.op == Op::symbol) {
        auto i = static_cast<std::size_t>(n.b);
        switch (static_cast<Leaf>(n.a)) {
          case Leaf::time:
            values[id] = system.start_time;
            break;
          case Leaf::state:
            values[id] = i < states.size() ? states[i] : 0;
            break;
          case Leaf::input:  // the past stands at its initial value
            values[id] = values[system.delays[i].value];
            break;
          case Leaf::parameter:
            if (i < system.parameters.size()) {
              values[id] = system.parameters[i].value;
            } else {  // the root of a mode is an earlier node
              const Mode& mode = system.modes[i - system.parameters.size()];
              values[id] = mode_value(mode.kind, values[mode.root]);
            }
            break;
        }
      } else {
        int operands = arity(n.op);
        values[id] = evaluate(n.op, values[n.a], operands > 1 ? values[n.b] : 0,
                              operands > 2 ? values[n.c] : 0);
      }
    }
  };
  pass({});
  std::vector<double> states;
  for (NodeId id : system.initial) states.push_back(values[id]);
  pass(states);
  return values;
}

// Why a node is not finite: the innermost operation that made it so.
class Culprit {
 public:
  Culprit(const Model& model, const System& system, const std::vector<double>& values)
      : model_(model), system_(system), values_(values) {}

  std::string explain(NodeId id) const {
    const Graph& graph = system_.graph;
    for (;;) {
      const GraphNode& n = graph[id];
      if (n.op == Op::symbol) return leaf(n);
      if (n.op == Op::number) return "it is " + format_number(n.value);
      const NodeId operands[3] = {n.a, n.b, n.c};
      NodeId inner = id;
      for (int k = 0; k < arity(n.op); ++k)
        if (!std::isfinite(values_[operands[k]])) {
          inner = operands[k];
          break;
        }
      if (inner == id) return operation(n);
      id = inner;
    }
  }

 private:
  std::string shown(NodeId id) const {
    return "'" + expression_text(model_, system_, id, 60) + "'";
  }

  std::string leaf(const GraphNode& n) const {
    auto i = static_cast<std::size_t>(n.b);
    if (static_cast<Leaf>(n.a) == Leaf::parameter && i >= system_.parameters.size())
      return explain(system_.modes[i - system_.parameters.size()].root);
    if (static_cast<Leaf>(n.a) == Leaf::parameter) {
      const SystemParameter& p = system_.parameters[i];
      if (!std::isnan(p.value)) return "'" + p.name + "' is " + format_number(p.value);
      return "'" + p.name + "' has no " +
             (p.ref.kind == SymbolKind::species ? "initial value" : "value");
    }
    return "'" + system_.states[i].name + "' is not finite there";
  }

  std::string operation(const GraphNode& n) const {
    if ((n.op == Op::div || n.op == Op::rem || n.op == Op::quotient) && values_[n.b] == 0)
      return "division by zero: " + shown(n.b) + " is 0";
    if (n.op == Op::pow && values_[n.a] == 0) return "zero to a negative power: " + shown(n.a);
    if (n.op == Op::pow && values_[n.a] < 0)
      return "a broken power of the negative value " + shown(n.a);
    if ((n.op == Op::ln || n.op == Op::log10) && values_[n.a] <= 0)
      return "the logarithm of " + shown(n.a) + ", which is " + format_number(values_[n.a]);
    if (n.op == Op::sqrt && values_[n.a] < 0)
      return "the square root of " + shown(n.a) + ", which is " + format_number(values_[n.a]);
    return "'" + std::string(name_of(n.op)) + "' of " + shown(n.a) + " has no finite value";
  }

  const Model& model_;
  const System& system_;
  const std::vector<double>& values_;
};

Span span_of(const Model& model, Ref ref) {
  auto i = static_cast<std::size_t>(ref.index);
  for (const InitialAssignment& a : model.initial_assignments)
    if (a.target == ref) return a.span;
  switch (ref.kind) {
    case SymbolKind::species:
      return model.species[i].span;
    case SymbolKind::parameter:
      return model.parameters[i].span;
    case SymbolKind::compartment:
      return model.compartments[i].span;
    default:
      return {};
  }
}

// The expression itself if the reader kept its place, else what it belongs to.
Span place_of(const Model& model, ExprId expression, Span owner) {
  if (expression == no_expr || model.expressions[expression].span.empty()) return owner;
  return model.expressions[expression].span;
}

const char* word_for(SymbolKind kind) {
  return kind == SymbolKind::species     ? "species"
         : kind == SymbolKind::parameter ? "variable"
                                         : "compartment";
}

}  // namespace

void check_start(const Model& model, const System& system, Diagnostics& diagnostics) {
  std::vector<double> values = values_at_start(system);
  Culprit culprit(model, system, values);
  std::string when = " at time " + format_number(system.start_time);
  for (std::size_t i = 0; i < system.states.size(); ++i) {
    NodeId node = system.initial[i];
    if (std::isfinite(values[node])) continue;
    Ref ref = system.states[i].ref;
    diagnostics.error(span_of(model, ref),
                      std::string("the initial value of ") + word_for(ref.kind) + " '" +
                          system.states[i].name + "' is not finite",
                      culprit.explain(node));
  }
  if (diagnostics.has_errors()) return;  // everything would follow from those
  for (const SystemDelay& delay : system.delays)
    if (values[delay.lag] < 0)
      diagnostics.error(delay.span, "'" + delay.text + "' asks for the future",
                        "its delay is " + format_short(values[delay.lag]) +
                            (system.graph.is_fixed(delay.lag) ? "" : when) +
                            "; a delay is zero or positive");
  if (diagnostics.has_errors()) return;
  for (std::size_t r = 0; r < model.reactions.size(); ++r) {
    NodeId node = system.rates[r];
    if (std::isfinite(values[node])) continue;
    const Reaction& reaction = model.reactions[r];
    diagnostics.error(place_of(model, reaction.rate, reaction.span),
                      "the rate of reaction '" + reaction.id + "' is not finite" + when,
                      culprit.explain(node));
  }
  std::size_t rate = model.reactions.size();
  for (const Rule& rule : model.rules) {
    if (rule.kind != RuleKind::rate) continue;
    NodeId node = system.rates[rate++];
    if (std::isfinite(values[node])) continue;
    diagnostics.error(place_of(model, rule.value, rule.span),
                      "the rate of '" + model.id_of(rule.target) + "' is not finite" + when,
                      culprit.explain(node));
  }
  if (diagnostics.has_errors()) return;
  for (std::size_t i = 0; i < system.states.size(); ++i) {
    NodeId node = system.rhs[i];
    if (std::isfinite(values[node])) continue;
    Ref ref = system.states[i].ref;
    diagnostics.error(span_of(model, ref),
                      std::string("the derivative of ") + word_for(ref.kind) + " '" +
                          system.states[i].name + "' is not finite" + when,
                      culprit.explain(node));
  }
}

void require_sound_start(const Model& model, const System& system) {
  auto source = model.source ? model.source : std::make_shared<const Source>();
  Diagnostics diagnostics(source);
  check_start(model, system, diagnostics);
  if (diagnostics.has_errors()) throw InputError(render(diagnostics));
}

}  // namespace stiffit
