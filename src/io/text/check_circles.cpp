// Circles among assignment rules and reaction rates, and among initial values: nothing could be
// computed first.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <unordered_map>
#include <vector>

#include "io/text/resolver.h"

namespace stiffit::internal {
namespace {

// What gives a symbol its value at one moment.
struct Giver {
  Ref target;
  ExprId value;
  Span span;
};

std::uint64_t key_of(Ref ref) {
  return static_cast<std::uint64_t>(ref.kind) << 32 | static_cast<std::uint32_t>(ref.index);
}

class CircleFinder {
 public:
  CircleFinder(const Model& model, std::vector<Giver> givers)
      : model_(model), givers_(std::move(givers)), state_(givers_.size(), State::fresh) {
    for (std::size_t i = 0; i < givers_.size(); ++i)
      by_target_.try_emplace(key_of(givers_[i].target), i);
  }

  // Depth first without recursion; a giver met again while it is open closes a circle.
  void report(const std::string& what, Diagnostics& diagnostics) {
    for (std::size_t start = 0; start < givers_.size(); ++start) {
      if (state_[start] != State::fresh) continue;
      std::vector<Visit> path;
      open(start, path);
      while (!path.empty()) {
        Visit& top = path.back();
        if (top.next == top.needs.size()) {
          state_[top.giver] = State::done;
          path.pop_back();
          continue;
        }
        std::size_t needed = top.needs[top.next++];
        if (state_[needed] == State::fresh) {
          open(needed, path);
        } else if (state_[needed] == State::open) {
          std::string circle;
          bool inside = false;
          for (const Visit& visit : path) {
            inside |= visit.giver == needed;
            if (inside) circle += model_.id_of(givers_[visit.giver].target) + " -> ";
          }
          circle += model_.id_of(givers_[needed].target);
          diagnostics.error(givers_[needed].span, what, circle);
        }
      }
    }
  }

 private:
  enum class State : std::uint8_t { fresh, open, done };
  struct Visit {
    std::size_t giver;
    std::vector<std::size_t> needs;
    std::size_t next = 0;
  };

  void open(std::size_t giver, std::vector<Visit>& path) {
    state_[giver] = State::open;
    path.push_back({giver, needs_of(givers_[giver].value)});
  }

  std::vector<std::size_t> needs_of(ExprId value) const {
    std::vector<std::size_t> needs;
    std::vector<ExprId> todo{value};
    while (!todo.empty()) {
      ExprId id = todo.back();
      todo.pop_back();
      if (id < 0) continue;
      const ExprNode& node = model_.expressions[id];
      if (node.op == Op::symbol) {
        auto found = by_target_.find(key_of(node.ref));
        if (found != by_target_.end()) needs.push_back(found->second);
      } else if (node.op == Op::call) {
        const ExprId* arguments = model_.expressions.arguments(node);
        todo.insert(todo.end(), arguments, arguments + node.b);
      } else if (node.op == Op::delay) {  // the past is known
        todo.push_back(node.b);
      } else if (node.op != Op::rate_of && node.op != Op::number) {
        todo.insert(todo.end(), {node.a, node.b, node.c});
      }
    }
    return needs;
  }

  const Model& model_;
  std::vector<Giver> givers_;
  std::vector<State> state_;
  std::unordered_map<std::uint64_t, std::size_t> by_target_;
};

}  // namespace

void check_circles(const Model& model, Diagnostics& diagnostics) {
  std::vector<Giver> always;
  for (const Rule& rule : model.rules)
    if (rule.kind == RuleKind::assignment) always.push_back({rule.target, rule.value, rule.span});
  for (std::size_t i = 0; i < model.reactions.size(); ++i)
    always.push_back({{SymbolKind::reaction, static_cast<std::int32_t>(i)},
                      model.reactions[i].rate,
                      model.reactions[i].span});
  CircleFinder(model, always).report("these rules go in a circle", diagnostics);
  if (diagnostics.has_errors()) return;

  std::vector<Giver> at_start;  // an initial value comes before a rule of the same target
  for (const InitialAssignment& initial : model.initial_assignments)
    at_start.push_back({initial.target, initial.value, initial.span});
  at_start.insert(at_start.end(), always.begin(), always.end());
  CircleFinder(model, at_start).report("these initial values go in a circle", diagnostics);
}

}  // namespace stiffit::internal
