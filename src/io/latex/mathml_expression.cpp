// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "io/latex/mathml_names.h"
#include "model/model_printer.h"

namespace stiffit {
namespace {

std::string operator_sign(Op op) {
  switch (op) {
    case Op::logical_or:
      return "∨";
    case Op::logical_xor:
      return "⊕";
    case Op::implies:
      return "⇒";
    case Op::logical_and:
      return "∧";
    case Op::lt:
      return "&lt;";
    case Op::le:
      return "≤";
    case Op::gt:
      return "&gt;";
    case Op::ge:
      return "≥";
    case Op::eq:
      return "=";
    case Op::ne:
      return "≠";
    case Op::add:
      return "+";
    case Op::sub:
      return "−";
    default:
      return "·";
  }
}

class MathmlPrinter : public ModelPrinter {
 public:
  MathmlPrinter(const Model& model, const MathmlNames& names, std::int32_t function)
      : ModelPrinter(model), names_(names), function_(function) {}

 private:
  std::string symbol(Ref ref) const override {
    if (ref.kind == SymbolKind::time) return "<mi>t</mi>";
    if (ref.kind == SymbolKind::argument)
      return names_.of(model_.functions[function_].arguments[ref.index]);
    if (ref.kind == SymbolKind::reaction) return mathml_rate(model_.id_of(ref));
    return names_.of(model_.id_of(ref));
  }
  std::string function(std::int32_t index) const override {
    return names_.of(model_.functions[index].id);
  }

  Binding binding(const PrintedNode& n) const override {
    switch (n.op) {
      case Op::number:
        if (n.number < 0) return Binding::sum;
        return format_number(n.number).find('e') != std::string::npos ? Binding::product
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
  std::string number(double value) const override { return mathml_number(value); }
  std::string between(const PrintedNode& n, const PrintedNode& right) const override {
    if (n.op == Op::mul && right.op != Op::number) return "<mspace width=\"0.17em\"/>";
    return "<mo>" + operator_sign(n.op) + "</mo>";
  }
  std::string opening() const override { return "<mrow><mo>(</mo>"; }
  std::string closing() const override { return "<mo>)</mo></mrow>"; }
  bool flattens(const PrintedNode& n, const PrintedNode& right) const override {
    return n.op == right.op && (n.op == Op::add || n.op == Op::mul);
  }

  void row(std::uint32_t inside, Binding around = Binding::loosest) {
    out += "<mrow>";
    write(inside, around);
    out += "</mrow>";
  }
  void wrapped(const char* before, std::uint32_t inside, const char* after) {
    out += before;
    row(inside);
    out += after;
  }

  // Whatever has no sign between its operands.
  bool special(const PrintedNode& n) override {
    switch (n.op) {
      case Op::number:
      case Op::symbol:
        return false;
      case Op::neg:
        out += "<mo>−</mo>";
        write(n.operands[0], Binding::product);
        return true;
      case Op::div:
        out += "<mfrac>";
        row(n.operands[0]);
        row(n.operands[1]);
        out += "</mfrac>";
        return true;
      case Op::pow:
        out += "<msup>";
        row(n.operands[0], Binding::tightest);
        row(n.operands[1]);
        out += "</msup>";
        return true;
      case Op::sqrt:
        wrapped("<msqrt>", n.operands[0], "</msqrt>");
        return true;
      case Op::exp:
        wrapped("<msup><mi>e</mi>", n.operands[0], "</msup>");
        return true;
      case Op::abs:
        wrapped("<mrow><mo>|</mo>", n.operands[0], "<mo>|</mo></mrow>");
        return true;
      case Op::floor:
        wrapped("<mrow><mo>⌊</mo>", n.operands[0], "<mo>⌋</mo></mrow>");
        return true;
      case Op::ceil:
        wrapped("<mrow><mo>⌈</mo>", n.operands[0], "<mo>⌉</mo></mrow>");
        return true;
      case Op::factorial:
        write(n.operands[0], Binding::tightest);
        out += "<mo>!</mo>";
        return true;
      case Op::logical_not:
        out += "<mo>¬</mo>";
        write(n.operands[0], Binding::tightest);
        return true;
      case Op::rate_of:
        wrapped("<mfrac><mrow><mi>d</mi>", n.operands[0],
                "</mrow><mrow><mi>d</mi><mi>t</mi></mrow></mfrac>");
        return true;
      case Op::select:
        cases(pieces(n));
        return true;
      default:
        break;
    }
    if (binding(n) < Binding::tightest) return false;  // an infix operation
    call(n);
    return true;
  }

  void call(const PrintedNode& n) {
    out += "<mrow>";
    out += n.op == Op::call ? n.name : "<mi>" + std::string(name_of(n.op)) + "</mi>";
    out += "<mo>⁡</mo>" + opening();
    for (std::size_t i = 0; i < n.operands.size(); ++i) {
      if (i) out += "<mo>,</mo>";
      row(n.operands[i]);
    }
    out += closing() + "</mrow>";
  }

  void cases(const std::vector<std::uint32_t>& parts) {
    out += "<mrow><mo>{</mo><mtable>";
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      wrapped("<mtr><mtd>", parts[i], "</mtd>");
      wrapped("<mtd><mtext>if </mtext>", parts[i + 1], "</mtd></mtr>");
    }
    wrapped("<mtr><mtd>", parts.back(), "</mtd><mtd><mtext>otherwise</mtext></mtd></mtr>");
    out += "</mtable></mrow>";
  }

  const MathmlNames& names_;
  std::int32_t function_;
};

}  // namespace

std::string mathml_expression(const Model& model, const MathmlNames& names, ExprId root,
                              std::int32_t function) {
  return MathmlPrinter(model, names, function).print(static_cast<std::uint32_t>(root));
}

}  // namespace stiffit
