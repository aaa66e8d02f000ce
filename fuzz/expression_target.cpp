// Formulas in each of our languages: text models, PEtab 1 and 2, BioNetGen networks; the first
// byte says which. A formula of a text model is written out and read again: the same value.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "io/bng/net_expression.h"
#include "io/petab/petab_math.h"
#include "io/text/read_formula.h"
#include "io/text/syntax/keywords.h"
#include "io/text/writer/text_expression.h"
#include "target.h"

namespace stiffit::internal {
namespace {

const std::string_view words[] = {
    "a",          "b",         "S",      "x",       "(",        ")",
    "+",          "-",         "*",      "/",       "^",        "**",
    "<",          "<=",        ">",      ">=",      "==",       "!=",
    "&&",         "||",        "!",      "?",       ":",        ",",
    "exp(",       "ln(",       "log(",   "sin(",    "min(",     "max(",
    "piecewise(", "root(",     "if(",    "sqr(",    "f(",       "time",
    "t",          "inf",       "nan",    "true",    "false",    "pi",
    "_pi",        "not ",      "delay(", "rateOf(", "memory(",  "table(\"t.csv\", x)",
    "factorial(", "quotient(", "rem(",   "log2(",   "avg(",     "rint(",
    "select(",    "implies(",  "S'",     "a.b",     "1 second", "%"};

// a, b and x are parameters, S a species, f(u, v) a function.
Model small_model() {
  Model model;
  for (const char* id : {"a", "b", "x"}) {
    Parameter p;
    p.id = id;
    p.value = 0.7;
    model.parameters.push_back(p);
  }
  Species s;
  s.id = "S";
  s.initial = 2;
  model.species.push_back(s);
  Function f;
  f.id = "f";
  f.arguments = {"u", "v"};
  f.body = model.expressions.apply(Op::mul, model.expressions.symbol({SymbolKind::argument, 0}),
                                   model.expressions.symbol({SymbolKind::argument, 1}));
  model.functions.push_back(f);
  return model;
}

double value_of(const Model& model, ExprId root) {
  std::vector<double> values(model.expressions.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ExprNode& n = model.expressions[static_cast<ExprId>(i)];
    auto operand = [&](ExprId id) {
      return id == no_expr ? 0 : values[static_cast<std::size_t>(id)];
    };
    if (n.op == Op::number)
      values[i] = n.value;
    else if (n.op == Op::symbol)
      values[i] = 0.3 + 0.4 * n.ref.index + static_cast<double>(n.ref.kind);
    else if (n.op == Op::call) {
      must_hold(n.b == 2, "a call has the arguments of its function");
      values[i] =
          operand(*model.expressions.arguments(n)) * operand(model.expressions.arguments(n)[1]);
    } else if (n.op == Op::delay || n.op == Op::rate_of)
      values[i] = operand(n.a);
    else
      values[i] = evaluate(n.op, operand(n.a), operand(n.b), operand(n.c));
  }
  return values[static_cast<std::size_t>(root)];
}

bool has_nested_sums(const Model& model) {
  for (std::size_t i = 0; i < model.expressions.size(); ++i) {
    const ExprNode& n = model.expressions[static_cast<ExprId>(i)];
    if (n.op == Op::add && model.expressions[n.b].op == Op::add) return true;
  }
  return false;
}

std::optional<double> text_formula(std::string text, Model& model, ExprId& root) {
  Diagnostics diagnostics(std::make_shared<const Source>("formula", std::move(text)));
  auto formula = parse_formula(diagnostics);
  if (formula) root = build_formula(*formula, model, diagnostics);
  render(diagnostics);
  if (!formula || diagnostics.has_errors()) return std::nullopt;
  return value_of(model, root);
}

void run_text(std::string_view input) {
  static const Model base = small_model();
  Model model = base;
  ExprId root = no_expr;
  auto value = text_formula("y = " + std::string(input), model, root);
  if (!value || root == no_expr) return;
  if (model.parameters.size() != base.parameters.size()) return;  // memory() adds equations
  Model again = base;
  const WrittenNames names(model, is_keyword, is_keyword);
  const std::string text = text_expression(model, names, root);
  ExprId second = no_expr;
  auto value_again = text_formula("y = " + text, again, second);
  must_hold(value_again.has_value(), "a written formula can be read");
  if (has_nested_sums(model)) return;  // these are grouped in another way
  must_hold(*value == *value_again || (std::isnan(*value) && std::isnan(*value_again)),
            "a written formula has the same value");
}

void run_petab(std::string_view input, PetabVersion version) {
  static const Model base = small_model();
  Model model = base;
  PetabFile file("formula", std::string(input));
  MathNames names;
  names.find = [&](std::string_view name) { return model.find(name); };
  names.all = [&] { return model.all_ids(); };
  const Cell cell{std::string(input), {0, static_cast<std::uint32_t>(input.size())}};
  const ExprId root = read_petab_math(cell, version, names, file, model.expressions);
  must_hold((root == no_expr) == file.diagnostics().has_errors(), "a formula or an error");
  if (root != no_expr) value_of(model, root);
  names_in_math(input);
  render(file.diagnostics());
}

void run_net(std::string_view input) {
  static const Model base = small_model();
  Model model = base;
  Diagnostics diagnostics(std::make_shared<const Source>("formula", "a b f " + std::string(input)));
  NetScope scope(model, diagnostics);
  scope.declare({0, 1}, {{SymbolKind::parameter, 0}, -1, {}});
  scope.declare({2, 3}, {{SymbolKind::parameter, 1}, -1, {}});
  scope.declare({4, 5}, {{}, 0, {}});
  const NetExpression result =
      parse_net_expression(scope, {6, static_cast<std::uint32_t>(input.size() + 6)}, {"x"});
  must_hold(result.valid != diagnostics.has_errors(), "a formula or an error");
  if (result.valid) value_of(model, node_of(scope, result));
  render(diagnostics);
}

void run(std::string_view input) {
  if (input.empty()) return;
  const std::string_view rest = input.substr(1);
  switch (static_cast<unsigned char>(input[0]) % 4) {
    case 0:
      return run_text(rest);
    case 1:
      return run_petab(rest, PetabVersion::v1);
    case 2:
      return run_petab(rest, PetabVersion::v2);
    default:
      return run_net(rest);
  }
}

}  // namespace

const FuzzTarget expression_target{"expression", 96, 20000, run, words};

}  // namespace stiffit::internal
