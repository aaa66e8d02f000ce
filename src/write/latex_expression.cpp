// SPDX-License-Identifier: Apache-2.0
#include "write/latex_expression.h"

#include <cmath>

namespace stiffit {
namespace {

enum Binding { loosest, disjunction, conjunction, comparison, sum, product, power, tightest };

Binding binding(const ExprNode& n) {
  switch (n.op) {
    case Op::number:
      return n.value < 0                                          ? sum
             : n.value >= 1e16 || (n.value < 1e-5 && n.value > 0) ? product
                                                                  : tightest;
    case Op::logical_or:
    case Op::logical_xor:
    case Op::implies:
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
    case Op::neg:
      return sum;
    case Op::mul:
      return product;
    case Op::pow:
      return power;
    default:
      return tightest;
  }
}

std::string sign_between(Op op) {
  switch (op) {
    case Op::logical_or:
      return " \\lor ";
    case Op::logical_xor:
      return " \\oplus ";
    case Op::implies:
      return " \\Rightarrow ";
    case Op::logical_and:
      return " \\land ";
    case Op::lt:
      return " < ";
    case Op::le:
      return " \\le ";
    case Op::gt:
      return " > ";
    case Op::ge:
      return " \\ge ";
    case Op::eq:
      return " = ";
    case Op::ne:
      return " \\ne ";
    case Op::add:
      return " + ";
    case Op::sub:
      return " - ";
    default:
      return " \\cdot ";
  }
}

std::string function_name(Op op) {
  switch (op) {
    case Op::exp:
    case Op::ln:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::sec:
    case Op::csc:
    case Op::cot:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
    case Op::coth:
    case Op::min:
    case Op::max:
      return "\\" + std::string(name_of(op));
    case Op::asin:
      return "\\arcsin";
    case Op::acos:
      return "\\arccos";
    case Op::atan:
      return "\\arctan";
    case Op::log10:
      return "\\log_{10}";
    default:
      return "\\operatorname{" + std::string(name_of(op)) + "}";
  }
}

class Printer {
 public:
  Printer(const Model& model, const LatexNames& names, std::int32_t function)
      : model_(model), names_(names), function_(function) {}

  std::string print(ExprId root) {
    write(root, loosest);
    return std::move(out_);
  }

 private:
  const ExprNode& node(ExprId id) const { return model_.expressions[id]; }

  void write(ExprId id, Binding around) {
    const ExprNode& n = node(id);
    const bool parentheses = binding(n) < around;
    if (parentheses) out_ += "\\left(";
    bare(n);
    if (parentheses) out_ += "\\right)";
  }

  void wrapped(const char* before, ExprId inside, const char* after) {
    out_ += before;
    write(inside, loosest);
    out_ += after;
  }

  void bare(const ExprNode& n) {
    switch (n.op) {
      case Op::number:
        out_ += latex_number(n.value);
        return;
      case Op::symbol:
        return symbol(n.ref);
      case Op::neg:
        out_ += '-';
        return write(n.a, product);
      case Op::div:
        wrapped("\\frac{", n.a, "}");
        return wrapped("{", n.b, "}");
      case Op::pow:
        write(n.a, tightest);
        return wrapped("^{", n.b, "}");
      case Op::sqrt:
        return wrapped("\\sqrt{", n.a, "}");
      case Op::abs:
        return wrapped("\\left|", n.a, "\\right|");
      case Op::floor:
        return wrapped("\\left\\lfloor ", n.a, "\\right\\rfloor ");
      case Op::ceil:
        return wrapped("\\left\\lceil ", n.a, "\\right\\rceil ");
      case Op::factorial:
        write(n.a, tightest);
        out_ += '!';
        return;
      case Op::logical_not:
        out_ += "\\lnot ";
        return write(n.a, tightest);
      case Op::rate_of:
        wrapped("\\frac{d ", n.a, "}{dt}");
        return;
      case Op::select:
        return piecewise(n);
      case Op::call: {
        const Function& f = model_.functions[static_cast<std::size_t>(n.ref.index)];
        out_ += names_.of(f.id);
        return list(model_.expressions.arguments(n), n.b);
      }
      default:
        break;
    }
    const Binding own = binding(n);
    if (own == tightest) {
      out_ += function_name(n.op);
      const ExprId operands[3] = {n.a, n.b, n.c};
      return list(operands, arity(n.op));
    }
    const bool chains =
        own == sum || own == product || n.op == Op::logical_and || n.op == Op::logical_or;
    write(n.a, chains ? own : static_cast<Binding>(own + 1));
    out_ += n.op == Op::mul ? factor_sign(n) : sign_between(n.op);
    const bool same = node(n.b).op == n.op && (n.op == Op::add || n.op == Op::mul);
    write(n.b, same ? own : static_cast<Binding>(own + 1));
  }

  // A thin space between factors, a dot before a number.
  std::string factor_sign(const ExprNode& n) const {
    return node(n.b).op == Op::number ? " \\cdot " : " \\, ";
  }

  void symbol(Ref ref) {
    if (ref.kind == SymbolKind::time)
      out_ += 't';
    else if (ref.kind == SymbolKind::argument)
      out_ += names_.of(model_.functions[static_cast<std::size_t>(function_)]
                            .arguments[static_cast<std::size_t>(ref.index)]);
    else if (ref.kind == SymbolKind::reaction)
      out_ += latex_rate(names_, model_.id_of(ref));
    else
      out_ += names_.of(model_.id_of(ref));
  }

  void piecewise(const ExprNode& first) {
    out_ += "\\begin{cases}";
    const ExprNode* n = &first;
    for (;; n = &node(n->c)) {
      write(n->a, loosest);
      out_ += " & \\text{if } ";
      write(n->b, loosest);
      out_ += " \\\\ ";
      if (node(n->c).op != Op::select) break;
    }
    write(n->c, loosest);
    out_ += " & \\text{otherwise}\\end{cases}";
  }

  void list(const ExprId* operands, int count) {
    out_ += "\\left(";
    for (int i = 0; i < count; ++i) {
      if (i) out_ += ", ";
      write(operands[i], loosest);
    }
    out_ += "\\right)";
  }

  const Model& model_;
  const LatexNames& names_;
  std::int32_t function_;
  std::string out_;
};

}  // namespace

std::string latex_expression(const Model& model, const LatexNames& names, ExprId root,
                             std::int32_t function) {
  return Printer(model, names, function).print(root);
}

std::string latex_rate(const LatexNames& names, const std::string& reaction) {
  return "v_{" + names.of(reaction) + "}";
}

}  // namespace stiffit
