// SPDX-License-Identifier: Apache-2.0
#include "symbolic/text/expression_text.h"

#include <cmath>
#include <utility>

#include "base/number.h"
#include "model/model_printer.h"

namespace stiffit::internal {
namespace {

// Cut beyond `longest`; sums within sums and products within products need no parentheses for a
// reader.
template <class Nodes>
class ReadablePrinter : public Nodes {
 public:
  template <class... Arguments>
  explicit ReadablePrinter(std::size_t longest, Arguments&&... arguments)
      : Nodes(std::forward<Arguments>(arguments)...), longest_(longest) {}

 private:
  static constexpr int deepest = 2000;  // of nesting

  bool enough() const override { return this->out.size() > longest_ || this->depth > deepest; }
  bool flattens(const PrintedNode& n, const PrintedNode& right) const override {
    const bool associative =
        n.op == Op::add || n.op == Op::mul || n.op == Op::logical_and || n.op == Op::logical_or;
    return (associative && right.op == n.op) || (n.op == Op::add && right.op == Op::sub);
  }

  std::size_t longest_;
};

class NamedModelPrinter : public ModelPrinter {
 public:
  using ModelPrinter::ModelPrinter;

 private:
  std::string symbol(Ref ref) const override {
    return ref.kind == SymbolKind::argument ? "argument" + std::to_string(ref.index + 1)
                                            : model_.id_of(ref);
  }
  std::string function(std::int32_t index) const override { return model_.functions[index].id; }
};

}  // namespace

std::string expression_text(const Model& model, ExprId root, std::size_t longest) {
  if (root == no_expr) return {};
  return ReadablePrinter<NamedModelPrinter>(longest, model).print(static_cast<std::uint32_t>(root));
}

namespace {

constexpr NodeId zero_node = no_node;  // stands for the number 0, which the graph need not hold

// A mode as the condition it stands for: a > b rather than the sign of a - b.
PrintedNode mode_item(const System& system, const Mode& mode) {
  if (mode.kind == ModeKind::whole) return {Op::floor, 0, {}, {mode.root}};
  Op op = mode.kind == ModeKind::positive       ? Op::gt
          : mode.kind == ModeKind::not_negative ? Op::ge
                                                : Op::eq;
  const GraphNode& root = system.graph[mode.root];
  if (root.op == Op::sub) return {op, 0, {}, {root.a, root.b}};
  return {op, 0, {}, {mode.root, zero_node}};
}

PrintedNode leaf_item(const Model& model, const System& system, const GraphNode& n) {
  PrintedNode out{Op::symbol, 0, "time", {}};
  std::size_t i = n.b;
  switch (static_cast<Leaf>(n.a)) {
    case Leaf::time:
      break;
    case Leaf::state:
      out.name = state_text(model, system.states[i]);
      break;
    case Leaf::input:
      return {Op::delay, 0, {}, {system.delays[i].value, system.delays[i].lag}};
    case Leaf::parameter:
      if (i >= system.parameters.size())
        return mode_item(system, system.modes[i - system.parameters.size()]);
      out.name = system.parameters[i].name;
      if (system.parameters[i].ref.kind == SymbolKind::species) out.name += "(0)";
      break;
  }
  return out;
}

class SystemPrinter : public InfixPrinter {
 public:
  SystemPrinter(const Model& model, const System& system) : model_(model), system_(system) {}

 private:
  PrintedNode node(std::uint32_t id) const override {
    if (id == zero_node) return {Op::number, 0, {}, {}};
    const GraphNode& n = system_.graph[id];
    if (n.op == Op::symbol) return leaf_item(model_, system_, n);
    const NodeId operands[3] = {n.a, n.b, n.c};
    return {n.op, n.value, {}, {operands, operands + arity(n.op)}};
  }

  const Model& model_;
  const System& system_;
};

}  // namespace

std::string expression_text(const Model& model, const System& system, NodeId root,
                            std::size_t longest) {
  return ReadablePrinter<SystemPrinter>(longest, model, system).print(root);
}

std::string state_text(const Model& model, const SystemState& state) {
  const bool converted = state.is_amount && !state.total && state.ref.kind == SymbolKind::species &&
                         !model.species[state.ref.index].in_amount;
  return converted ? "amount(" + state.name + ")" : state.name;
}

std::string moiety_text(const Model& model, const System& system, const Moiety& moiety) {
  std::string out;
  for (auto [state, coefficient] : moiety.terms) {
    const bool minus = coefficient < 0;
    out += out.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    if (std::fabs(coefficient) != 1) out += format_number(std::fabs(coefficient)) + " ";
    out += state_text(model, system.states[state]);
  }
  return out + " = constant";
}

std::string reaction_text(const Model& model, const Reaction& reaction) {
  auto side = [&](const std::vector<SpeciesReference>& references) {
    std::string out;
    for (const SpeciesReference& r : references) {
      if (!out.empty()) out += " + ";
      if (r.parameter >= 0)
        out += model.parameters[r.parameter].id + " ";
      else if (r.stoichiometry != 1)
        out += format_number(r.stoichiometry) + " ";
      const Species& species = model.species[r.species];
      out += (species.boundary || species.constant ? "$" : "") + species.id;
    }
    return out.empty() ? std::string("0") : out;
  };
  return side(reaction.reactants) + (reaction.reversible ? " -> " : " => ") +
         side(reaction.products);
}

}  // namespace stiffit::internal
