// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "base/markup.h"
#include "io/latex/typeset_notation.h"

namespace stiffit::internal {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 33> greek{{
    {"alpha", "α"},  {"beta", "β"},   {"gamma", "γ"}, {"delta", "δ"},   {"epsilon", "ε"},
    {"zeta", "ζ"},   {"eta", "η"},    {"theta", "θ"}, {"iota", "ι"},    {"kappa", "κ"},
    {"lambda", "λ"}, {"mu", "μ"},     {"nu", "ν"},    {"xi", "ξ"},      {"pi", "π"},
    {"rho", "ρ"},    {"sigma", "σ"},  {"tau", "τ"},   {"upsilon", "υ"}, {"phi", "φ"},
    {"chi", "χ"},    {"psi", "ψ"},    {"omega", "ω"}, {"Gamma", "Γ"},   {"Delta", "Δ"},
    {"Theta", "Θ"},  {"Lambda", "Λ"}, {"Xi", "Ξ"},    {"Pi", "Π"},      {"Sigma", "Σ"},
    {"Phi", "Φ"},    {"Psi", "Ψ"},    {"Omega", "Ω"},
}};

std::string verbatim(std::string_view text) { return "<mi>" + escape_markup(text) + "</mi>"; }

std::string word(std::string_view text) {
  for (const auto& [name, sign] : greek)
    if (name == text) return "<mi>" + std::string(sign) + "</mi>";
  return verbatim(text);
}

std::string digits(std::string_view text) { return "<mn>" + std::string(text) + "</mn>"; }

std::string rate(const std::string& reaction, const std::string&) {
  return "<msub><mi>v</mi>" + verbatim(reaction) + "</msub>";
}

std::string_view sign(Op op) {
  switch (op) {
    case Op::logical_or:
      return "<mo>∨</mo>";
    case Op::logical_xor:
      return "<mo>⊕</mo>";
    case Op::implies:
      return "<mo>⇒</mo>";
    case Op::logical_and:
      return "<mo>∧</mo>";
    case Op::lt:
      return "<mo>&lt;</mo>";
    case Op::le:
      return "<mo>≤</mo>";
    case Op::gt:
      return "<mo>&gt;</mo>";
    case Op::ge:
      return "<mo>≥</mo>";
    case Op::eq:
      return "<mo>=</mo>";
    case Op::ne:
      return "<mo>≠</mo>";
    case Op::add:
      return "<mo>+</mo>";
    case Op::sub:
      return "<mo>−</mo>";
    default:
      return "<mo>·</mo>";
  }
}

std::string function(Op op) { return "<mi>" + std::string(name_of(op)) + "</mi>"; }

TypesetForm form(Op op) {
  switch (op) {
    case Op::neg:
      return {"<mo>−</mo>", "", ""};
    case Op::div:
      return {"<mfrac><mrow>", "</mrow><mrow>", "</mrow></mfrac>"};
    case Op::pow:
      return {"<msup><mrow>", "</mrow><mrow>", "</mrow></msup>"};
    case Op::sqrt:
      return {"<msqrt><mrow>", "", "</mrow></msqrt>"};
    case Op::exp:
      return {"<msup><mi>e</mi><mrow>", "", "</mrow></msup>"};
    case Op::abs:
      return {"<mrow><mo>|</mo><mrow>", "", "</mrow><mo>|</mo></mrow>"};
    case Op::floor:
      return {"<mrow><mo>⌊</mo><mrow>", "", "</mrow><mo>⌋</mo></mrow>"};
    case Op::ceil:
      return {"<mrow><mo>⌈</mo><mrow>", "", "</mrow><mo>⌉</mo></mrow>"};
    case Op::factorial:
      return {"", "", "<mo>!</mo>"};
    case Op::logical_not:
      return {"<mo>¬</mo>", "", ""};
    case Op::rate_of:
      return {"<mfrac><mrow><mi>d</mi>", "", "</mrow><mrow><mi>d</mi><mi>t</mi></mrow></mfrac>"};
    default:
      return {};
  }
}

}  // namespace

const TypesetNotation mathml_notation{
    .word = word,
    .verbatim = verbatim,
    .digits = digits,
    .rate = rate,
    .subscript = {"<msub>", "", "</msub>"},
    .power_of_ten = {"<msup>", "<mrow>", "</mrow></msup>"},
    .minus = "<mo>−</mo>",
    .dot = "<mo>·</mo>",
    .undefined = "<mtext>undefined</mtext>",
    .infinity = "<mi>∞</mi>",
    .time = "<mi>t</mi>",
    .sign = sign,
    .function = function,
    .form = form,
    .times = "<mspace width=\"0.17em\"/>",
    .opening = "<mrow><mo>(</mo>",
    .closing = "<mo>)</mo></mrow>",
    .comma = "<mo>,</mo>",
    .call = {"<mrow>", "<mo>\u2061</mo>", "</mrow>"},  // function application
    .row = {"<mrow>", "", "</mrow>"},
    .cases = {"<mrow><mo>{</mo><mtable>", "", "</mtable></mrow>"},
    .piece = {"<mtr><mtd><mrow>", "</mrow></mtd><mtd><mtext>if </mtext><mrow>",
              "</mrow></mtd></mtr>"},
    .otherwise = {"<mtr><mtd><mrow>", "", "</mrow></mtd><mtd><mtext>otherwise</mtext></mtd></mtr>"},
    .leading_minus = "<mo>−</mo>",
    .line_break = "",
    .factored = {"<mrow><mo>(</mo>", "", "<mo>)</mo></mrow>"},
    .reciprocal = {"<mfrac><mn>1</mn>", "", "</mfrac>"},
};

}  // namespace stiffit::internal
