// SPDX-License-Identifier: Apache-2.0
#include "io/petab/petab_math.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>

#include "base/number.h"
#include "io/text/builtin_functions.h"

namespace stiffit::internal {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

struct PetabFunction {
  std::string_view name;
  std::string_view meant;  // the name in text models
  int least, most;         // arguments; -1: any number
};

// log and log2 have no like in text models and are made where they are called.
constexpr std::array functions{
    PetabFunction{"pow", "power", 2, 2},       PetabFunction{"exp", "exp", 1, 1},
    PetabFunction{"sqrt", "sqrt", 1, 1},       PetabFunction{"log", "ln", 1, 2},
    PetabFunction{"ln", "ln", 1, 1},           PetabFunction{"log2", "ln", 1, 1},
    PetabFunction{"log10", "log10", 1, 1},     PetabFunction{"sin", "sin", 1, 1},
    PetabFunction{"cos", "cos", 1, 1},         PetabFunction{"tan", "tan", 1, 1},
    PetabFunction{"cot", "cot", 1, 1},         PetabFunction{"sec", "sec", 1, 1},
    PetabFunction{"csc", "csc", 1, 1},         PetabFunction{"arcsin", "arcsin", 1, 1},
    PetabFunction{"arccos", "arccos", 1, 1},   PetabFunction{"arctan", "arctan", 1, 1},
    PetabFunction{"arccot", "arccot", 1, 1},   PetabFunction{"arcsec", "arcsec", 1, 1},
    PetabFunction{"arccsc", "arccsc", 1, 1},   PetabFunction{"sinh", "sinh", 1, 1},
    PetabFunction{"cosh", "cosh", 1, 1},       PetabFunction{"tanh", "tanh", 1, 1},
    PetabFunction{"coth", "coth", 1, 1},       PetabFunction{"sech", "sech", 1, 1},
    PetabFunction{"csch", "csch", 1, 1},       PetabFunction{"arcsinh", "arcsinh", 1, 1},
    PetabFunction{"arccosh", "arccosh", 1, 1}, PetabFunction{"arctanh", "arctanh", 1, 1},
    PetabFunction{"arccoth", "arccoth", 1, 1}, PetabFunction{"arcsech", "arcsech", 1, 1},
    PetabFunction{"arccsch", "arccsch", 1, 1}, PetabFunction{"piecewise", "piecewise", 3, -1},
    PetabFunction{"abs", "abs", 1, 1},         PetabFunction{"sign", "sign", 1, 1},
    PetabFunction{"min", "min", 2, 2},         PetabFunction{"max", "max", 2, 2},
};

std::optional<PetabFunction> function_of(std::string_view name, PetabVersion version) {
  for (const PetabFunction& f : functions)
    if (f.name == name) return f;
  if (version == PetabVersion::v2) return std::nullopt;
  auto builtin = builtin_named(name);
  if (!builtin) return std::nullopt;
  return PetabFunction{name, name, builtin->least, builtin->most};
}

std::string count_text(int least, int most) {
  std::string text = most < 0 ? "at least " + std::to_string(least) : std::to_string(least);
  if (most > least) text += " or " + std::to_string(most);
  return text + (most == 1 ? " argument" : " arguments");
}

class MathParser {
 public:
  MathParser(const Cell& cell, PetabVersion version, const MathNames& names, PetabFile& file,
             Expressions& expressions)
      : text_(cell.text),
        base_(cell.span.begin),
        version_(version),
        names_(names),
        file_(file),
        e_(expressions) {}

  ExprId formula() {
    try {
      ExprId result = logic();
      skip_blanks();
      if (at_ < text_.size()) unexpected("an operator");
      return failed_ ? no_expr : result;
    } catch (const Failed&) {
      return no_expr;
    }
  }

 private:
  struct Failed {};  // after a report
  static constexpr int deepest_nesting = 500;

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  Span span(std::size_t begin, std::size_t end) const {
    return {base_ + static_cast<std::uint32_t>(begin), base_ + static_cast<std::uint32_t>(end)};
  }

  [[noreturn]] void fail(Span place, std::string message, std::string hint = {}) {
    file_.error(place, std::move(message), std::move(hint));
    throw Failed{};
  }

  [[noreturn]] void unexpected(std::string_view wanted) {
    skip_blanks();
    if (at_ >= text_.size())
      fail(span(text_.empty() ? 0 : text_.size() - 1, text_.size()),
           "the formula ends where " + std::string(wanted) + " is expected");
    std::size_t end = at_ + 1;
    if (is_letter(text_[at_]))
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    std::string found(text_.substr(at_, end - at_));
    fail(span(at_, end),
         "expected " + std::string(wanted) + " in the formula, found '" + found + "'",
         found == "=" ? "'==' compares" : "");
  }

  bool accept(std::string_view symbol) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }

  ExprId binary(Op op, ExprId a, ExprId b) { return e_.apply(op, a, b); }

  struct Deeper {  // guards the call stack
    explicit Deeper(MathParser& parser) : parser_(parser) {
      if (++parser_.depth_ > deepest_nesting)
        parser_.fail(parser_.span(parser_.at_, parser_.at_ + 1),
                     "this formula is nested too deeply");
    }
    ~Deeper() { --parser_.depth_; }
    MathParser& parser_;
  };

  ExprId logic() {
    Deeper deeper(*this);
    ExprId left = comparison();
    for (;;) {
      if (accept("&&"))
        left = binary(Op::logical_and, left, comparison());
      else if (accept("||"))
        left = binary(Op::logical_or, left, comparison());
      else
        return left;
    }
  }

  ExprId comparison() {
    ExprId left = sum();
    for (;;) {
      if (accept("<="))
        left = binary(Op::le, left, sum());
      else if (accept(">="))
        left = binary(Op::ge, left, sum());
      else if (accept("=="))
        left = binary(Op::eq, left, sum());
      else if (accept("!="))
        left = binary(Op::ne, left, sum());
      else if (accept("<"))
        left = binary(Op::lt, left, sum());
      else if (accept(">"))
        left = binary(Op::gt, left, sum());
      else
        return left;
    }
  }

  ExprId sum() {
    ExprId left = product();
    for (;;) {
      if (accept("+"))
        left = binary(Op::add, left, product());
      else if (accept("-"))
        left = binary(Op::sub, left, product());
      else
        return left;
    }
  }

  ExprId product() {
    ExprId left = sign();
    for (;;) {
      if (accept("*"))
        left = binary(Op::mul, left, sign());
      else if (accept("/"))
        left = binary(Op::div, left, sign());
      else
        return left;
    }
  }

  ExprId sign() {
    Deeper deeper(*this);
    if (accept("-")) return e_.apply(Op::neg, sign());
    if (accept("+")) return sign();
    skip_blanks();
    if (!text_.substr(at_).starts_with("!=") && accept("!"))
      return e_.apply(Op::logical_not, sign());
    return power();
  }

  ExprId power() {
    ExprId base = primary();
    if (accept("^") || (version_ == PetabVersion::v1 && accept("**")))
      return binary(Op::pow, base, sign());
    return base;
  }

  ExprId primary() {
    skip_blanks();
    if (at_ >= text_.size()) unexpected("a value");
    char c = text_[at_];
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])))
      return number();
    if (is_letter(c)) return name_or_call();
    if (c != '(') unexpected("a value");
    std::size_t open = at_++;
    ExprId inside = logic();
    close(open);
    return inside;
  }

  void close(std::size_t open) {
    if (accept(")")) return;
    skip_blanks();
    if (at_ >= text_.size()) fail(span(open, open + 1), "this '(' is never closed");
    unexpected("an operator or ')'");
  }

  ExprId number() {
    std::size_t begin = at_;
    auto digits = [&] {
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    };
    digits();
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      std::size_t exponent = at_ + 1;
      if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
      if (exponent < text_.size() && is_digit(text_[exponent])) {
        at_ = exponent;
        digits();
      }
    }
    if (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '.'))
      unexpected("an operator");
    const double value = parse_number(text_.substr(begin, at_ - begin)).value_or(not_set);
    if (!std::isfinite(value)) fail(span(begin, at_), "this is beyond all numbers");
    return e_.number(value);
  }

  ExprId name_or_call() {
    std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    std::string_view name = text_.substr(begin, at_ - begin);
    Span place = span(begin, at_);
    std::size_t open = at_;
    if (accept("(")) {
      open = at_ - 1;
      return call(name, place, open);
    }
    at_ = begin + name.size();
    Ref ref = names_.find(name);
    if (ref.kind != SymbolKind::none) return e_.symbol(ref);
    if (name == "inf") return e_.number(std::numeric_limits<double>::infinity());
    if (name == "true") return e_.number(1);
    if (name == "false") return e_.number(0);
    unknown_name(name, place);
    return e_.number(not_set);
  }

  void unknown_name(std::string_view name, Span place) {
    failed_ = true;
    std::string hint;
    if (names_.why) hint = names_.why(name);
    if (hint.empty()) {
      if (std::string nearest = nearest_name(name, names_.all()); !nearest.empty())
        hint = "did you mean '" + nearest + "'?";
    }
    file_.error(place, "nothing is called '" + std::string(name) + "'", hint);
  }

  ExprId call(std::string_view name, Span place, std::size_t open) {
    std::vector<ExprId> arguments;
    if (!accept(")")) {
      do arguments.push_back(logic());
      while (accept(","));
      close(open);
    }
    auto function = function_of(name, version_);
    if (!function) {
      std::vector<std::string> known;
      for (const PetabFunction& f : functions) known.emplace_back(f.name);
      std::string nearest = nearest_name(name, known);
      fail(place, "there is no function '" + std::string(name) + "' in PEtab",
           nearest.empty() ? "" : "did you mean '" + nearest + "'?");
    }
    int count = static_cast<int>(arguments.size());
    if (count < function->least || (function->most >= 0 && count > function->most))
      fail(place, "'" + std::string(name) + "' takes " +
                      count_text(function->least, function->most) + ", not " +
                      std::to_string(count));
    if (function->name == "piecewise" && count % 2 == 0)
      fail(place, "the last value of 'piecewise' is missing",
           "it takes value, condition, ..., otherwise");
    if (function->name == "log2") arguments.push_back(e_.number(2));
    if ((function->name == "log" || function->name == "log2") && arguments.size() == 2)
      return binary(Op::div, e_.apply(Op::ln, arguments[0]), e_.apply(Op::ln, arguments[1]));
    return apply_builtin(*builtin_named(function->meant), arguments, {}, e_);
  }

  std::string_view text_;
  std::uint32_t base_;
  PetabVersion version_;
  const MathNames& names_;
  PetabFile& file_;
  Expressions& e_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

ExprId read_petab_math(const Cell& cell, PetabVersion version, const MathNames& names,
                       PetabFile& file, Expressions& expressions) {
  return MathParser(cell, version, names, file, expressions).formula();
}

std::vector<std::string> names_in_math(std::string_view formula) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < formula.size();) {
    if (is_digit(formula[i])) {  // so that the e of 1e5 is no name
      while (i < formula.size() && (is_digit(formula[i]) || is_letter(formula[i]))) ++i;
    } else if (is_letter(formula[i])) {
      std::size_t begin = i;
      while (i < formula.size() && (is_digit(formula[i]) || is_letter(formula[i]))) ++i;
      std::size_t after = formula.find_first_not_of(" \t", i);
      if (after == std::string_view::npos || formula[after] != '(')
        names.emplace_back(formula.substr(begin, i - begin));
    } else {
      ++i;
    }
  }
  return names;
}

bool is_reserved_in_petab(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (std::string_view word : {"true", "false", "inf", "time", "nan"})
    if (lower == word) return true;
  return std::any_of(functions.begin(), functions.end(),
                     [&](const PetabFunction& f) { return f.name == lower; });
}

}  // namespace stiffit::internal
