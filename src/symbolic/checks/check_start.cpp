// SPDX-License-Identifier: Apache-2.0
#include "symbolic/checks/check_start.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/number.h"
#include "symbolic/start_values.h"
#include "symbolic/system_builder.h"
#include "symbolic/text/expression_text.h"

namespace stiffit::internal {
namespace {

// Events that fire at the start come before anything moves.
std::vector<double> states_at_start(const System& system) {
  std::vector<double> states = start_states(system);
  if (system.events.empty()) return states;
  const std::vector<double> values = node_values(system, system.start_time, states);
  for (const SystemEvent& event : system.events) {
    if (event.initial_value || event.delay != no_node || !(values[event.trigger] > 0)) continue;
    for (const SystemAssignment& a : event.assignments)
      states[a.state] = values[a.value] * (a.size == no_node ? 1 : values[a.size]);
  }
  return states;
}

// A thing of the model and its expression along the trajectory.
struct Quantity {
  Ref ref;
  NodeId node;
};

std::vector<Quantity> quantities_of(const Model& model, ResolvedSystem& resolved) {
  std::vector<Quantity> found;
  resolved.builder->attach(resolved.system);
  auto add = [&](SymbolKind kind, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const Ref ref{kind, static_cast<int>(i)};
      found.push_back({ref, resolved.builder->value(ref)});
    }
  };
  add(SymbolKind::species, model.species.size());
  add(SymbolKind::parameter, model.parameters.size());
  add(SymbolKind::compartment, model.compartments.size());
  add(SymbolKind::reaction, model.reactions.size());
  return found;
}

// Why a node is not finite: the innermost operation that made it so, and the names on the way.
class Culprit {
 public:
  Culprit(const Model& model, ResolvedSystem& resolved)
      : model_(model),
        resolved_(resolved),
        system_(resolved.system),
        quantities_(quantities_of(model, resolved)),
        values_(node_values(system_, system_.start_time, states_at_start(system_))) {}

  const std::vector<Quantity>& quantities() const { return quantities_; }
  double value(NodeId id) const { return values_[id]; }

  std::string explain(NodeId id, const std::string& itself = {}) {
    if (names_.empty()) name_nodes();
    std::vector<std::string> chain;
    const std::string cause = innermost(id, chain);
    std::erase(chain, itself);
    if (chain.empty()) return cause;
    std::string through;
    for (const std::string& name : chain) through += (through.empty() ? "'" : ", '") + name + "'";
    return "through " + through + ": " + cause;
  }

 private:
  // Only when there is something to tell: models may be large.
  void name_nodes() {
    for (const Quantity& q : quantities_) {
      names_.try_emplace(q.node, model_.id_of(q.ref));
      if (q.ref.kind != SymbolKind::reaction)
        names_.try_emplace(resolved_.builder->value(q.ref, SystemBuilder::Moment::start),
                           model_.id_of(q.ref));
    }
  }

  std::string innermost(NodeId id, std::vector<std::string>& chain) {
    const Graph& graph = system_.graph;
    for (;;) {
      const GraphNode& n = graph[id];
      if (auto found = names_.find(id); found != names_.end() && n.op != Op::symbol)
        chain.push_back(found->second);
      if (n.op == Op::symbol) return leaf(n);
      if (n.op == Op::number) return "it is " + format_number(n.value);
      const NodeId operands[3] = {n.a, n.b, n.c};
      NodeId inner = id;
      if (is_waiting(n, id)) return waiting(n);
      for (int k = 0; k < arity(n.op); ++k)
        if (!std::isfinite(values_[operands[k]])) {
          inner = operands[k];
          break;
        }
      if (inner == id) return operation(n);
      id = inner;
    }
  }

  // A state that no event has set yet.
  bool is_waiting(const GraphNode& n, NodeId id) const {
    return is_partly_defined(system_.graph, id) && system_.graph[n.a].op == Op::symbol &&
           system_.graph[n.a].a == static_cast<std::uint32_t>(Leaf::state);
  }
  std::string waiting(const GraphNode& n) const {
    const std::string& name = system_.states[system_.graph[n.a].b].name;
    return "'" + name + "' has no value until an event sets it; --set " + name +
           "=... gives it one";
  }

  std::string shown(NodeId id) const {
    return "'" + expression_text(model_, system_, id, 60) + "'";
  }

  // With the way out, for files that cannot be mended at their source.
  static std::string missing(const SystemParameter& p) {
    const std::string set = "--set " + p.name + "=... gives it one";
    if (p.ref.kind == SymbolKind::species) return "'" + p.name + "' has no initial value; " + set;
    if (p.ref.kind != SymbolKind::compartment) return "'" + p.name + "' has no value; " + set;
    return "compartment '" + p.name + "' has no size; " + set +
           ", --assume size=1 gives it to all that have none";
  }

  std::string leaf(const GraphNode& n) {
    std::size_t i = n.b;
    if (static_cast<Leaf>(n.a) == Leaf::parameter && i >= system_.parameters.size())
      return explain(system_.modes[i - system_.parameters.size()].root, {});
    if (static_cast<Leaf>(n.a) == Leaf::parameter) {
      const SystemParameter& p = system_.parameters[i];
      if (!std::isnan(p.value)) return "'" + p.name + "' is " + format_number(p.value);
      return missing(p);
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
  ResolvedSystem& resolved_;
  const System& system_;
  std::vector<Quantity> quantities_;
  std::unordered_map<NodeId, std::string> names_;
  std::vector<double> values_;
};

Span span_of(const Model& model, Ref ref) {
  std::size_t i = ref.index;
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

// What has no value at the start and is not integrated: said once, for all of it.
void warn_of_undefined(const Model& model, double start, Culprit& culprit,
                       Diagnostics& diagnostics) {
  constexpr std::size_t most_named = 8;
  std::vector<Quantity> undefined;
  for (const Quantity& q : culprit.quantities())
    if (std::isnan(culprit.value(q.node))) undefined.push_back(q);
  if (undefined.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(undefined.size(), most_named); ++i)
    names += (i == 0 ? "'" : ", '") + model.id_of(undefined[i].ref) + "'";
  if (undefined.size() > most_named)
    names += " and " + std::to_string(undefined.size() - most_named) + " more";
  const bool many = undefined.size() > 1;
  const Quantity& first = undefined.front();
  diagnostics.warning(
      span_of(model, first.ref),
      names + (many ? " have" : " has") + " no value at time " + format_number(start) +
          " and will be shown as nan; nothing that is integrated needs " + (many ? "them" : "it"),
      culprit.explain(first.node, model.id_of(first.ref)));
}

}  // namespace

void check_start(const Model& model, ResolvedSystem& resolved, Diagnostics& diagnostics) {
  Culprit culprit(model, resolved);
  const System& system = resolved.system;
  const std::size_t errors_before = diagnostics.items().size();
  auto has_new_errors = [&] {
    return std::any_of(diagnostics.items().begin() + static_cast<long>(errors_before),
                       diagnostics.items().end(),
                       [](const Diagnostic& d) { return d.severity == Severity::error; });
  };
  std::string when = " at time " + format_number(system.start_time);
  for (std::size_t i = 0; i < system.states.size(); ++i) {
    NodeId node = system.initial[i];
    if (std::isfinite(culprit.value(node))) continue;
    Ref ref = system.states[i].ref;
    const std::string what = std::string(word_for(ref.kind)) + " '" + system.states[i].name + "'";
    diagnostics.error(span_of(model, ref), "the initial value of " + what + " is not finite",
                      culprit.explain(node, system.states[i].name));
  }
  if (has_new_errors()) return;  // everything would follow from those
  for (const SystemDelay& delay : system.delays)
    if (culprit.value(delay.lag) < 0)
      diagnostics.error(delay.span, "'" + delay.text + "' asks for the future",
                        "its delay is " + format_short(culprit.value(delay.lag)) +
                            (system.graph.is_fixed(delay.lag) ? "" : when) +
                            "; a delay is zero or positive");
  if (has_new_errors()) return;
  // Only what moves a state matters.
  std::vector<char> moves(system.rates.size());
  for (auto& row : system.terms)
    for (const Term& term : row) moves[term.reaction] = 1;
  for (std::size_t r = 0; r < model.reactions.size(); ++r) {
    if (!moves[r] || std::isfinite(culprit.value(system.rates[r]))) continue;
    const Reaction& reaction = model.reactions[r];
    const NodeId node = resolved.builder->value({SymbolKind::reaction, static_cast<int>(r)});
    diagnostics.error(place_of(model, reaction.rate, reaction.span),
                      "the rate of reaction '" + reaction.id + "' is not finite" + when,
                      culprit.explain(node, reaction.id));
  }
  std::size_t rate = model.reactions.size();
  for (const Rule& rule : resolved.builder->model().rules) {
    if (rule.kind != RuleKind::rate) continue;
    const std::size_t r = rate++;
    if (!moves[r] || std::isfinite(culprit.value(system.rates[r]))) continue;
    diagnostics.error(place_of(model, rule.value, rule.span),
                      "the rate of '" + model.id_of(rule.target) + "' is not finite" + when,
                      culprit.explain(system.rates[r], model.id_of(rule.target)));
  }
  if (has_new_errors()) return;
  for (std::size_t i = 0; i < system.states.size(); ++i) {
    NodeId node = system.rhs[i];
    if (std::isfinite(culprit.value(node))) continue;
    Ref ref = system.states[i].ref;
    diagnostics.error(span_of(model, ref),
                      std::string("the derivative of ") + word_for(ref.kind) + " '" +
                          system.states[i].name + "' is not finite" + when,
                      culprit.explain(node, system.states[i].name));
  }
  if (!has_new_errors()) warn_of_undefined(model, system.start_time, culprit, diagnostics);
}

std::string require_sound_start(const Model& model, ResolvedSystem& resolved) {
  auto source = model.source ? model.source : std::make_shared<const Source>();
  Diagnostics diagnostics(source);
  check_start(model, resolved, diagnostics);
  if (diagnostics.has_errors()) throw InputError(render(diagnostics));
  return render(diagnostics);
}

}  // namespace stiffit::internal
