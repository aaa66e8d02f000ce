// SPDX-License-Identifier: Apache-2.0
#include "io/text/writer/text_expression.h"

#include <cmath>

#include "base/number.h"
#include "model/model_printer.h"

namespace stiffit::internal {
namespace {

class TextPrinter : public ModelPrinter {
 public:
  TextPrinter(const Model& model, const WrittenNames& names, std::int32_t function, bool antimony)
      : ModelPrinter(model), names_(names), function_(function), antimony_(antimony) {}

 private:
  std::string symbol(Ref ref) const override {
    if (ref.kind == SymbolKind::time) return "time";
    if (ref.kind == SymbolKind::argument) return names_.of_argument(function_, ref.index);
    return names_.of(ref);
  }
  std::string function(std::int32_t index) const override {
    return has_body(index) ? names_.of_function(index) : number(std::nan(""));
  }
  std::string number(double value) const override {
    if (std::isnan(value)) return antimony_ ? "notanumber" : "nan";
    if (antimony_ && std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
    return format_number(value);
  }
  // Which of && and || binds stronger depends on the dialect: neither does, as far as this goes.
  Binding binding(const PrintedNode& n) const override {
    return n.op == Op::logical_and ? Binding::disjunction : ModelPrinter::binding(n);
  }
  // By the names that Antimony's manual lists.
  std::string function_name(const PrintedNode& n) const override {
    std::string name = ModelPrinter::function_name(n);
    if (!antimony_ || n.op == Op::call) return name;
    if (n.op == Op::ceil) return "ceiling";
    for (Op inverse : {Op::asin, Op::acos, Op::atan, Op::asec, Op::acsc, Op::acot, Op::asinh,
                       Op::acosh, Op::atanh, Op::asech, Op::acsch, Op::acoth})
      if (n.op == inverse) return "arc" + name.substr(1);
    return name;
  }
  // Sums within sums lose their parentheses: only the last bits of the value may tell.
  bool flattens(const PrintedNode& n, const PrintedNode& right) const override {
    return n.op == Op::add && right.op == Op::add;
  }
  // A number with a unit carries it as its name.
  PrintedNode node(std::uint32_t id) const override {
    PrintedNode result = ModelPrinter::node(id);
    const ExprNode& n = model_.expressions[static_cast<ExprId>(id)];
    if (n.op == Op::number && n.ref.index >= 0 && std::isfinite(n.value))
      result.name = names_.of_unit(n.ref.index);
    return result;
  }
  bool special(const PrintedNode& n) override {
    if (n.op == Op::number && !n.name.empty()) {
      out += number(n.number) + " " + n.name;
      return true;
    }
    if (antimony_ && n.op == Op::sign) {
      out += "piecewise(1, ";
      write(n.operands[0], Binding::sum);
      out += " > 0, -1, ";
      write(n.operands[0], Binding::sum);
      out += " < 0, 0)";
      return true;
    }
    if (n.op != Op::call || n.name != number(std::nan(""))) return false;
    out += n.name;  // a function without a body
    return true;
  }

  const WrittenNames& names_;
  std::int32_t function_;
  bool antimony_;
};

}  // namespace

std::string text_expression(const Model& model, const WrittenNames& names, ExprId root,
                            std::int32_t function, bool antimony) {
  return TextPrinter(model, names, function, antimony).print(static_cast<std::uint32_t>(root));
}

}  // namespace stiffit::internal
