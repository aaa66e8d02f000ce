// SPDX-License-Identifier: Apache-2.0
#include "symbolic/text/delay_text.h"

#include "model/model_printer.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t longest_delay = 80;

class DelayPrinter final : public ModelPrinter {
 public:
  using ModelPrinter::ModelPrinter;

 private:
  static constexpr int deepest = 200;  // of nesting
  bool enough() const override { return out.size() > longest_delay || depth > deepest; }
  bool flattens(const PrintedNode& n, const PrintedNode& right) const override {
    return (n.op == Op::add || n.op == Op::mul) && right.op == n.op;
  }
  std::string symbol(Ref ref) const override {
    return ref.kind == SymbolKind::argument ? "argument" + std::to_string(ref.index + 1)
                                            : model_.id_of(ref);
  }
  std::string function(std::int32_t index) const override { return model_.functions[index].id; }
};

}  // namespace

std::string delay_text(const Model& model, ExprId delay) {
  return DelayPrinter(model).print(static_cast<std::uint32_t>(delay));
}

}  // namespace stiffit::internal
