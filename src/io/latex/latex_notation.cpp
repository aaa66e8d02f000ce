// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "io/latex/typeset_notation.h"

namespace stiffit::internal {
namespace {

constexpr std::array<std::string_view, 33> greek{
    "alpha",   "beta",   "gamma", "delta", "epsilon", "zeta",  "eta",   "theta", "iota",
    "kappa",   "lambda", "mu",    "nu",    "xi",      "pi",    "rho",   "sigma", "tau",
    "upsilon", "phi",    "chi",   "psi",   "omega",   "Gamma", "Delta", "Theta", "Lambda",
    "Xi",      "Pi",     "Sigma", "Phi",   "Psi",     "Omega"};

struct Escapes {
  std::string_view backslash, tilde, caret;
};

std::string escaped(std::string_view text, const Escapes& escapes) {
  std::string out;
  for (char c : text) {
    if (std::string_view("_#$%&{}").find(c) != std::string_view::npos)
      (out += '\\') += c;
    else if (c == '\\')
      out += escapes.backslash;
    else if (c == '~')
      out += escapes.tilde;
    else if (c == '^')
      out += escapes.caret;
    else
      out += c;
  }
  return out;
}

constexpr Escapes in_formulas{"\\backslash ", "\\sim ", "\\wedge "};
constexpr Escapes in_text{"\\textbackslash{}", "\\textasciitilde{}", "\\textasciicircum{}"};

std::string word(std::string_view text) {
  if (std::find(greek.begin(), greek.end(), text) != greek.end()) return "\\" + std::string(text);
  if (text.size() == 1 && text[0] != '_') return std::string(text);
  return "\\mathit{" + escaped(text, in_formulas) + "}";
}

std::string verbatim(std::string_view text) {
  return "\\mathtt{" + escaped(text, in_formulas) + "}";
}

std::string digits(std::string_view text) { return std::string(text); }

std::string rate(const std::string&, const std::string& typeset) { return "v_{" + typeset + "}"; }

std::string_view sign(Op op) {
  switch (op) {
    case Op::logical_or:
      return " \\lor ";
    case Op::logical_xor:
      return " \\oplus ";
    case Op::implies:
      return " \\Rightarrow ";
    case Op::logical_and:
      return " \\land ";
    case Op::lt:
      return " < ";
    case Op::le:
      return " \\le ";
    case Op::gt:
      return " > ";
    case Op::ge:
      return " \\ge ";
    case Op::eq:
      return " = ";
    case Op::ne:
      return " \\ne ";
    case Op::add:
      return " + ";
    case Op::sub:
      return " - ";
    default:
      return " \\cdot ";
  }
}

std::string function(Op op) {
  switch (op) {
    case Op::exp:
    case Op::ln:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::sec:
    case Op::csc:
    case Op::cot:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
    case Op::coth:
    case Op::min:
    case Op::max:
      return "\\" + std::string(name_of(op));
    case Op::asin:
      return "\\arcsin";
    case Op::acos:
      return "\\arccos";
    case Op::atan:
      return "\\arctan";
    case Op::log10:
      return "\\log_{10}";
    default:
      return "\\operatorname{" + std::string(name_of(op)) + "}";
  }
}

TypesetForm form(Op op) {
  switch (op) {
    case Op::neg:
      return {"-", "", ""};
    case Op::div:
      return {"\\frac{", "}{", "}"};
    case Op::pow:
      return {"", "^{", "}"};
    case Op::sqrt:
      return {"\\sqrt{", "", "}"};
    case Op::abs:
      return {"\\left|", "", "\\right|"};
    case Op::floor:
      return {"\\left\\lfloor ", "", "\\right\\rfloor "};
    case Op::ceil:
      return {"\\left\\lceil ", "", "\\right\\rceil "};
    case Op::factorial:
      return {"", "", "!"};
    case Op::logical_not:
      return {"\\lnot ", "", ""};
    case Op::rate_of:
      return {"\\frac{d ", "", "}{dt}"};
    default:
      return {};
  }
}

}  // namespace

const TypesetNotation latex_notation{
    .word = word,
    .verbatim = verbatim,
    .digits = digits,
    .rate = rate,
    .subscript = {"", "_{", "}"},
    .power_of_ten = {"", "^{", "}"},
    .minus = "-",
    .dot = " \\cdot ",
    .undefined = "\\mathrm{undefined}",
    .infinity = "\\infty",
    .time = "t",
    .sign = sign,
    .function = function,
    .form = form,
    .times = " \\, ",
    .opening = "\\left(",
    .closing = "\\right)",
    .comma = ", ",
    .call = {},
    .row = {},
    .cases = {"\\begin{cases}", "", "\\end{cases}"},
    .piece = {"", " & \\text{if } ", " \\\\ "},
    .otherwise = {"", "", " & \\text{otherwise}"},
    .leading_minus = "- ",
    .line_break = " \\\\\n    &\\quad ",
    .factored = {" \\bigl(", "", "\\bigr)"},
    .reciprocal = {"\\frac{1}{", "", "}"},
};

std::string latex_text(std::string_view text) {
  std::string out = escaped(text, in_text);
  for (char& c : out)
    if (c == '\n' || c == '\r') c = ' ';
  return out;
}

}  // namespace stiffit::internal
