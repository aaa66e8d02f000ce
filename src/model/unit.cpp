// SPDX-License-Identifier: Apache-2.0
#include "model/unit.h"

#include <charconv>
#include <cmath>

#include "base/number.h"

namespace stiffit::internal {
namespace {

// Built from decimal powers, factors differ in their last digits only.
bool near(double a, double b) { return std::fabs(a - b) <= 1e-9 * std::fmax(std::fabs(a), 1.0); }

struct BuiltIn {
  std::string_view name;
  double factor;
  // m, kg, s, A, K, mol, cd, item
  std::array<double, Unit::dimensions> exponents;
};

// SBML Level 3 Version 1 Core, Table 2; the derived ones as the SI defines them.
constexpr BuiltIn built_ins[] = {
    {"ampere", 1, {0, 0, 0, 1}},
    {"avogadro", 6.02214179e23, {}},
    {"becquerel", 1, {0, 0, -1}},
    {"candela", 1, {0, 0, 0, 0, 0, 0, 1}},
    {"coulomb", 1, {0, 0, 1, 1}},
    {"dimensionless", 1, {}},
    {"farad", 1, {-2, -1, 4, 2}},
    {"gram", 1e-3, {0, 1}},
    {"gray", 1, {2, 0, -2}},
    {"henry", 1, {2, 1, -2, -2}},
    {"hertz", 1, {0, 0, -1}},
    {"item", 1, {0, 0, 0, 0, 0, 0, 0, 1}},
    {"joule", 1, {2, 1, -2}},
    {"katal", 1, {0, 0, -1, 0, 0, 1}},
    {"kelvin", 1, {0, 0, 0, 0, 1}},
    {"kilogram", 1, {0, 1}},
    {"liter", 1e-3, {3}},
    {"litre", 1e-3, {3}},
    {"lumen", 1, {0, 0, 0, 0, 0, 0, 1}},
    {"lux", 1, {-2, 0, 0, 0, 0, 0, 1}},
    {"meter", 1, {1}},
    {"metre", 1, {1}},
    {"mole", 1, {0, 0, 0, 0, 0, 1}},
    {"newton", 1, {1, 1, -2}},
    {"ohm", 1, {2, 1, -3, -2}},
    {"pascal", 1, {-1, 1, -2}},
    {"radian", 1, {}},
    {"second", 1, {0, 0, 1}},
    {"siemens", 1, {-2, -1, 3, 2}},
    {"sievert", 1, {2, 0, -2}},
    {"steradian", 1, {}},
    {"tesla", 1, {0, 1, -2, -1}},
    {"volt", 1, {2, 1, -3, -1}},
    {"watt", 1, {2, 1, -3}},
    {"weber", 1, {2, 1, -2, -1}},
};

}  // namespace

Unit operator*(const Unit& a, const Unit& b) {
  Unit result{a.factor * b.factor, a.exponents};
  for (std::size_t i = 0; i < Unit::dimensions; ++i) result.exponents[i] += b.exponents[i];
  return result;
}

Unit operator/(const Unit& a, const Unit& b) {
  Unit result{a.factor / b.factor, a.exponents};
  for (std::size_t i = 0; i < Unit::dimensions; ++i) result.exponents[i] -= b.exponents[i];
  return result;
}

Unit power(const Unit& unit, double exponent) {
  Unit result{std::pow(unit.factor, exponent), unit.exponents};
  for (double& e : result.exponents) e *= exponent;
  return result;
}

bool same_dimension(const Unit& a, const Unit& b) {
  for (std::size_t i = 0; i < Unit::dimensions; ++i)
    if (!near(a.exponents[i], b.exponents[i])) return false;
  return true;
}

bool same_unit(const Unit& a, const Unit& b) {
  return same_dimension(a, b) && std::fabs(a.factor - b.factor) <= 1e-9 * std::fabs(a.factor);
}

bool is_dimensionless(const Unit& unit) { return same_dimension(unit, {}); }

bool is_usable(const Unit& unit) {
  for (double e : unit.exponents)
    if (!std::isfinite(e)) return false;
  return unit.factor > 0 && std::isfinite(unit.factor);
}

bool is_spatial(const Unit& unit) { return !near(unit.exponents[Unit::length], 0); }

std::optional<Unit> built_in_unit(std::string_view name) {
  for (const BuiltIn& unit : built_ins)
    if (unit.name == name) return Unit{unit.factor, unit.exponents};
  return std::nullopt;
}

namespace {

// 1e-3 is not to appear as 0.0010000000000000002.
double rounded(double value) {
  char digits[32];
  auto [end, code] =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 13);
  static_cast<void>(code);
  return parse_number({digits, static_cast<std::size_t>(end - digits)}).value_or(value);
}

}  // namespace

UnitParts unit_parts(const Unit& unit) {
  std::array<std::string_view, Unit::dimensions> names{"metre",  "gram", "second",  "ampere",
                                                       "kelvin", "mole", "candela", "item"};
  std::array<double, Unit::dimensions> exponents = unit.exponents;
  // Volumes are litres to people of this field.
  if (double cubes = exponents[Unit::length] / 3; cubes != 0 && near(cubes, std::round(cubes))) {
    names[Unit::length] = "litre";
    exponents[Unit::length] = cubes;
  }
  UnitParts parts;
  Unit rest = unit;
  for (std::size_t i : {Unit::substance, Unit::item, Unit::mass, Unit::length, Unit::time,
                        Unit::current, Unit::temperature, Unit::luminosity}) {
    if (near(exponents[i], 0)) continue;
    rest = rest / power(*built_in_unit(names[i]), exponents[i]);
    parts.powers.emplace_back(names[i], rounded(exponents[i]));
  }
  parts.factor = rounded(rest.factor);
  return parts;
}

std::string unit_text(const Unit& unit) {
  const UnitParts parts = unit_parts(unit);
  std::string over, under;
  for (auto [name, exponent] : parts.powers) {
    std::string& to = exponent > 0 ? over : under;
    if (!to.empty()) to += '*';
    to += name;
    if (std::fabs(exponent) != 1) to += "^" + format_number(std::fabs(exponent));
  }
  std::string text;
  if (parts.factor != 1) text = format_number(parts.factor);
  if (parts.powers.empty()) return text.empty() ? "dimensionless" : text + " dimensionless";
  if (over.empty() && text.empty()) text = "1";
  if (!over.empty()) text += (text.empty() ? "" : " ") + over;
  if (under.empty()) return text;
  return text + "/" + (under.find('*') == std::string::npos ? under : "(" + under + ")");
}

namespace {

class UnitParser {
 public:
  using Lookup = std::function<std::optional<Unit>(std::string_view)>;
  UnitParser(std::string_view text, const Lookup& lookup) : text_(text), lookup_(lookup) {}

  std::optional<Unit> parse() {
    auto unit = product(0);
    blanks();
    return at_ == text_.size() && unit && is_usable(*unit) ? unit : std::nullopt;
  }

 private:
  static constexpr int deepest = 50;

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  std::optional<Unit> product(int depth) {
    auto left = factor(depth);
    for (;;) {
      blanks();
      char sign = peek();
      if (!left || (sign != '*' && sign != '/')) return left;
      ++at_;
      auto right = factor(depth);
      if (!right) return right;
      left = sign == '*' ? *left * *right : *left / *right;
    }
  }

  // A number, a number and a name, a name, or something in parentheses; with its power.
  std::optional<Unit> factor(int depth) {
    blanks();
    if (is_digit(peek()) || peek() == '.') {
      auto value = number();
      if (!value) return std::nullopt;
      Unit unit = with_power(Unit{*value, {}});
      blanks();
      if (!is_letter(peek())) return unit;
      auto named = name();
      return named ? std::optional(unit * *named) : std::nullopt;
    }
    if (is_letter(peek())) return name();
    if (peek() != '(' || depth == deepest) return std::nullopt;
    ++at_;
    auto inside = product(depth + 1);
    blanks();
    if (!inside || peek() != ')') return std::nullopt;
    ++at_;
    return with_power(*inside);
  }

  std::optional<Unit> name() {
    std::size_t begin = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    auto unit = lookup_(text_.substr(begin, at_ - begin));
    return unit ? std::optional(with_power(*unit)) : std::nullopt;
  }

  std::optional<double> number() {
    std::size_t begin = at_;
    while (is_digit(peek()) || peek() == '.') ++at_;
    if (peek() == 'e' || peek() == 'E') {
      std::size_t mark = at_++;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!is_digit(peek())) at_ = mark;
      while (is_digit(peek())) ++at_;
    }
    return parse_number(text_.substr(begin, at_ - begin));
  }

  Unit with_power(const Unit& unit) {
    blanks();
    if (peek() != '^') return unit;
    ++at_;
    blanks();
    bool parenthesis = peek() == '(';
    if (parenthesis) ++at_;
    blanks();
    double sign = peek() == '-' ? -1 : 1;
    if (peek() == '-' || peek() == '+') ++at_;
    blanks();
    auto exponent = number();
    blanks();
    bool closed = !parenthesis || peek() == ')';
    if (parenthesis && closed) ++at_;
    if (!exponent || !closed) at_ = text_.size() + 1;  // parse() then fails
    return power(unit, sign * exponent.value_or(0));
  }

  std::string_view text_;
  const Lookup& lookup_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Unit> parse_unit(std::string_view text,
                               const std::function<std::optional<Unit>(std::string_view)>& lookup) {
  return UnitParser(text, lookup).parse();
}

}  // namespace stiffit::internal
