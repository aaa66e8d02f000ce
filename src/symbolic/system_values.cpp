// The value of each name, now or at the start, and of each expression, as nodes of the graph.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/diagnostic.h"
#include "symbolic/operands_first.h"
#include "symbolic/substitution.h"
#include "symbolic/system_builder.h"
#include "symbolic/text/delay_text.h"

namespace stiffit::internal {

namespace {
constexpr int deepest_call = 200;  // nested function calls; deeper is recursion
}

NodeId SystemBuilder::leaf_parameter(Ref ref, double value_given) {
  Place& p = place(ref);
  if (p.parameter < 0) {
    p.parameter = static_cast<int>(system_->parameters.size());
    system_->parameters.push_back({model_->id_of(ref), ref, value_given, false});
  }
  return system_->graph.parameter(p.parameter);
}

NodeId SystemBuilder::value(Ref ref, Moment moment) {
  Graph& g = system_->graph;
  std::size_t i = ref.index;
  switch (ref.kind) {
    case SymbolKind::time:
      return moment == Moment::start ? g.number(system_->start_time) : g.time();
    case SymbolKind::reaction: {
      NodeId past = none;
      NodeId& memo = moment == Moment::past  ? past
                     : moment == Moment::now ? reaction_now_[i]
                                             : reaction_start_[i];
      const Reaction& r = model_->reactions[i];
      if (memo == none) {
        if (reaction_busy_[i])
          fail(r.span, "the rate of reaction '" + r.id + "' depends on itself");
        reaction_busy_[i] = 1;
        memo = r.rate == no_expr ? g.number(0) : convert(r.rate, moment);
        reaction_busy_[i] = 0;
      }
      return memo;
    }
    case SymbolKind::observable: {
      NodeId past = none;
      NodeId& memo = moment == Moment::past  ? past
                     : moment == Moment::now ? observable_now_[i]
                                             : observable_start_[i];
      if (memo == none) memo = convert(model_->observables[i].value, moment);
      return memo;
    }
    case SymbolKind::species:
    case SymbolKind::parameter:
    case SymbolKind::compartment:
      break;
    default:
      return g.number(not_set);
  }
  Place& p = place(ref);
  NodeId& memo = moment == Moment::now ? p.now : moment == Moment::start ? p.start : p.past;
  if (memo != none) return memo;
  if (p.busy) {
    Span span = ref.kind == SymbolKind::species     ? model_->species[i].span
                : ref.kind == SymbolKind::parameter ? model_->parameters[i].span
                                                    : model_->compartments[i].span;
    if (p.rule >= 0) span = model_->rules[p.rule].span;
    fail(span, "'" + model_->id_of(ref) + "' depends on itself");
  }
  p.busy = true;
  NodeId result = moment == Moment::now ? now_value(ref, p) : start_value(ref, p, moment);
  p.busy = false;
  return memo = result;
}

// What the name stands for along the trajectory.
NodeId SystemBuilder::now_value(Ref ref, Place& p) {
  if (p.role == Role::assigned) return convert(model_->rules[p.rule].value, Moment::now);
  if (p.role == Role::state) return state_symbol(ref, p);
  p.busy = false;  // a constant is its own start value
  NodeId start = value(ref, Moment::start);
  if (ref.kind != SymbolKind::species) return start;
  // A fixed amount in a compartment that grows is diluted.
  const Species& s = model_->species[ref.index];
  if (s.in_amount || s.compartment < 0 || !compartment_varies(s.compartment)) return start;
  Graph& g = system_->graph;
  return g.div(g.mul(start, size_of(s.compartment, Moment::start)),
               size_of(s.compartment, Moment::now));
}

NodeId SystemBuilder::state_symbol(Ref ref, const Place& p) {
  Graph& g = system_->graph;
  NodeId symbol = g.state(p.state);
  if (p.set_flag >= 0) symbol = defined_where(g, g.state(p.set_flag), symbol);
  if (ref.kind != SymbolKind::species) return symbol;
  if (p.fast) symbol = amount_behind(p.state);
  const Species& s = model_->species[ref.index];
  if (!system_->states[p.state].is_amount || s.in_amount) return symbol;
  return g.div(symbol, size_of(s.compartment, Moment::now));
}

// What the name stands for at t0.
NodeId SystemBuilder::start_value(Ref ref, Place& p, Moment moment) {
  Graph& g = system_->graph;
  std::size_t i = ref.index;
  if (p.role == Role::assigned) return convert(model_->rules[p.rule].value, moment);
  if (p.initial >= 0) return convert(model_->initial_assignments[p.initial].value, moment);
  if (ref.kind == SymbolKind::parameter) return leaf_parameter(ref, model_->parameters[i].value);
  if (ref.kind == SymbolKind::compartment) return leaf_parameter(ref, model_->compartments[i].size);
  const Species& s = model_->species[i];
  NodeId given = leaf_parameter(ref, s.initial);
  if (s.initial_is_amount == s.in_amount || s.compartment < 0) return given;
  NodeId size = size_of(s.compartment, moment);
  return s.initial_is_amount ? g.div(given, size) : g.mul(given, size);
}

// An expression of states and time, at t0.
NodeId SystemBuilder::at_start(NodeId root) {
  Graph& g = system_->graph;
  Substitution start(g);
  for (NodeId id : operands_first(g, root, [&](NodeId node) { return g.is_fixed(node); })) {
    const GraphNode n = g[id];
    if (n.op != Op::symbol) continue;
    const bool is_time = n.a == static_cast<std::uint32_t>(Leaf::time);
    start.replace(id, is_time ? g.number(system_->start_time) : state_start(static_cast<int>(n.b)));
  }
  return start.of(root);
}

NodeId SystemBuilder::concentration(int species) {
  const Species& s = model_->species[species];
  NodeId node = value({SymbolKind::species, species});
  return s.in_amount ? system_->graph.div(node, size_of(s.compartment, Moment::now)) : node;
}

NodeId SystemBuilder::amount(int species) {
  const Species& s = model_->species[species];
  NodeId node = value({SymbolKind::species, species});
  return s.in_amount ? node : system_->graph.mul(node, size_of(s.compartment, Moment::now));
}

// x^n: an exponent made of parameters that will not be varied is a number in the code.
NodeId SystemBuilder::power(NodeId base, NodeId exponent) {
  Graph& g = system_->graph;
  auto fixed = [&](NodeId id) { return g.is_fixed(id); };
  if (g.is_number(exponent) || !fixed(exponent) || fixed(base)) return g.pow(base, exponent);
  bool varied = false;
  auto used = g.gradient(exponent, Leaf::parameter);
  for (auto& [index, node] : used)
    varied |= options_.varied.contains(system_->parameters[index].name);
  double number =
      g.value(exponent, [&](Leaf, int index) { return system_->parameters[index].value; });
  bool worth = number * 2 == std::trunc(number * 2) && std::fabs(number) <= 16;
  if (varied || !worth) return g.pow(base, exponent);
  for (auto& [index, node] : used) system_->parameters[index].folded = true;
  return g.pow(base, g.number(number));
}

// An expression as a delay sees it: before the start, what initial assignments say of that time.
NodeId SystemBuilder::with_past(ExprId expression, NodeId now) {
  Graph& g = system_->graph;
  if (model_->expressions[expression].op != Op::symbol ||
      model_->expressions[expression].ref.kind == SymbolKind::argument)
    return now;
  NodeId past = convert(expression, Moment::past);
  if (!g.depends_on(past, Leaf::time)) return now;
  NodeId begun = g.apply(Op::ge, g.time(), g.number(system_->start_time));
  return g.apply(Op::select, now, begun, past);
}

NodeId SystemBuilder::delayed(NodeId now, NodeId lag, ExprId expression) {
  std::vector<SystemDelay>& delays = system_->delays;
  std::size_t k = 0;
  while (k < delays.size() && (delays[k].value != now || delays[k].lag != lag)) ++k;
  if (k == delays.size())
    delays.push_back({now, lag, now, lag, delay_text(*model_, expression),
                      model_->expressions[expression].span});
  return system_->graph.leaf(Leaf::input, static_cast<int>(k));
}

// Before the start only time moves.
NodeId SystemBuilder::earlier(NodeId past, NodeId lag) {
  Graph& g = system_->graph;
  if (!g.depends_on(past, Leaf::time)) return past;
  Substitution then(g);
  then.replace(g.time(), g.sub(g.time(), lag));
  return then.of(past);
}

NodeId SystemBuilder::call(const ExprNode& node, const Arguments& arguments, Moment moment) {
  const Function& f = model_->functions[node.ref.index];
  if (f.body == no_expr) return system_->graph.number(not_set);
  // Functions that call functions twice would be gone through 2^depth times.
  const CallKey key{node.ref.index, moment, delay_depth_ > 0, arguments.values, arguments.now};
  if (auto found = calls_.find(key); found != calls_.end()) return found->second;
  if (++call_depth_ > deepest_call) fail(f.span, "function '" + f.id + "' calls itself");
  NodeId result = convert(f.body, moment, &arguments);
  --call_depth_;
  calls_[key] = result;
  return result;
}

// Post-order over the expression with a stack of its own: sums of 10^5 terms are deep trees.
NodeId SystemBuilder::convert(ExprId root, Moment moment, const Arguments* arguments) {
  const Expressions& e = model_->expressions;
  Graph& g = system_->graph;
  std::vector<NodeId>& memo = moment == Moment::now     ? memo_now_
                              : moment == Moment::start ? memo_start_
                                                        : memo_past_;
  // Inside a function body the same expression has another value at every call.
  std::unordered_map<ExprId, NodeId> local;
  auto known = [&](ExprId id) -> NodeId {
    if (!arguments) return memo[id];
    auto found = local.find(id);
    return found == local.end() ? none : found->second;
  };
  auto store = [&](ExprId id, NodeId node) {
    if (arguments)
      local[id] = node;
    else
      memo[id] = node;
  };
  std::vector<ExprId> stack{root};
  while (!stack.empty()) {
    ExprId id = stack.back();
    if (known(id) != none) {
      stack.pop_back();
      continue;
    }
    const ExprNode& n = e[id];
    if (n.op == Op::number) {
      store(id, g.number(n.value));
    } else if (n.op == Op::symbol) {
      store(id, n.ref.kind == SymbolKind::argument ? arguments->values[n.ref.index]
                                                   : value(n.ref, moment));
    } else if (n.op == Op::rate_of) {
      Ref target = e[n.a].ref;
      NodeId slope_now = target.kind == SymbolKind::argument
                             ? total_derivative(arguments->now[target.index])
                             : derivative(target);
      if (moment != Moment::now) {
        slope_now = at_start(slope_now);
      } else if (delay_depth_ > 0) {
        // Looked at through a delay: nothing moves before the start.
        NodeId begun = g.apply(Op::ge, g.time(), g.number(system_->start_time));
        slope_now = g.apply(Op::select, slope_now, begun, g.number(0));
      }
      store(id, slope_now);
    } else {
      const bool is_call = n.op == Op::call;
      int count = is_call ? n.b : arity(n.op);
      const ExprId operands[3] = {n.a, n.b, n.c};
      const ExprId* first = is_call ? e.arguments(n) : operands;
      bool ready = true;
      for (int k = count; k-- > 0;)
        if (known(first[k]) == none) {
          if (n.op == Op::delay) {
            ++delay_depth_;
            store(first[k], convert(first[k], moment, arguments));
            --delay_depth_;
            continue;
          }
          stack.push_back(first[k]);
          ready = false;
        }
      if (!ready) continue;
      if (is_call) {
        Arguments passed;
        for (int k = 0; k < count; ++k) passed.values.push_back(known(first[k]));
        passed.now = passed.values;
        // What moves is told by the expression along the trajectory.
        if (moment != Moment::now && functions_see_rates_) {
          Arguments now;
          if (arguments) now.values = now.now = arguments->now;
          for (int k = 0; k < count; ++k)
            passed.now[k] = convert(first[k], Moment::now, arguments ? &now : nullptr);
        }
        store(id, call(n, passed, moment));
      } else if (n.op == Op::delay) {
        store(id, moment == Moment::now    ? delayed(with_past(n.a, known(n.a)), known(n.b), id)
                  : moment == Moment::past ? earlier(known(n.a), known(n.b))
                                           : known(n.a));
      } else if (n.op == Op::pow) {
        store(id, power(known(n.a), known(n.b)));
      } else {
        store(id,
              g.apply(n.op, known(n.a), count > 1 ? known(n.b) : 0, count > 2 ? known(n.c) : 0));
      }
    }
  }
  return known(root);
}

}  // namespace stiffit::internal
