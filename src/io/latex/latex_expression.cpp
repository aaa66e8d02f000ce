// SPDX-License-Identifier: Apache-2.0
#include "io/latex/latex_expression.h"

#include "model/model_printer.h"

namespace stiffit {
namespace {

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

std::string latex_function(Op op) {
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

class LatexPrinter : public ModelPrinter {
 public:
  LatexPrinter(const Model& model, const LatexNames& names, std::int32_t function)
      : ModelPrinter(model), names_(names), function_(function) {}

 private:
  std::string symbol(Ref ref) const override {
    if (ref.kind == SymbolKind::time) return "t";
    if (ref.kind == SymbolKind::argument)
      return names_.of(model_.functions[function_].arguments[ref.index]);
    if (ref.kind == SymbolKind::reaction) return latex_rate(names_, model_.id_of(ref));
    return names_.of(model_.id_of(ref));
  }
  std::string function(std::int32_t index) const override {
    return names_.of(model_.functions[index].id);
  }

  Binding binding(const PrintedNode& n) const override {
    switch (n.op) {
      case Op::number:  // powers of ten are products
        if (n.number < 0) return Binding::sum;
        return n.number >= 1e16 || (n.number < 1e-5 && n.number > 0) ? Binding::product
                                                                     : Binding::tightest;
      case Op::logical_xor:
      case Op::implies:
        return Binding::disjunction;
      case Op::neg:
        return Binding::sum;
      case Op::div:  // a fraction
        return Binding::tightest;
      default:
        return InfixPrinter::binding(n);
    }
  }
  std::string number(double value) const override { return latex_number(value); }
  // A thin space between factors, a dot before a number.
  std::string between(const PrintedNode& n, const PrintedNode& right) const override {
    if (n.op == Op::mul) return right.op == Op::number ? " \\cdot " : " \\, ";
    return sign_between(n.op);
  }
  std::string function_name(const PrintedNode& n) const override {
    return n.op == Op::call ? n.name : latex_function(n.op);
  }
  std::string opening() const override { return "\\left("; }
  std::string closing() const override { return "\\right)"; }
  bool flattens(const PrintedNode& n, const PrintedNode& right) const override {
    return n.op == right.op && (n.op == Op::add || n.op == Op::mul);
  }

  void wrapped(const char* before, std::uint32_t inside, const char* after) {
    out += before;
    write(inside, Binding::loosest);
    out += after;
  }

  bool special(const PrintedNode& n) override {
    switch (n.op) {
      case Op::div:
        wrapped("\\frac{", n.operands[0], "}");
        wrapped("{", n.operands[1], "}");
        return true;
      case Op::pow:
        write(n.operands[0], Binding::tightest);
        wrapped("^{", n.operands[1], "}");
        return true;
      case Op::sqrt:
        wrapped("\\sqrt{", n.operands[0], "}");
        return true;
      case Op::abs:
        wrapped("\\left|", n.operands[0], "\\right|");
        return true;
      case Op::floor:
        wrapped("\\left\\lfloor ", n.operands[0], "\\right\\rfloor ");
        return true;
      case Op::ceil:
        wrapped("\\left\\lceil ", n.operands[0], "\\right\\rceil ");
        return true;
      case Op::factorial:
        write(n.operands[0], Binding::tightest);
        out += '!';
        return true;
      case Op::logical_not:
        out += "\\lnot ";
        write(n.operands[0], Binding::tightest);
        return true;
      case Op::rate_of:
        wrapped("\\frac{d ", n.operands[0], "}{dt}");
        return true;
      case Op::select:
        cases(pieces(n));
        return true;
      default:
        return false;
    }
  }

  void cases(const std::vector<std::uint32_t>& parts) {
    out += "\\begin{cases}";
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      write(parts[i], Binding::loosest);
      wrapped(" & \\text{if } ", parts[i + 1], " \\\\ ");
    }
    write(parts.back(), Binding::loosest);
    out += " & \\text{otherwise}\\end{cases}";
  }

  const LatexNames& names_;
  std::int32_t function_;
};

}  // namespace

std::string latex_expression(const Model& model, const LatexNames& names, ExprId root,
                             std::int32_t function) {
  return LatexPrinter(model, names, function).print(static_cast<std::uint32_t>(root));
}

std::string latex_rate(const LatexNames& names, const std::string& reaction) {
  return "v_{" + names.of(reaction) + "}";
}

}  // namespace stiffit
