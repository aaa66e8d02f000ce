// SPDX-License-Identifier: Apache-2.0
#include "write/text_expression.h"

#include <cmath>

#include "base/number.h"
#include "model/model_printer.h"

namespace stiffit {
namespace {

class TextPrinter : public ModelPrinter {
 public:
  TextPrinter(const Model& model, const WrittenNames& names, std::int32_t function)
      : ModelPrinter(model), names_(names), function_(function) {}

 private:
  std::string symbol(Ref ref) const override {
    if (ref.kind == SymbolKind::time) return "time";
    if (ref.kind == SymbolKind::argument) return names_.of_argument(function_, ref.index);
    return names_.of(ref);
  }
  std::string function(std::int32_t index) const override {
    return has_body(index) ? names_.of_function(index) : "nan";
  }
  std::string number(double value) const override {
    return std::isnan(value) ? "nan" : format_number(value);
  }
  // Sums within sums lose their parentheses: only the last bits of the value may tell.
  bool flattens(const PrintedNode& n, const PrintedNode& right) const override {
    return n.op == Op::add && right.op == Op::add;
  }
  bool special(const PrintedNode& n) override {
    if (n.op != Op::call || n.name != "nan") return false;
    out += n.name;  // a function without a body
    return true;
  }

  const WrittenNames& names_;
  std::int32_t function_;
};

}  // namespace

std::string text_expression(const Model& model, const WrittenNames& names, ExprId root,
                            std::int32_t function) {
  return TextPrinter(model, names, function).print(static_cast<std::uint32_t>(root));
}

}  // namespace stiffit
