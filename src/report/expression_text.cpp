// SPDX-License-Identifier: Apache-2.0
#include "report/expression_text.h"

#include <cmath>
#include <functional>

#include "base/number.h"

namespace stiffit {
namespace {

// One node, wherever it comes from.
struct Item {
  Op op = Op::number;
  double number = 0;
  std::string name;  // of a symbol or of a called function
  std::vector<std::uint32_t> operands;
};

enum Binding { loosest, disjunction, conjunction, comparison, sum, product, sign, power, tightest };

Binding binding(Op op) {
  switch (op) {
    case Op::logical_or:
      return disjunction;
    case Op::logical_and:
      return conjunction;
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
    case Op::eq:
    case Op::ne:
      return comparison;
    case Op::add:
    case Op::sub:
      return sum;
    case Op::mul:
    case Op::div:
      return product;
    case Op::neg:
      return sign;
    case Op::pow:
      return power;
    default:
      return tightest;
  }
}

class Printer {
 public:
  Printer(std::function<Item(std::uint32_t)> item, std::size_t longest)
      : item_(std::move(item)), longest_(longest) {}

  std::string print(std::uint32_t root) {
    write(root, loosest, 0);
    return std::move(out_);
  }

 private:
  static constexpr int deepest = 2000;  // of nesting; sums of very many terms are deep trees

  void write(std::uint32_t id, Binding around, int depth) {
    if (out_.size() > longest_ || depth > deepest) {
      if (!out_.ends_with("...")) out_ += "...";
      return;
    }
    Item item = item_(id);
    Binding own = binding(item.op);
    // A negative number binds as a sign does: -2^x is not (-2)^x.
    if (item.op == Op::number && std::signbit(item.number)) own = sign;
    const bool parentheses = own < around;
    if (parentheses) out_ += '(';
    write_bare(item, own, depth + 1);
    if (parentheses) out_ += ')';
  }

  void write_bare(const Item& item, Binding own, int depth) {
    if (item.op == Op::number) {
      out_ += format_number(item.number);
    } else if (item.op == Op::symbol) {
      out_ += item.name;
    } else if (item.op == Op::neg) {
      out_ += '-';
      write(item.operands[0], sign, depth);
    } else if (item.op == Op::pow) {
      write(item.operands[0], tightest, depth);
      out_ += '^';
      write(item.operands[1], tightest, depth);
    } else if (own < tightest) {
      infix(item, own, depth);
    } else {
      out_ += item.op == Op::call ? item.name : std::string(name_of(item.op));
      arguments(item, depth);
    }
  }

  // a - (b - c) and a / (b * c) need their parentheses; a + (b - c) is written without.
  void infix(const Item& item, Binding own, int depth) {
    auto tighter = static_cast<Binding>(own + 1);
    const bool associative = item.op == Op::add || item.op == Op::mul ||
                             item.op == Op::logical_and || item.op == Op::logical_or;
    write(item.operands[0], own == comparison ? tighter : own, depth);
    std::string name(name_of(item.op));
    out_ += own == product ? name : " " + name + " ";
    // A right operand that begins with a sign keeps its parentheses: a + (-b).
    Item right = item_(item.operands[1]);
    const bool plain =
        (associative && right.op == item.op) || (item.op == Op::add && right.op == Op::sub);
    write(item.operands[1],
          plain        ? own
          : own == sum ? power_if_signed(right, tighter)
                       : tighter,
          depth);
  }

  static Binding power_if_signed(const Item& right, Binding otherwise) {
    const bool is_signed =
        right.op == Op::neg || (right.op == Op::number && std::signbit(right.number));
    return is_signed ? power : otherwise;
  }

  void arguments(const Item& item, int depth) {
    out_ += '(';
    for (std::size_t i = 0; i < item.operands.size(); ++i) {
      if (i) out_ += ", ";
      write(item.operands[i], loosest, depth);
    }
    out_ += ')';
  }

  std::function<Item(std::uint32_t)> item_;
  std::size_t longest_;
  std::string out_;
};

}  // namespace

std::string expression_text(const Model& model, ExprId root, std::size_t longest) {
  if (root == no_expr) return {};
  auto item = [&](std::uint32_t id) {
    const ExprNode& n = model.expressions[static_cast<ExprId>(id)];
    Item out{n.op, n.value, {}, {}};
    if (n.op == Op::symbol) {
      out.name = n.ref.kind == SymbolKind::argument ? "argument" + std::to_string(n.ref.index + 1)
                                                    : model.id_of(n.ref);
    } else if (n.op == Op::call) {
      out.name = model.functions[static_cast<std::size_t>(n.ref.index)].id;
      const ExprId* first = model.expressions.arguments(n);
      out.operands.assign(first, first + n.b);
    } else {
      const ExprId operands[3] = {n.a, n.b, n.c};
      out.operands.assign(operands, operands + arity(n.op));
    }
    return out;
  };
  return Printer(item, longest).print(static_cast<std::uint32_t>(root));
}

namespace {

constexpr NodeId zero_node = no_node;  // stands for the number 0, which the graph need not hold

// A mode as the condition it stands for: a > b rather than the sign of a - b.
Item mode_item(const System& system, const Mode& mode) {
  if (mode.kind == ModeKind::whole) return {Op::floor, 0, {}, {mode.root}};
  Op op = mode.kind == ModeKind::positive       ? Op::gt
          : mode.kind == ModeKind::not_negative ? Op::ge
                                                : Op::eq;
  const GraphNode& root = system.graph[mode.root];
  if (root.op == Op::sub) return {op, 0, {}, {root.a, root.b}};
  return {op, 0, {}, {mode.root, zero_node}};
}

Item leaf_item(const Model& model, const System& system, const GraphNode& n) {
  Item out{Op::symbol, 0, "time", {}};
  auto i = static_cast<std::size_t>(n.b);
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

}  // namespace

std::string expression_text(const Model& model, const System& system, NodeId root,
                            std::size_t longest) {
  auto item = [&](std::uint32_t id) -> Item {
    if (id == zero_node) return {Op::number, 0, {}, {}};
    const GraphNode& n = system.graph[id];
    if (n.op == Op::symbol) return leaf_item(model, system, n);
    const NodeId operands[3] = {n.a, n.b, n.c};
    return {n.op, n.value, {}, {operands, operands + arity(n.op)}};
  };
  return Printer(item, longest).print(root);
}

std::string state_text(const Model& model, const SystemState& state) {
  const bool converted = state.is_amount && !state.total && state.ref.kind == SymbolKind::species &&
                         !model.species[static_cast<std::size_t>(state.ref.index)].in_amount;
  return converted ? "amount(" + state.name + ")" : state.name;
}

std::string reaction_text(const Model& model, const Reaction& reaction) {
  auto side = [&](const std::vector<SpeciesReference>& references) {
    std::string out;
    for (const SpeciesReference& r : references) {
      if (!out.empty()) out += " + ";
      if (r.parameter >= 0)
        out += model.parameters[static_cast<std::size_t>(r.parameter)].id + " ";
      else if (r.stoichiometry != 1)
        out += format_number(r.stoichiometry) + " ";
      const Species& species = model.species[static_cast<std::size_t>(r.species)];
      out += (species.boundary || species.constant ? "$" : "") + species.id;
    }
    return out.empty() ? std::string("0") : out;
  };
  return side(reaction.reactants) + (reaction.reversible ? " -> " : " => ") +
         side(reaction.products);
}

}  // namespace stiffit
