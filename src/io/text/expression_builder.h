// From syntax to the model's expressions: names become references, functions operations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/diagnostic.h"
#include "io/text/syntax/symbols.h"
#include "io/text/syntax/syntax.h"
#include "io/text/tabulated.h"
#include "model/model.h"

namespace stiffit::internal {

class ExpressionBuilder {
 public:
  ExpressionBuilder(const Syntax& syntax, const SymbolTable& symbols, Model& model,
                    Diagnostics& diagnostics, const TextFiles& files = no_files);

  // Model::functions from all function definitions of the file.
  void define_functions();
  // Or the functions that the model has already.
  void use_functions_of_model();

  // no_expr for an empty one. Mistakes are reported and leave a NaN in place.
  ExprId build(const Expression& expression) { return build(expression, nullptr); }

  // A number if it is made of literals only, otherwise an expression.
  struct Value {
    std::optional<double> number;
    ExprId expression = no_expr;
  };
  Value build_value(const Expression& expression);

  // The place of a derivative: y for order 0, the parameter that stands for y' for 1, ...
  // Kind none (after a report) where there is no such.
  Ref derivative(const Symbol& symbol, int order, Span span);

 private:
  ExprId build(const Expression& expression, const std::vector<Word>* arguments);
  ExprId number(const SyntaxNode& node);
  std::int32_t unit_index(std::string_view name);  // in Model::units; -1 if it is not there
  ExprId name(const SyntaxNode& node, const std::vector<Word>* arguments);
  ExprId call(const SyntaxNode& node, const std::vector<ExprId>& arguments);
  ExprId memory(const SyntaxNode& node, const std::vector<ExprId>& arguments);
  ExprId mistake(Span span);
  void unknown_name(const SyntaxNode& node, bool in_function);
  std::optional<Ref> undefined(const SyntaxNode& node, bool in_function);
  void wrong_count(const SyntaxNode& node, int least, int most);
  void check_recursion();

  static const TextFiles no_files;

  const Syntax& syntax_;
  const SymbolTable& symbols_;
  Model& model_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string_view, std::int32_t> functions_;
  std::deque<std::string> function_names_;  // of functions that the model had before
  std::unordered_set<std::string_view> reported_;
  std::unordered_map<std::string_view, std::int32_t> undefined_;  // parameters made for them
  std::unordered_set<std::uint32_t> reported_places_;  // a place of a model that is used twice
  std::vector<ExprId> built_;
  std::unordered_map<std::string, std::int32_t> unit_places_;  // of the first ones of Model::units
  std::size_t units_placed_ = 0;
  TabulatedInputs tables_;
};

}  // namespace stiffit::internal
