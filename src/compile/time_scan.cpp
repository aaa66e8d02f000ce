// SPDX-License-Identifier: Apache-2.0
#include "compile/time_scan.h"

#include <bit>
#include <unordered_map>
#include <unordered_set>

namespace stiffit::internal {
namespace {

// A part is hidden if its range is this many times what is seen of it.
constexpr double share = 4;
// A peak is resolved if it fills this share of the step, to a quarter of its height: a parabola
// does, a bell does in three of its widths. Methods that look at the ends of steps only need that.
constexpr double filled = 0.7, high = 0.25;
constexpr int few_looks = 8, many_looks = 32;
// What only rises, or only falls, hides nothing.
constexpr double monotone = 1.001;
constexpr int most_halvings = 45;
// Of its own size; what a part is made of is looked at by itself.
constexpr double negligible = 1e-3;

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
  std::vector<ValueRange> range, slope, fine, coarse;
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
        moving += scan->nodes_[found->second].moves;
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
    const std::size_t a = n.a < 0 ? 0 : n.a, b = n.b < 0 ? 0 : n.b, c = n.c < 0 ? 0 : n.c;
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
          size[i] = std::max(size[i], inputs[n.input]);
    }
  }
  // Only what has cancelled counts: else the value itself tells the size.
  for (const Row& row : rows_)
    if (std::fabs(value[row.node]) > 1e-6 * size[row.node]) size[row.node] = 0;
  return size;
}

double TimeScan::size_of_parts(double t, const double* states, const double* parameters) const {
  const std::vector<double> none(static_cast<std::size_t>(inputs_), 0.0);
  return rows_.empty() ? 0 : find_sizes(t, states, parameters, 1, none)[rows_.front().node];
}

bool TimeScan::note_rest(double t, double h, const double* states, const double* parameters,
                         std::size_t stride, const std::vector<double>& inputs,
                         double share_of_noise, double* sizes) const {
  auto rests = [&](const Row& row) {
    return states[static_cast<std::size_t>(row.state) * stride] == 0;
  };
  if (std::none_of(rows_.begin(), rows_.end(), rests)) return false;
  const std::vector<double>& size = find_sizes(t, states, parameters, stride, inputs);
  bool changed = false;
  for (const Row& row : rows_) {
    if (!rests(row)) continue;
    const double noise = std::numeric_limits<double>::epsilon() * h * size[row.node];
    double& entry = sizes[static_cast<std::size_t>(row.state) * stride];
    if (!(share_of_noise * noise > entry) || !std::isfinite(noise)) continue;
    entry = share_of_noise * noise;
    changed = true;
  }
  return changed;
}

// What nothing watched is made of goes.
void TimeScan::keep_what_is_needed() {
  std::vector<char> needed(nodes_.size(), 0);
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& n = nodes_[i];
    needed[i] |= n.watched;
    if (needed[i])
      for (int operand : {n.a, n.b, n.c})
        if (operand >= 0) needed[operand] = 1;
  }
  std::vector<int> place(nodes_.size(), -1);
  std::vector<Node> kept;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!needed[i]) continue;
    place[i] = static_cast<int>(kept.size());
    Node n = nodes_[i];
    for (int* operand : {&n.a, &n.b, &n.c})
      if (*operand >= 0) *operand = place[*operand];
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

// Ranges of all nodes from t to t + h, by the ranges of what they are made of and, where that is
// better, by their slopes from the values in the middle.
void TimeScan::find_ranges(Look& look, double t, double h, const double* middle) const {
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
    const ValueRange a = look.range[n.a], b = n.b < 0 ? a : look.range[n.b],
                     c = n.c < 0 ? a : look.range[n.c];
    const ValueRange da = look.slope[n.a], db = n.b < 0 ? da : look.slope[n.b];
    r = n.op == Op::mul && n.a == n.b ? square(a) : range_of(n.op, a, b, c);
    if (std::isnan(r.lo) || std::isnan(r.hi)) r = ValueRange::anything();
    d = slope_of(n.op, a, b, r, da, db);
    if (std::isnan(d.lo) || std::isnan(d.hi)) d = ValueRange::anything();
    const double reach = 0.5 * h * std::max(std::fabs(d.lo), std::fabs(d.hi));
    if (!std::isfinite(reach)) continue;
    const ValueRange bound{std::max(r.lo, middle[i] - reach), std::min(r.hi, middle[i] + reach)};
    if (bound.lo <= bound.hi) r = bound;
  }
}

bool TimeScan::hides(Look& look, double t, double h) const {
  find_values(look, t + h, look.at_end.data());
  find_values(look, t + 0.5 * h, look.at_middle.data());
  find_ranges(look, t, h, look.at_middle.data());
  std::vector<std::size_t>& doubtful = look.doubtful;
  doubtful.clear();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const ValueRange r = look.range[i], d = look.slope[i];
    if (!nodes_[i].watched || r.unknown() || d.lo >= 0 || d.hi <= 0) continue;
    const double from = look.at_start[i], to = look.at_end[i], visible = std::fabs(to - from);
    const double size = std::max(std::fabs(from), std::fabs(to));
    if (r.width() <= monotone * visible + negligible * size) continue;
    doubtful.push_back(i);
  }
  if (doubtful.empty()) return false;
  look.coarse.clear();
  const Found found = look_closer(look, t, h, few_looks);
  if (found != Found::unsure) return found == Found::narrow;
  look.coarse = look.fine;
  return look_closer(look, t, h, many_looks) != Found::nothing;
}

// The same of what is doubtful, with so many probes.
TimeScan::Found TimeScan::look_closer(Look& look, double t, double h, int probes) const {
  const std::vector<std::size_t>& doubtful = look.doubtful;
  // How far each is from both ends, all along, and what it can be at most: bounds of short pieces
  // are far better than those of the whole.
  const std::size_t row = probes;
  look.away.resize(doubtful.size() * row);
  look.fine.assign(doubtful.size(), {INFINITY, -INFINITY});
  const double piece = h / probes;
  for (int k = 0; k < probes; ++k) {
    const double begin = t + k * piece;
    find_values(look, begin + 0.5 * piece, look.at.data());
    find_ranges(look, begin, piece, look.at.data());
    for (std::size_t j = 0; j < doubtful.size(); ++j) {
      const std::size_t i = doubtful[j];
      look.fine[j] = hull(look.fine[j], look.range[i]);
      look.away[j * row + static_cast<std::size_t>(k)] = std::min(
          std::fabs(look.at[i] - look.at_start[i]), std::fabs(look.at[i] - look.at_end[i]));
    }
  }
  for (std::size_t j = 0; j < doubtful.size(); ++j) {
    const std::size_t i = doubtful[j];
    const double* from = look.away.data() + j * row;
    const double most = *std::max_element(from, from + probes);
    if (!(most < INFINITY) || look.fine[j].unknown()) continue;
    const double size = std::max(std::fabs(look.at_start[i]), std::fabs(look.at_end[i]));
    const double visible = most + std::fabs(look.at_end[i] - look.at_start[i]);
    if (look.fine[j].width() > share * visible + negligible * size) {
      // Bounds that are merely wide shrink with the pieces; those of a peak do not.
      if (look.coarse.empty()) return Found::unsure;
      if (look.fine[j].width() > 0.5 * look.coarse[j].width()) return Found::narrow;
    }
    const auto up = std::count_if(from, from + probes, [&](double x) { return x > high * most; });
    if (static_cast<double>(up) < filled * probes && most > high * visible + negligible * size)
      return Found::narrow;
  }
  return Found::nothing;
}

TimeScan::Look& TimeScan::begin_look(const double* states, const double* parameters,
                                     std::size_t stride) const {
  thread_local Look look;
  look.states = states;
  look.parameters = parameters;
  look.stride = stride;
  look.range.resize(nodes_.size());
  look.slope.resize(nodes_.size());
  for (std::vector<double>* values : {&look.at_start, &look.at_end, &look.at_middle, &look.at})
    values->resize(nodes_.size());
  return look;
}

double TimeScan::resolved_step(double t, double h, const double* states, const double* parameters,
                               std::size_t stride) const {
  if (nodes_.empty() || !(h > 0) || !std::isfinite(h)) return h;
  Look& look = begin_look(states, parameters, stride);
  find_values(look, t, look.at_start.data());
  double shorter = h;
  for (int i = 0; i < most_halvings && t + shorter > t; ++i, shorter *= 0.5)
    if (!hides(look, t, shorter)) return shorter;
  return h;  // nothing can be said
}

// The stretch from `begin` on, of length 2^level.
bool TimeScan::resolved(Look& look, int level, double begin, Memory::Known& known) const {
  constexpr std::size_t most = 100000;
  const std::uint64_t key = std::bit_cast<std::uint64_t>(begin) ^
                            (static_cast<std::uint64_t>(level + 2000) * 0x9e3779b97f4a7c15u);
  if (auto found = known.resolved.find(key); found != known.resolved.end()) return found->second;
  find_values(look, begin, look.at_start.data());
  const bool answer = !hides(look, begin, std::ldexp(1.0, level));
  if (known.resolved.size() < most) known.resolved.emplace(key, answer);
  return answer;
}

double TimeScan::clear_until(double t, double h, const double* states, const double* parameters,
                             std::size_t stride, Memory& memory) const {
  constexpr int ahead = 6;                // levels: 64 steps
  constexpr std::size_t most_known = 64;  // sets of values
  if (nodes_.empty() || !(h > 0) || !std::isfinite(h)) return INFINITY;
  memory.values.clear();
  for (const Node& n : nodes_)
    if (n.op == Op::symbol && n.leaf != Leaf::time) {
      const auto at = static_cast<std::size_t>(n.index) * stride;
      memory.values.push_back(n.leaf == Leaf::state ? states[at] : parameters[at]);
    }
  auto fits = [&](const Memory::Known& known) { return known.values == memory.values; };
  if (memory.latest >= memory.known.size() || !fits(memory.known[memory.latest])) {
    auto found = std::find_if(memory.known.begin(), memory.known.end(), fits);
    if (found == memory.known.end()) {
      if (memory.known.size() == most_known) memory.known.erase(memory.known.begin());
      found = memory.known.insert(memory.known.end(), {memory.values, {}});
    }
    memory.latest = static_cast<std::size_t>(found - memory.known.begin());
  }
  Look& look = begin_look(states, parameters, stride);
  // Stretches overlap by half: one of them holds the whole of a step that is no longer than that.
  const int top = static_cast<int>(std::ceil(std::log2(h))) + ahead;
  for (int level = top; level > top - most_halvings; --level) {
    const double half = std::ldexp(0.5, level), begin = std::floor(t / half) * half;
    if (resolved(look, level, begin, memory.known[memory.latest])) return begin + 2 * half;
  }
  return t + h;  // nothing can be said
}

}  // namespace stiffit::internal
