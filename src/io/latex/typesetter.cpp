// SPDX-License-Identifier: Apache-2.0
#include "io/latex/typesetter.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "model/model_printer.h"

namespace stiffit::internal {
namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter_or_digit(char c) { return letter(c) || digit(c); }
bool all_of(std::string_view text, bool (*test)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), test);
}

std::string around(const TypesetForm& form, const std::string& a, const std::string& b = {}) {
  return std::string(form.before) + a + std::string(form.between) + b + std::string(form.after);
}

// One underscore, or digits at the end, make a subscript: k_cat, S1, k_1.
std::string typeset_id(const TypesetNotation& notation, std::string_view id) {
  std::size_t end = id.find('_'), begin = end + 1;
  if (end == std::string_view::npos) {
    end = id.size();
    while (end > 0 && digit(id[end - 1])) --end;
    begin = end;
  }
  const std::string_view base = id.substr(0, end), sub = id.substr(begin);
  if (!all_of(base, letter) || !all_of(sub, letter_or_digit)) return notation.word(id);
  return around(notation.subscript, notation.word(base),
                all_of(sub, digit) ? notation.digits(sub) : notation.word(sub));
}

bool has_power_of_ten(double value) {
  return std::isfinite(value) && format_number(value).find('e') != std::string::npos;
}

class TypesetPrinter : public ModelPrinter {
 public:
  TypesetPrinter(const Typesetter& typesetter, std::int32_t function)
      : ModelPrinter(typesetter.model()),
        typesetter_(typesetter),
        notation_(typesetter.notation()),
        function_(function) {}

 private:
  std::string symbol(Ref ref) const override {
    if (ref.kind == SymbolKind::time) return std::string(notation_.time);
    if (ref.kind == SymbolKind::argument)
      return typesetter_.name(model_.functions[function_].arguments[ref.index]);
    if (ref.kind == SymbolKind::reaction) return typesetter_.rate(model_.id_of(ref));
    return typesetter_.name(ref);
  }
  std::string function(std::int32_t index) const override {
    return typesetter_.name(model_.functions[index].id);
  }

  Binding binding(const PrintedNode& n) const override {
    switch (n.op) {
      case Op::number:
        if (n.number < 0) return Binding::sum;
        return has_power_of_ten(n.number) ? Binding::product : Binding::tightest;
      case Op::logical_xor:
      case Op::implies:
        return Binding::disjunction;
      case Op::neg:
        return Binding::sum;
      case Op::div:  // a fraction
        return Binding::tightest;
      case Op::exp:
        return notation_.form(n.op).known() ? Binding::power : Binding::tightest;
      default:
        return InfixPrinter::binding(n);
    }
  }
  std::string number(double value) const override { return typesetter_.number(value); }
  // A thin space between factors, a dot before a number.
  std::string between(const PrintedNode& n, const PrintedNode& right) const override {
    return std::string(n.op == Op::mul && right.op != Op::number ? notation_.times
                                                                 : notation_.sign(n.op));
  }
  std::string opening() const override { return std::string(notation_.opening); }
  std::string closing() const override { return std::string(notation_.closing); }
  bool flattens(const PrintedNode& n, const PrintedNode& right) const override {
    if (n.op == Op::mul && right.op == Op::number) return right.number >= 0;
    return n.op == right.op && (n.op == Op::add || n.op == Op::mul);
  }

  // Whatever has no sign between its operands.
  bool special(const PrintedNode& n) override {
    if (n.op == Op::number || n.op == Op::symbol) return false;
    if (n.op == Op::select) return cases(pieces(n)), true;
    if (const TypesetForm form = notation_.form(n.op); form.known()) return formed(form, n), true;
    if (binding(n) < Binding::tightest) return false;  // an infix operation
    return call(n), true;
  }

  void formed(const TypesetForm& form, const PrintedNode& n) {
    Binding first = Binding::loosest;
    if (n.op == Op::neg) first = Binding::product;
    if (n.op == Op::pow || n.op == Op::factorial || n.op == Op::logical_not)
      first = Binding::tightest;
    out += form.before;
    write(n.operands[0], first);
    if (n.operands.size() > 1) {
      out += form.between;
      write(n.operands[1], Binding::loosest);
    }
    out += form.after;
  }

  void call(const PrintedNode& n) {
    out += notation_.call.before;
    out += n.op == Op::call ? n.name : notation_.function(n.op);
    out += notation_.call.between;
    out += notation_.opening;
    for (std::size_t i = 0; i < n.operands.size(); ++i) {
      if (i) out += notation_.comma;
      out += notation_.row.before;
      write(n.operands[i], Binding::loosest);
      out += notation_.row.after;
    }
    out += notation_.closing;
    out += notation_.call.after;
  }

  void cases(const std::vector<std::uint32_t>& parts) {
    out += notation_.cases.before;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      out += notation_.piece.before;
      write(parts[i], Binding::loosest);
      out += notation_.piece.between;
      write(parts[i + 1], Binding::loosest);
      out += notation_.piece.after;
    }
    out += notation_.otherwise.before;
    write(parts.back(), Binding::loosest);
    out += notation_.otherwise.after;
    out += notation_.cases.after;
  }

  const Typesetter& typesetter_;
  const TypesetNotation& notation_;
  std::int32_t function_;
};

}  // namespace

Typesetter::Typesetter(const Model& model, const TypesetNotation& notation)
    : model_(model), notation_(notation) {
  for (const std::string& id : model.all_ids()) add(id);
  for (const Function& f : model.functions) {
    add(f.id);
    for (const std::string& argument : f.arguments) add(argument);
  }
}

void Typesetter::add(const std::string& id) {
  if (names_.contains(id)) return;
  std::string text = typeset_id(notation_, id);
  if (!taken_.insert(text).second) text = notation_.verbatim(id);
  names_.emplace(id, std::move(text));
}

std::string Typesetter::rate(const std::string& reaction) const {
  return notation_.rate(reaction, name(reaction));
}

std::string Typesetter::number(double value) const {
  if (std::isnan(value)) return std::string(notation_.undefined);
  std::string out(std::signbit(value) ? notation_.minus : "");
  if (std::isinf(value)) return out.append(notation_.infinity);
  const std::string text = format_number(std::fabs(value));
  const std::size_t e = text.find('e');
  const std::string mantissa = text.substr(0, e);
  if (e == std::string::npos) return out + notation_.digits(mantissa);
  const std::size_t first = std::min(text.find_first_not_of("+-0", e + 1), text.size() - 1);
  const std::string sign(text[e + 1] == '-' ? notation_.minus : "");
  if (mantissa != "1") out.append(notation_.digits(mantissa)).append(notation_.dot);
  return out + around(notation_.power_of_ten, notation_.digits("10"),
                      sign + notation_.digits(std::string_view(text).substr(first)));
}

std::string Typesetter::expression(ExprId root, std::int32_t function) const {
  return TypesetPrinter(*this, function).print(static_cast<std::uint32_t>(root));
}

}  // namespace stiffit::internal
