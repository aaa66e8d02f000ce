// SPDX-License-Identifier: Apache-2.0
#include "model/model.h"

#include "base/interrupt.h"

namespace stiffit::internal {

namespace {

// All that reads expressions comes through here.
ExprId added(std::vector<ExprNode>& nodes, const ExprNode& node) {
  if (nodes.size() % 256 == 255) check_interrupt();
  nodes.push_back(node);
  return static_cast<ExprId>(nodes.size() - 1);
}

}  // namespace

ExprId Expressions::number(double value, Span span, std::int32_t unit) {
  ExprNode node;
  node.value = value;
  node.ref.index = unit;
  node.span = span;
  return added(nodes_, node);
}

ExprId Expressions::symbol(Ref ref, Span span) {
  ExprNode node;
  node.op = Op::symbol;
  node.ref = ref;
  node.span = span;
  return added(nodes_, node);
}

ExprId Expressions::apply(Op op, ExprId a, ExprId b, ExprId c, Span span) {
  ExprNode node;
  node.op = op;
  node.a = a;
  node.b = b;
  node.c = c;
  node.span = span;
  return added(nodes_, node);
}

ExprId Expressions::call(std::int32_t function, const std::vector<ExprId>& arguments, Span span) {
  ExprNode node;
  node.op = Op::call;
  node.ref.index = function;
  node.a = static_cast<ExprId>(arguments_.size());
  node.b = static_cast<ExprId>(arguments.size());
  node.span = span;
  arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
  return added(nodes_, node);
}

namespace {

template <class Things>
std::int32_t index_of(const Things& things, std::string_view id) {
  for (std::size_t i = 0; i < things.size(); ++i)
    if (things[i].id == id) return static_cast<std::int32_t>(i);
  return -1;
}

}  // namespace

Ref Model::find(std::string_view id_wanted) const {
  if (auto i = index_of(species, id_wanted); i >= 0) return {SymbolKind::species, i};
  if (auto i = index_of(parameters, id_wanted); i >= 0) return {SymbolKind::parameter, i};
  if (auto i = index_of(compartments, id_wanted); i >= 0) return {SymbolKind::compartment, i};
  if (auto i = index_of(reactions, id_wanted); i >= 0) return {SymbolKind::reaction, i};
  if (auto i = index_of(observables, id_wanted); i >= 0) return {SymbolKind::observable, i};
  // Last, since SBML lets anything be called so.
  if (id_wanted == "time") return {SymbolKind::time, 0};
  return {};
}

const std::string& Model::id_of(Ref ref) const {
  static const std::string time = "time";
  static const std::string nothing;
  std::size_t i = ref.index;
  switch (ref.kind) {
    case SymbolKind::time:
      return time;
    case SymbolKind::species:
      return species[i].id;
    case SymbolKind::parameter:
      return parameters[i].id;
    case SymbolKind::compartment:
      return compartments[i].id;
    case SymbolKind::reaction:
      return reactions[i].id;
    case SymbolKind::observable:
      return observables[i].id;
    default:
      return nothing;
  }
}

std::vector<std::string> Model::all_ids() const {
  std::vector<std::string> ids;
  for (auto& s : species) ids.push_back(s.id);
  for (auto& p : parameters) ids.push_back(p.id);
  for (auto& c : compartments) ids.push_back(c.id);
  for (auto& r : reactions) ids.push_back(r.id);
  for (auto& o : observables) ids.push_back(o.id);
  return ids;
}

std::optional<Unit> Model::unit_named(std::string_view text) const {
  if (text.empty()) return std::nullopt;
  // The names as they stand; SBML lets a definition be called like anything but a built-in unit.
  auto exactly = [&](std::string_view name) -> std::optional<Unit> {
    if (auto i = index_of(units, name); i >= 0) return units[i].unit;
    return built_in_unit(name);
  };
  auto lookup = [&](std::string_view name) {
    auto found = exactly(name);
    if (!found && name.ends_with('s')) found = exactly(name.substr(0, name.size() - 1));
    return found;
  };
  return parse_unit(text, lookup);
}

}  // namespace stiffit::internal
