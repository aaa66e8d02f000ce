// SPDX-License-Identifier: Apache-2.0
#include "io/text/writer/write_text.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "io/text/builtin_functions.h"
#include "io/text/syntax/keywords.h"
#include "io/text/writer/text_expression.h"
#include "io/text/writer/text_writer.h"

namespace stiffit::internal {
namespace {

bool is_reserved(std::string_view name) {
  for (std::string_view word : {"time", "not", "maximize", "minimize", "constraint", "assert"})
    if (name == word) return true;
  return is_keyword(name) || constant_named(name).has_value();
}

// Words that Antimony keeps for itself: a few more, and the names of units.
bool is_reserved_in_antimony(std::string_view name) {
  for (std::string_view word :
       {"ext",    "geneProduct", "ampere",   "becquerel", "candela", "coulomb", "dimensionless",
        "farad",  "gram",        "gray",     "henry",     "hertz",   "item",    "joule",
        "katal",  "kelvin",      "kilogram", "liter",     "litre",   "lumen",   "lux",
        "meter",  "metre",       "mole",     "newton",    "ohm",     "pascal",  "radian",
        "second", "siemens",     "sievert",  "steradian", "tesla",   "volt",    "watt",
        "weber",  "celsius"})
    if (name == word) return true;
  return is_reserved(name);
}

bool is_builtin(std::string_view name) {
  return builtin_named(name).has_value() || is_random_function(name);
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

TextWriter::TextWriter(const Model& model, TextStyle style)
    : model_(model),
      antimony_(style == TextStyle::antimony),
      names_(model, antimony_ ? is_reserved_in_antimony : is_reserved, is_builtin) {
  for (const InitialAssignment& a : model.initial_assignments)
    initial_assignments_[key(a.target)] = a.value;
  for (const Rule& r : model.rules)
    if (r.kind != RuleKind::algebraic) rules_[key(r.target)] = r.kind;
}

Writing TextWriter::write() {
  functions();
  const bool block = !model_.id.empty();
  if (block) {
    std::string id = as_identifier(model_.id);
    while (is_reserved(id)) id += '_';
    line("model " + id + (id == model_.id ? "" : "  // " + one_line(model_.id)));
    indent_ = "  ";
  }
  directives();
  units();
  compartments();
  species();
  reactions();
  parameters();
  rules();
  observables();
  events();
  indent_.clear();
  if (block) line("end");
  if (model_.flux_balance) out_.left_out.push_back("the flux-balance problem");
  return std::move(out_);
}

void TextWriter::directives() {
  if (!model_.title.empty()) line("#: title " + one_line(model_.title));
  if (model_.start_time != 0) line("#: start " + format_number(model_.start_time));
  if (!std::isnan(model_.end_time)) line("#: end " + format_number(model_.end_time));
  for (std::size_t i = 0; i < model_.reactions.size(); ++i)
    if (model_.reactions[i].fast) {
      line("#: fast " + name(SymbolKind::reaction, i));
      if (antimony_)
        out_.left_out.push_back("that reaction " + name(SymbolKind::reaction, i) +
                                " is fast, which is a comment to other tools");
    }
}

void TextWriter::functions() {
  for (std::size_t i = 0; i < model_.functions.size(); ++i) {
    const Function& f = model_.functions[i];
    if (f.body == no_expr) continue;  // its calls are written as what they mean: nan
    auto index = static_cast<std::int32_t>(i);
    std::string head = "function " + names_.of_function(index) + "(";
    for (std::size_t k = 0; k < f.arguments.size(); ++k)
      head += (k ? ", " : "") + names_.of_argument(index, static_cast<std::int32_t>(k));
    line(head + ")");
    line("  " + text_expression(model_, names_, f.body, index, antimony_));
    line("end");
    line("");
  }
}

void TextWriter::gap() {
  if (!out_.text.empty() && !out_.text.ends_with("\n\n")) out_.text += "\n";
}

std::string TextWriter::renamed(Ref ref) const {
  const std::string& id = model_.id_of(ref);
  return id == names_.of(ref) ? "" : "  // " + one_line(id);
}

std::string TextWriter::expression(ExprId id) const {
  return text_expression(model_, names_, id, -1, antimony_);
}

std::string TextWriter::number(double value) const {
  if (std::isnan(value)) return antimony_ ? "notanumber" : "nan";
  if (antimony_ && std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  return format_number(value);
}

bool TextWriter::is_ruled(Ref ref) const {
  auto found = rules_.find(key(ref));
  return found != rules_.end() && found->second == RuleKind::assignment;
}

Writing write_text(const Model& model, TextStyle style) { return TextWriter(model, style).write(); }

}  // namespace stiffit::internal
