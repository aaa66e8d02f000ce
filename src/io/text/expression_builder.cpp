// SPDX-License-Identifier: Apache-2.0
#include "io/text/expression_builder.h"

#include <algorithm>
#include <cmath>

#include "io/text/builtin_functions.h"
#include "io/text/linear_chain.h"
#include "io/text/syntax/keywords.h"
#include "io/text/syntax/lexer.h"

namespace stiffit::internal {
namespace {

std::string count_of_arguments(int least, int most) {
  std::string text = std::to_string(least);
  if (most < 0) text = "at least " + text;
  if (most > least) text += " or " + std::to_string(most);
  return text + (std::max(least, most) == 1 ? " argument" : " arguments");
}

}  // namespace

ExpressionBuilder::ExpressionBuilder(const Syntax& syntax, const SymbolTable& symbols, Model& model,
                                     Diagnostics& diagnostics, const TextFiles& files)
    : syntax_(syntax),
      symbols_(symbols),
      model_(model),
      diagnostics_(diagnostics),
      tables_(files, diagnostics) {}

const TextFiles ExpressionBuilder::no_files;

void ExpressionBuilder::define_functions() {
  for (const FunctionSyntax& function : syntax_.functions) {
    auto index = static_cast<std::int32_t>(model_.functions.size());
    auto [place, is_new] = functions_.try_emplace(function.name.text, index);
    if (!is_new) {
      Span first = model_.functions[place->second].span;
      diagnostics_.error(function.name.span, "a second function " + quoted(function.name.text),
                         "already defined on " + diagnostics_.source().line_text(first.begin));
    } else if (builtin_named(function.name.text)) {
      diagnostics_.error(function.name.span,
                         quoted(function.name.text) + " is a function of the language");
    }
    Function result;
    result.id = function.name.text;
    result.span = function.name.span;
    for (const Word& argument : function.arguments) {
      if (std::find(result.arguments.begin(), result.arguments.end(), argument.text) !=
          result.arguments.end())
        diagnostics_.error(argument.span, "a second argument " + quoted(argument.text));
      result.arguments.emplace_back(argument.text);
    }
    model_.functions.push_back(std::move(result));
  }
  check_recursion();
  for (std::size_t i = 0; i < syntax_.functions.size(); ++i)
    model_.functions[i].body = build(syntax_.functions[i].body, &syntax_.functions[i].arguments);
}

void ExpressionBuilder::use_functions_of_model() {
  // The names are copied: the model's own may move while it grows.
  for (std::size_t i = 0; i < model_.functions.size(); ++i) {
    function_names_.push_back(model_.functions[i].id);
    functions_.try_emplace(function_names_.back(), static_cast<std::int32_t>(i));
  }
}

// A function that reaches itself. Functions are few and short: follow all calls from each.
void ExpressionBuilder::check_recursion() {
  std::vector<std::vector<std::pair<std::int32_t, Span>>> calls(syntax_.functions.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Expression& body = syntax_.functions[i].body;
    for (SyntaxId id = body.first; id <= body.root && id >= 0; ++id) {
      const SyntaxNode& node = syntax_.nodes[id];
      if (node.kind != NodeKind::call) continue;
      if (auto called = functions_.find(node.text); called != functions_.end())
        calls[i].emplace_back(called->second, node.span);
    }
  }
  for (std::size_t i = 0; i < calls.size() && !diagnostics_.full(); ++i) {
    std::vector<bool> seen(calls.size());
    std::vector<std::size_t> open{i};
    bool found = false;
    while (!open.empty() && !found) {
      std::size_t from = open.back();
      open.pop_back();
      for (auto& [to, span] : calls[from]) {
        std::size_t target = to;
        if (target == i) {
          diagnostics_.error(syntax_.functions[i].name.span,
                             "function " + quoted(syntax_.functions[i].name.text) + " calls itself",
                             "recursion is not possible");
          found = true;
          break;
        }
        if (!seen[target]) open.push_back(target);
        seen[target] = true;
      }
    }
  }
}

ExprId ExpressionBuilder::mistake(Span span) { return model_.expressions.number(not_set, span); }

ExprId ExpressionBuilder::build(const Expression& expression, const std::vector<Word>* arguments) {
  if (expression.empty()) return no_expr;
  built_.assign(expression.root - expression.first + 1, no_expr);
  auto built = [&](SyntaxId id) { return id < 0 ? no_expr : built_[id - expression.first]; };
  std::vector<ExprId> operands;
  for (SyntaxId id = expression.first; id <= expression.root; ++id) {
    const SyntaxNode& node = syntax_.nodes[id];
    ExprId result = no_expr;
    switch (node.kind) {
      case NodeKind::number:
        result = number(node);
        break;
      case NodeKind::name:
        result = name(node, arguments);
        break;
      case NodeKind::operation:
        result =
            model_.expressions.apply(node.op, built(node.a), built(node.b), no_expr, node.span);
        break;
      case NodeKind::table:
        result = tables_.build(syntax_.tables[node.a], model_.expressions, node.span);
        if (result == no_expr) result = mistake(node.span);
        break;
      case NodeKind::call:
        operands.clear();
        for (SyntaxId i = 0; i < node.b; ++i)
          operands.push_back(built(syntax_.arguments[node.a + i]));
        result = call(node, operands);
        break;
    }
    built_[id - expression.first] = result;
  }
  return built(expression.root);
}

ExpressionBuilder::Value ExpressionBuilder::build_value(const Expression& expression) {
  if (expression.empty()) return {};
  auto node_at = [&](SyntaxId id) -> const SyntaxNode& { return syntax_.nodes[id]; };
  // Plain numbers need no expression; most values are such.
  const SyntaxNode& root = node_at(expression.root);
  if (root.kind == NodeKind::number && root.text.empty()) return {root.value, no_expr};
  if (root.kind == NodeKind::operation && root.op == Op::neg &&
      node_at(root.a).kind == NodeKind::number && node_at(root.a).text.empty())
    return {-node_at(root.a).value, no_expr};

  int known = static_cast<int>(model_.expressions.size());
  ExprId top = build(expression);
  std::vector<double> values;
  for (ExprId id = known; id <= top; ++id) {
    const ExprNode& node = model_.expressions[id];
    if (node.op == Op::symbol || node.op == Op::call || node.op == Op::delay ||
        node.op == Op::rate_of)
      return {std::nullopt, top};
    auto value = [&](ExprId operand) { return operand < 0 ? 0.0 : values[operand - known]; };
    values.push_back(node.op == Op::number
                         ? node.value
                         : evaluate(node.op, value(node.a), value(node.b), value(node.c)));
  }
  return {values[top - known], no_expr};
}

// Model::unit_named looks through all units, which is too long for every number of a model.
std::int32_t ExpressionBuilder::unit_index(std::string_view name) {
  for (; units_placed_ < model_.units.size(); ++units_placed_)  // the first of a name counts
    unit_places_.emplace(model_.units[units_placed_].id, static_cast<std::int32_t>(units_placed_));
  auto found = unit_places_.find(std::string(name));
  return found == unit_places_.end() ? -1 : found->second;
}

ExprId ExpressionBuilder::number(const SyntaxNode& node) {
  std::int32_t unit = -1;
  if (!node.text.empty()) {
    auto exactly = [&](std::string_view name) {
      const std::int32_t at = unit_index(name);
      return at < 0 ? built_in_unit(name) : model_.units[at].unit;
    };
    auto known = parse_unit(node.text, [&](std::string_view name) {
      auto found = exactly(name);
      if (!found && name.ends_with('s')) found = exactly(name.substr(0, name.size() - 1));
      return found;
    });
    if (symbols_.find(node.text)) {
      diagnostics_.error(node.span, quoted(node.text) + " is not a unit",
                         "is '*' missing before it?");
    } else {
      unit = unit_index(node.text);
      if (!known && unit < 0 && reported_.insert(node.text).second)
        diagnostics_.warning(node.span, "unknown unit " + quoted(node.text),
                             "taken as a unit without a definition");
      if (unit < 0) {
        unit = static_cast<std::int32_t>(model_.units.size());
        model_.units.push_back({std::string(node.text), known, node.span});
      }
    }
  }
  return model_.expressions.number(node.value, node.span, unit);
}

ExprId ExpressionBuilder::name(const SyntaxNode& node, const std::vector<Word>* arguments) {
  Expressions& e = model_.expressions;
  if (arguments) {
    for (std::size_t i = 0; i < arguments->size(); ++i)
      if ((*arguments)[i].text == node.text && node.order == 0)
        return e.symbol({SymbolKind::argument, static_cast<std::int32_t>(i)}, node.span);
  }
  if (node.text == "time" && node.order == 0) return e.symbol({SymbolKind::time, 0}, node.span);
  if (auto constant = constant_named(node.text)) return e.number(*constant, node.span);
  const Symbol* symbol = arguments ? nullptr : symbols_.find(node.text);
  if (symbol && symbol->role == Role::event) {
    diagnostics_.error(node.span, quoted(node.text) + " is an event and has no value");
    return mistake(node.span);
  }
  if (symbol && symbol->ref.kind == SymbolKind::none) return mistake(node.span);  // reported
  if (!symbol) {
    if (auto ref = undefined(node, arguments != nullptr)) return e.symbol(*ref, node.span);
    unknown_name(node, arguments != nullptr);
    return mistake(node.span);
  }
  if (node.order == 0) return e.symbol(symbol->ref, node.span);
  if (node.order < symbol->order())
    return e.symbol(derivative(*symbol, node.order, node.span), node.span);
  // The highest derivative is what the equation gives; of anything else only the first is known.
  if (node.order > std::max(1, symbol->order())) {
    diagnostics_.error(node.span, "no equation gives this derivative of " + quoted(node.text));
    return mistake(node.span);
  }
  Ref below = derivative(*symbol, node.order - 1, node.span);
  return e.apply(Op::rate_of, e.symbol(below, node.span), no_expr, no_expr, node.span);
}

Ref ExpressionBuilder::derivative(const Symbol& symbol, int order, Span span) {
  if (order == 0) return symbol.ref;
  if (order < symbol.order()) return {SymbolKind::parameter, symbol.slopes[order - 1]};
  std::string equation = std::string(symbol.id.text) + std::string(std::size_t(order) + 1, '\'');
  diagnostics_.error(span, "this derivative of " + quoted(symbol.id.text) + " is not a variable",
                     "there is no equation '" + equation + " = ...'");
  return {};
}

// In Antimony a name that nothing defines is a parameter without a value. Where that matters is
// found out when the equations are known.
std::optional<Ref> ExpressionBuilder::undefined(const SyntaxNode& node, bool in_function) {
  if (in_function || node.order > 0 || !syntax_.is_antimony(node.span.begin) ||
      node.text.find('.') != std::string_view::npos || syntax_.is_damaged(node.text))
    return std::nullopt;
  auto [found, is_new] =
      undefined_.try_emplace(node.text, static_cast<std::int32_t>(model_.parameters.size()));
  if (is_new) {
    std::string hint = suggest_symbol(node.text, symbols_, diagnostics_.source());
    diagnostics_.warning(node.span, quoted(node.text) + " has no value anywhere", hint);
    model_.parameters.push_back({std::string(node.text), not_set, true, {}, node.span});
  }
  return Ref{SymbolKind::parameter, found->second};
}

void ExpressionBuilder::unknown_name(const SyntaxNode& node, bool in_function) {
  if (syntax_.is_damaged(node.text)) return;
  if (!reported_.insert(node.text).second) return;  // once is enough
  if (!reported_places_.insert(node.span.begin).second) return;
  const bool written_with_dot = node.span.end - node.span.begin == node.text.size() &&
                                node.text.find('.') != std::string_view::npos;
  if (written_with_dot) {
    if (!symbols_.flattened)  // else reported
      diagnostics_.error(
          node.span, "there is no submodel " + quoted(node.text.substr(0, node.text.rfind('.'))));
    return;
  }
  if (in_function) {
    diagnostics_.error(node.span, "unknown name " + quoted(node.text) + " in a function",
                       "a function sees only its arguments");
    return;
  }
  std::string hint = suggest_symbol(node.text, symbols_, diagnostics_.source());
  diagnostics_.error(node.span, "unknown name " + quoted(node.text),
                     hint.empty() ? "it has no value anywhere" : hint);
}

void ExpressionBuilder::wrong_count(const SyntaxNode& node, int least, int most) {
  diagnostics_.error(node.span, quoted(node.text) + " takes " + count_of_arguments(least, most) +
                                    ", found " + std::to_string(node.b));
}

ExprId ExpressionBuilder::call(const SyntaxNode& node, const std::vector<ExprId>& arguments) {
  auto count = static_cast<int>(arguments.size());
  if (auto own = functions_.find(node.text); own != functions_.end()) {
    auto wanted = static_cast<int>(model_.functions[own->second].arguments.size());
    if (count == wanted) return model_.expressions.call(own->second, arguments, node.span);
    wrong_count(node, wanted, wanted);
    return mistake(node.span);
  }
  if (node.text == "memory") return memory(node, arguments);
  auto builtin = builtin_named(node.text);
  if (!builtin) {
    if (is_random_function(node.text)) {
      diagnostics_.error(node.span, "not supported: the random function " + quoted(node.text),
                         "a simulation here draws nothing");
    } else if (reported_.insert(node.text).second) {
      std::vector<std::string> names = builtin_names();
      names.push_back("memory");
      for (auto& [name, index] : functions_) names.emplace_back(name);
      std::sort(names.begin(), names.end());
      std::string nearest = nearest_name(node.text, names);
      std::string hint;
      if (!nearest.empty()) hint = "did you mean " + quoted(nearest) + "?";
      if (symbols_.find(node.text)) hint = "is '*' missing after it?";
      diagnostics_.error(node.span, "unknown function " + quoted(node.text), hint);
    }
    return mistake(node.span);
  }
  if (count < builtin->least || (builtin->most >= 0 && count > builtin->most)) {
    wrong_count(node, builtin->least, builtin->most);
    return mistake(node.span);
  }
  if (builtin->op == Op::rate_of && model_.expressions[arguments[0]].op != Op::symbol &&
      !std::isnan(model_.expressions[arguments[0]].value)) {
    diagnostics_.error(node.span, "'rateOf' takes a name, not an expression");
    return mistake(node.span);
  }
  return apply_builtin(*builtin, arguments, node.span, model_.expressions);
}

// memory(x, tau) and memory(x, tau, n).
ExprId ExpressionBuilder::memory(const SyntaxNode& node, const std::vector<ExprId>& arguments) {
  if (arguments.size() < 2 || arguments.size() > 3) {
    wrong_count(node, 2, 3);
    return mistake(node.span);
  }
  int stages = 1;
  if (arguments.size() == 3) {
    const ExprNode& n = model_.expressions[arguments[2]];
    stages = n.op == Op::number && n.value >= 1 && n.value <= longest_chain
                 ? static_cast<int>(n.value)
                 : 0;
    if (stages == 0 || stages != n.value) {
      diagnostics_.error(node.span, "the shape of a memory is a whole number from 1 to " +
                                        std::to_string(longest_chain));
      return mistake(node.span);
    }
  }
  if (has_arguments(model_.expressions, arguments[0]) ||
      has_arguments(model_.expressions, arguments[1])) {
    diagnostics_.error(node.span, "'memory' cannot stand in a function definition",
                       "it makes variables of the model");
    return mistake(node.span);
  }
  return add_linear_chain(model_, arguments[0], arguments[1], stages, node.span,
                          [this](const std::string& id) { return symbols_.find(id) != nullptr; });
}

}  // namespace stiffit::internal
