// SPDX-License-Identifier: Apache-2.0
#include "compile/time_scan.h"

#include <unordered_map>
#include <unordered_set>

namespace stiffit {
namespace {

// A part is hidden if its range is this many times what is seen of it.
constexpr double share = 4;
// A peak is resolved if it fills this share of the step, to a quarter of its height: a parabola
// does, a bell does in three of its widths. Methods that look at the ends of steps only need that.
constexpr double filled = 0.7, high = 0.25;
// With slopes that add up to no more than those of a parabola a few looks will do.
constexpr double gentle = 4.05;
constexpr int few_looks = 8, many_looks = 32;
// What only rises, or only falls, hides nothing.
constexpr double monotone = 1.001;
constexpr int most_halvings = 45;
constexpr double rounding = 1e-12;

bool moves(const Graph& g, NodeId id) {
  return g.depends_on(id, Leaf::time) || g.depends_on(id, Leaf::input);
}

// What the expressions that time moves are made of, operands first.
std::vector<NodeId> parts_of(const Graph& g, const std::vector<NodeId>& expressions) {
  std::vector<NodeId> reached, stack;
  std::unordered_set<NodeId> seen;
  auto push = [&](NodeId id) {
    if (seen.insert(id).second) stack.push_back(id);
  };
  for (NodeId id : expressions)
    if (moves(g, id)) push(id);
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    reached.push_back(id);
    const GraphNode& n = g[id];
    const NodeId parts[3] = {n.a, n.b, n.c};
    if (n.op != Op::symbol && n.op != Op::number)
      for (int k = 0; k < arity(n.op); ++k) push(parts[k]);
  }
  std::sort(reached.begin(), reached.end());  // operands have smaller numbers
  return reached;
}

}  // namespace

struct TimeScan::Look {
  const double* states;
  const double* parameters;
  std::size_t stride;
  std::vector<ValueRange> range, slope;
  std::vector<double> at_start, at_end, at_middle, at, away;
  std::vector<std::size_t> doubtful;
};

std::shared_ptr<const TimeScan> TimeScan::make(const System& system,
                                               const std::vector<NodeId>& expressions) {
  const Graph& g = system.graph;
  std::vector<char> still;
  for (std::size_t i = 0; i < system.states.size(); ++i)
    still.push_back(g.is_number(system.rhs[i], 0) && !system.states[i].algebraic &&
                    !system.states[i].equilibrium);
  const std::vector<NodeId> reached = parts_of(g, expressions);
  auto scan = std::make_shared<TimeScan>();
  std::unordered_map<NodeId, int> place;
  bool any = false;
  for (NodeId id : reached) {
    const GraphNode& n = g[id];
    Node node{n.op, -1, -1, -1, Leaf::time, 0, n.value, g.depends_on(id, Leaf::time), false, 0};
    if (g.depends_on(id, Leaf::input)) continue;
    if (n.op == Op::symbol) {
      node.leaf = static_cast<Leaf>(n.a);
      node.index = static_cast<int>(n.b);
      if (node.leaf == Leaf::state && !still[n.b]) continue;
    } else if (n.op != Op::number) {
      const NodeId parts[3] = {n.a, n.b, n.c};
      int* slots[3] = {&node.a, &node.b, &node.c};
      bool whole = true;
      int moving = 0;
      for (int k = 0; k < arity(n.op); ++k) {
        auto found = place.find(parts[k]);
        if (found == place.end()) {
          whole = false;
          break;
        }
        *slots[k] = found->second;
        moving += scan->nodes_[static_cast<std::size_t>(found->second)].moves;
      }
      if (!whole) continue;  // states move it too
      const bool proportional =
          n.op == Op::neg ||
          ((n.op == Op::add || n.op == Op::sub || n.op == Op::mul) && moving == 1) ||
          (n.op == Op::div && !g.depends_on(n.b, Leaf::time)) ||
          (n.op == Op::select && !g.depends_on(n.b, Leaf::time));
      node.watched = node.moves && !proportional;
      any |= node.watched;
    }
    place[id] = static_cast<int>(scan->nodes_.size());
    scan->nodes_.push_back(node);
  }
  if (!any && system.delays.empty()) return nullptr;
  scan->keep_what_is_needed();
  scan->keep_rows(system, expressions);
  return scan;
}

void TimeScan::keep_rows(const System& system, const std::vector<NodeId>& expressions) {
  const Graph& g = system.graph;
  inputs_ = static_cast<int>(system.delays.size());
  std::unordered_map<NodeId, int> place;
  for (NodeId id : parts_of(g, expressions)) {
    const GraphNode& n = g[id];
    Node node{n.op, -1, -1, -1, Leaf::time, 0, n.value, true, false, 0};
    if (n.op == Op::symbol) {
      node.leaf = static_cast<Leaf>(n.a);
      node.index = static_cast<int>(n.b);
      node.input = node.index;
      if (node.leaf == Leaf::input)
        node.index += static_cast<int>(system.parameters.size() + system.modes.size());
    } else if (n.op != Op::number) {
      const NodeId parts[3] = {n.a, n.b, n.c};
      int* slots[3] = {&node.a, &node.b, &node.c};
      for (int k = 0; k < arity(n.op); ++k) *slots[k] = place.at(parts[k]);
    }
    place[id] = static_cast<int>(row_nodes_.size());
    row_nodes_.push_back(node);
  }
  for (std::size_t state = 0; state < expressions.size(); ++state)
    if (auto found = place.find(expressions[state]);
        found != place.end() && moves(g, expressions[state]))
      rows_.push_back({static_cast<int>(state), static_cast<std::size_t>(found->second)});
}

const std::vector<double>& TimeScan::find_sizes(double t, const double* states,
                                                const double* parameters, std::size_t stride,
                                                const std::vector<double>& inputs) const {
  thread_local std::vector<double> value, size;
  value.resize(row_nodes_.size());
  size.resize(row_nodes_.size());
  for (std::size_t i = 0; i < row_nodes_.size(); ++i) {
    const Node& n = row_nodes_[i];
    const auto a = static_cast<std::size_t>(n.a < 0 ? 0 : n.a),
               b = static_cast<std::size_t>(n.b < 0 ? 0 : n.b),
               c = static_cast<std::size_t>(n.c < 0 ? 0 : n.c);
    if (n.op == Op::number) {
      value[i] = n.value;
    } else if (n.op == Op::symbol) {
      const auto at = static_cast<std::size_t>(n.index) * stride;
      value[i] = n.leaf == Leaf::time ? t : n.leaf == Leaf::state ? states[at] : parameters[at];
    } else {
      value[i] = evaluate(n.op, value[a], value[b], value[c]);
    }
    switch (n.op) {
      case Op::add:
      case Op::sub:
        size[i] = std::max(size[a], size[b]);
        break;
      case Op::neg:
        size[i] = size[a];
        break;
      case Op::mul:
        size[i] = size[a] * size[b];
        break;
      case Op::div:
        size[i] = size[a] / std::fabs(value[b]);
        break;
      case Op::select:
        size[i] = value[b] != 0 ? size[a] : size[c];
        break;
      default:
        size[i] = std::fabs(value[i]);
        if (n.op == Op::symbol && n.leaf == Leaf::input)
          size[i] = std::max(size[i], inputs[static_cast<std::size_t>(n.input)]);
    }
  }
  return size;
}

double TimeScan::size_of_parts(double t, const double* states, const double* parameters) const {
  const std::vector<double> none(static_cast<std::size_t>(inputs_), 0.0);
  return rows_.empty() ? 0 : find_sizes(t, states, parameters, 1, none)[rows_.front().node];
}

void TimeScan::note_rest(double t, double h, const double* states, const double* parameters,
                         std::size_t stride, const std::vector<double>& inputs,
                         double share_of_noise, double* sizes) const {
  auto rests = [&](const Row& row) {
    return states[static_cast<std::size_t>(row.state) * stride] == 0;
  };
  if (std::none_of(rows_.begin(), rows_.end(), rests)) return;
  const std::vector<double>& size = find_sizes(t, states, parameters, stride, inputs);
  for (const Row& row : rows_) {
    if (!rests(row)) continue;
    const double noise = std::numeric_limits<double>::epsilon() * h * size[row.node];
    double& entry = sizes[static_cast<std::size_t>(row.state) * stride];
    if (std::isfinite(noise)) entry = std::max(entry, share_of_noise * noise);
  }
}

// What nothing watched is made of goes.
void TimeScan::keep_what_is_needed() {
  std::vector<char> needed(nodes_.size(), 0);
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& n = nodes_[i];
    needed[i] |= n.watched;
    if (needed[i])
      for (int operand : {n.a, n.b, n.c})
        if (operand >= 0) needed[static_cast<std::size_t>(operand)] = 1;
  }
  std::vector<int> place(nodes_.size(), -1);
  std::vector<Node> kept;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!needed[i]) continue;
    place[i] = static_cast<int>(kept.size());
    Node n = nodes_[i];
    for (int* operand : {&n.a, &n.b, &n.c})
      if (*operand >= 0) *operand = place[static_cast<std::size_t>(*operand)];
    kept.push_back(n);
  }
  nodes_ = std::move(kept);
}

void TimeScan::find_values(Look& look, double time, double* out) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    if (!n.moves && out != look.at_start.data()) {
      out[i] = look.at_start[i];
    } else if (n.op == Op::number) {
      out[i] = n.value;
    } else if (n.op == Op::symbol) {
      const auto at = static_cast<std::size_t>(n.index) * look.stride;
      out[i] = n.leaf == Leaf::time    ? time
               : n.leaf == Leaf::state ? look.states[at]
                                       : look.parameters[at];
    } else {
      out[i] = evaluate(n.op, out[n.a], n.b < 0 ? 0 : out[n.b], n.c < 0 ? 0 : out[n.c]);
    }
  }
}

bool TimeScan::hides(Look& look, double t, double h) const {
  find_values(look, t + h, look.at_end.data());
  bool middle = false;
  auto at_middle = [&](std::size_t i) {
    if (!middle) find_values(look, t + 0.5 * h, look.at_middle.data());
    middle = true;
    return look.at_middle[i];
  };
  std::vector<std::size_t>& doubtful = look.doubtful;
  doubtful.clear();
  int looks = few_looks;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    ValueRange &r = look.range[i], &d = look.slope[i];
    if (!n.moves) {
      r = {look.at_start[i], look.at_start[i]};
      d = {0, 0};
      continue;
    }
    if (n.op == Op::symbol) {
      r = {t, t + h};
      d = {1, 1};
      continue;
    }
    const ValueRange a = look.range[static_cast<std::size_t>(n.a)],
                     b = n.b < 0 ? a : look.range[static_cast<std::size_t>(n.b)],
                     c = n.c < 0 ? a : look.range[static_cast<std::size_t>(n.c)];
    const ValueRange da = look.slope[static_cast<std::size_t>(n.a)],
                     db = n.b < 0 ? da : look.slope[static_cast<std::size_t>(n.b)];
    const bool squared = n.op == Op::mul && n.a == n.b;
    r = squared ? square(a) : range_of(n.op, a, b, c);
    if (std::isnan(r.lo) || std::isnan(r.hi)) r = ValueRange::anything();
    d = slope_of(n.op, a, b, r, da, db);
    if (std::isnan(d.lo) || std::isnan(d.hi)) d = ValueRange::anything();
    if (d.lo >= 0 || d.hi <= 0) {  // it only rises, or only falls
      r = hull({look.at_start[i], look.at_start[i]}, {look.at_end[i], look.at_end[i]});
      continue;
    }
    if (!n.watched || r.unknown()) continue;
    const double visible = std::fabs(look.at_end[i] - look.at_start[i]);
    const double size = std::max(std::fabs(look.at_start[i]), std::fabs(look.at_end[i]));
    auto plain = [&] { return r.width() <= monotone * visible + rounding * size; };
    if (plain()) continue;
    // Where a value turns, the bound by its slope is the better one.
    const double reach = 0.5 * h * std::max(std::fabs(d.lo), std::fabs(d.hi)), m = at_middle(i);
    if (std::isfinite(reach)) {
      const ValueRange bound{std::max(r.lo, m - reach), std::min(r.hi, m + reach)};
      if (bound.lo <= bound.hi) r = bound;
    }
    if (plain()) continue;
    doubtful.push_back(i);
    if (!(2 * reach <= gentle * r.width())) looks = many_looks;
  }
  if (doubtful.empty()) return false;
  // How far each is from both ends, all along.
  std::vector<double>& away = look.away;
  const auto row = static_cast<std::size_t>(looks);
  away.resize(doubtful.size() * row);
  for (int k = 0; k < looks; ++k) {
    find_values(look, t + (k + 0.5) / looks * h, look.at.data());
    for (std::size_t j = 0; j < doubtful.size(); ++j) {
      const std::size_t i = doubtful[j];
      away[j * row + static_cast<std::size_t>(k)] = std::min(
          std::fabs(look.at[i] - look.at_start[i]), std::fabs(look.at[i] - look.at_end[i]));
    }
  }
  for (std::size_t j = 0; j < doubtful.size(); ++j) {
    const std::size_t i = doubtful[j];
    const double* from = away.data() + j * row;
    const double most = *std::max_element(from, from + looks);
    if (!(most < INFINITY)) continue;
    const double visible = most + std::fabs(look.at_end[i] - look.at_start[i]);
    if (look.range[i].width() > share * visible + rounding * std::fabs(look.at_start[i]))
      return true;
    const auto up = std::count_if(from, from + looks, [&](double x) { return x > high * most; });
    if (static_cast<double>(up) < filled * looks && most > high * visible) return true;
  }
  return false;
}

double TimeScan::resolved_step(double t, double h, const double* states, const double* parameters,
                               std::size_t stride) const {
  if (!(h > 0) || !std::isfinite(h)) return h;
  thread_local Look look;
  look.states = states;
  look.parameters = parameters;
  look.stride = stride;
  look.range.resize(nodes_.size());
  look.slope.resize(nodes_.size());
  for (std::vector<double>* values : {&look.at_start, &look.at_end, &look.at_middle, &look.at})
    values->resize(nodes_.size());
  find_values(look, t, look.at_start.data());
  double shorter = h;
  for (int i = 0; i < most_halvings && t + shorter > t; ++i, shorter *= 0.5)
    if (!hides(look, t, shorter)) return shorter;
  return h;  // nothing can be said
}

}  // namespace stiffit
