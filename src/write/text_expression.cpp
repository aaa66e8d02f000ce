// SPDX-License-Identifier: Apache-2.0
#include "write/text_expression.h"

#include <cmath>
#include <vector>

#include "base/number.h"

namespace stiffit {
namespace {

enum Binding { loosest, disjunction, conjunction, comparison, sum, product, sign, power, tightest };

Binding binding(const ExprNode& node) {
  switch (node.op) {
    case Op::number:  // -2^x is not (-2)^x
      return std::signbit(node.value) && !std::isnan(node.value) ? sign : tightest;
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
  Printer(const Model& model, const WrittenNames& names, std::int32_t function)
      : model_(model), names_(names), function_(function) {}

  std::string print(ExprId root) {
    write(root, loosest);
    return std::move(out_);
  }

 private:
  const ExprNode& node(ExprId id) const { return model_.expressions[id]; }

  void write(ExprId id, Binding around) {
    const ExprNode& n = node(id);
    const Binding own = binding(n);
    const bool parentheses = own < around;
    if (parentheses) out_ += '(';
    bare(id, n, own);
    if (parentheses) out_ += ')';
  }

  void bare(ExprId id, const ExprNode& n, Binding own) {
    if (n.op == Op::number) {
      out_ += std::isnan(n.value) ? "nan" : format_number(n.value);
      if (n.ref.index >= 0 && std::isfinite(n.value))
        out_.append(" ").append(names_.of_unit(n.ref.index));
    } else if (n.op == Op::symbol) {
      symbol(n.ref);
    } else if (n.op == Op::neg) {
      out_ += '-';
      write(n.a, power);
    } else if (n.op == Op::pow) {
      write(n.a, tightest);
      out_ += '^';
      write(n.b, tightest);
    } else if (n.op == Op::select) {
      piecewise(n);
    } else if (n.op == Op::call) {
      call(n);
    } else if (own < tightest) {
      infix(id, own);
    } else {
      out_ += name_of(n.op);
      const ExprId operands[3] = {n.a, n.b, n.c};
      list(operands, arity(n.op));
    }
  }

  void symbol(Ref ref) {
    if (ref.kind == SymbolKind::time)
      out_ += "time";
    else if (ref.kind == SymbolKind::argument)
      out_ += names_.of_argument(function_, ref.index);
    else
      out_ += names_.of(ref);
  }

  // A chain of operations of the same strength reads from the left. Its left end may be thousands
  // of operations deep, so it is walked, not called. Sums within sums lose their parentheses: only
  // the last bits of the value may tell.
  void infix(ExprId id, Binding own) {
    std::vector<ExprId> chain{id};
    if (own != comparison)
      while (binding(node(node(chain.back()).a)) == own) chain.push_back(node(chain.back()).a);
    auto tighter = static_cast<Binding>(own + 1);
    write(node(chain.back()).a, tighter);
    for (std::size_t i = chain.size(); i-- > 0;) {
      const ExprNode& n = node(chain[i]);
      if (own == product)
        out_ += name_of(n.op);
      else
        out_.append(" ").append(name_of(n.op)).append(" ");
      const ExprNode& right = node(n.b);
      Binding around = tighter;
      if (binding(right) == sign) around = power;
      if (n.op == Op::add && right.op == Op::add) around = own;
      write(n.b, around);
    }
  }

  void piecewise(const ExprNode& first) {
    out_ += "piecewise(";
    const ExprNode* n = &first;
    for (;;) {
      write(n->a, loosest);
      out_ += ", ";
      write(n->b, loosest);
      out_ += ", ";
      const ExprNode& rest = node(n->c);
      if (rest.op != Op::select) break;
      n = &rest;
    }
    write(n->c, loosest);
    out_ += ')';
  }

  void call(const ExprNode& n) {
    const Function& function = model_.functions[static_cast<std::size_t>(n.ref.index)];
    if (function.body == no_expr) {  // of a function without a body
      out_ += "nan";
      return;
    }
    out_ += names_.of_function(n.ref.index);
    list(model_.expressions.arguments(n), n.b);
  }

  void list(const ExprId* operands, int count) {
    out_ += '(';
    for (int i = 0; i < count; ++i) {
      if (i) out_ += ", ";
      write(operands[i], loosest);
    }
    out_ += ')';
  }

  const Model& model_;
  const WrittenNames& names_;
  std::int32_t function_;
  std::string out_;
};

}  // namespace

std::string text_expression(const Model& model, const WrittenNames& names, ExprId root,
                            std::int32_t function) {
  return Printer(model, names, function).print(root);
}

}  // namespace stiffit
