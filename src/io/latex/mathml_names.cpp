// SPDX-License-Identifier: Apache-2.0
#include "io/latex/mathml_names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/markup.h"
#include "base/number.h"

namespace stiffit {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 33> greek_signs{{
    {"alpha", "α"},  {"beta", "β"},   {"gamma", "γ"}, {"delta", "δ"},   {"epsilon", "ε"},
    {"zeta", "ζ"},   {"eta", "η"},    {"theta", "θ"}, {"iota", "ι"},    {"kappa", "κ"},
    {"lambda", "λ"}, {"mu", "μ"},     {"nu", "ν"},    {"xi", "ξ"},      {"pi", "π"},
    {"rho", "ρ"},    {"sigma", "σ"},  {"tau", "τ"},   {"upsilon", "υ"}, {"phi", "φ"},
    {"chi", "χ"},    {"psi", "ψ"},    {"omega", "ω"}, {"Gamma", "Γ"},   {"Delta", "Δ"},
    {"Theta", "Θ"},  {"Lambda", "Λ"}, {"Xi", "Ξ"},    {"Pi", "Π"},      {"Sigma", "Σ"},
    {"Phi", "Φ"},    {"Psi", "Ψ"},    {"Omega", "Ω"},
}};

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool digit(char c) { return c >= '0' && c <= '9'; }

std::string identifier(std::string_view text) {
  for (const auto& [word, sign] : greek_signs)
    if (word == text) return "<mi>" + std::string(sign) + "</mi>";
  return "<mi>" + escape_markup(text) + "</mi>";
}

std::string mathml_of_name(std::string_view id) {
  // One underscore, or digits at the end, make a subscript.
  std::size_t end = id.find('_');
  std::size_t begin = end;
  if (end == std::string_view::npos) {
    end = id.size();
    while (end > 0 && digit(id[end - 1])) --end;
    begin = end;
  } else {
    begin = end + 1;
  }
  const std::string_view base = id.substr(0, end);
  const std::string_view sub = begin < id.size() ? id.substr(begin) : std::string_view();
  const bool plain =
      !base.empty() && !sub.empty() && std::all_of(base.begin(), base.end(), letter) &&
      std::all_of(sub.begin(), sub.end(), [](char c) { return letter(c) || digit(c); });
  if (!plain) return identifier(id);
  const bool number = std::all_of(sub.begin(), sub.end(), digit);
  return "<msub>" + identifier(base) +
         (number ? "<mn>" + std::string(sub) + "</mn>" : identifier(sub)) + "</msub>";
}

}  // namespace

MathmlNames::MathmlNames(const Model& model) {
  for (const std::string& id : model.all_ids()) add(id);
  for (const Function& f : model.functions) {
    add(f.id);
    for (const std::string& argument : f.arguments) add(argument);
  }
}

void MathmlNames::add(const std::string& id) {
  if (typeset_.contains(id)) return;
  std::string text = mathml_of_name(id);
  if (!taken_.insert(text).second) text = "<mi>" + escape_markup(id) + "</mi>";
  typeset_.emplace(id, std::move(text));
}

std::string mathml_number(double value) {
  if (std::isnan(value)) return "<mtext>undefined</mtext>";
  if (std::isinf(value)) return value > 0 ? "<mi>∞</mi>" : "<mo>−</mo><mi>∞</mi>";
  std::string text = format_number(std::fabs(value));
  std::string out = std::signbit(value) ? "<mo>−</mo>" : "";
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return out + "<mn>" + text + "</mn>";
  std::string power = text.substr(e + 1);
  const bool negative = power[0] == '-';
  power.erase(0, std::min(power.find_first_not_of("+-0"), power.size() - 1));
  if (text.substr(0, e) != "1") out += "<mn>" + text.substr(0, e) + "</mn><mo>·</mo>";
  return out + "<msup><mn>10</mn><mrow>" + (negative ? "<mo>−</mo>" : "") + "<mn>" + power +
         "</mn></mrow></msup>";
}

std::string mathml_rate(std::string_view reaction) {
  return "<msub><mi>v</mi><mi>" + escape_markup(reaction) + "</mi></msub>";
}

}  // namespace stiffit
