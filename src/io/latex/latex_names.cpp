// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "base/number.h"
#include "io/latex/latex_expression.h"

namespace stiffit {
namespace {

constexpr std::array<std::string_view, 33> greek_letters{
    "alpha",   "beta",   "gamma", "delta", "epsilon", "zeta",  "eta",   "theta", "iota",
    "kappa",   "lambda", "mu",    "nu",    "xi",      "pi",    "rho",   "sigma", "tau",
    "upsilon", "phi",    "chi",   "psi",   "omega",   "Gamma", "Delta", "Theta", "Lambda",
    "Xi",      "Pi",     "Sigma", "Phi",   "Psi",     "Omega"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool all_of(std::string_view text, int (*test)(int)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return test(static_cast<unsigned char>(c)) != 0;
  });
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (std::string_view("_#$%&{}").find(c) != std::string_view::npos)
      (out += '\\') += c;
    else if (c == '\\')
      out += "\\backslash ";
    else if (c == '~')
      out += "\\sim ";
    else if (c == '^')
      out += "\\wedge ";
    else
      out += c;
  }
  return out;
}

std::string letters(std::string_view text) {
  if (std::find(greek_letters.begin(), greek_letters.end(), text) != greek_letters.end())
    return "\\" + std::string(text);
  if (text.size() == 1 && text[0] != '_') return std::string(text);
  return "\\mathit{" + escaped(text) + "}";
}

// Base and subscript, if the id has that shape: k_cat, S1, k_1.
std::string latex_of_name(std::string_view id) {
  std::size_t bar = id.find('_');
  std::string_view base = id, sub;
  if (bar != std::string_view::npos && id.find('_', bar + 1) == std::string_view::npos) {
    base = id.substr(0, bar);
    sub = id.substr(bar + 1);
  } else if (bar == std::string_view::npos) {
    std::size_t end = id.size();
    while (end > 0 && is_digit(id[end - 1])) --end;
    base = id.substr(0, end);
    sub = id.substr(end);
  }
  if (!all_of(base, std::isalpha) || !all_of(sub, std::isalnum)) return letters(id);
  return letters(base) + "_{" + (all_of(sub, std::isdigit) ? std::string(sub) : letters(sub)) + "}";
}

}  // namespace

LatexNames::LatexNames(const Model& model) {
  for (const auto& x : model.compartments) add(x.id);
  for (const auto& x : model.species) add(x.id);
  for (const auto& x : model.parameters) add(x.id);
  for (const auto& x : model.reactions) add(x.id);
  for (const auto& x : model.observables) add(x.id);
  for (const auto& x : model.functions) {
    add(x.id);
    for (const std::string& argument : x.arguments) add(argument);
  }
}

void LatexNames::add(const std::string& id) {
  if (typeset_.contains(id)) return;
  std::string text = latex_of_name(id);
  if (shown_[text]++) text = "\\mathtt{" + escaped(id) + "}";
  typeset_.emplace(id, text);
}

std::string latex_text(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (std::string_view("_#$%&{}").find(c) != std::string_view::npos)
      (out += '\\') += c;
    else if (c == '\\')
      out += "\\textbackslash{}";
    else if (c == '~')
      out += "\\textasciitilde{}";
    else if (c == '^')
      out += "\\textasciicircum{}";
    else
      out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::string latex_number(double value) {
  if (std::isnan(value)) return "\\mathrm{undefined}";
  if (std::isinf(value)) return value > 0 ? "\\infty" : "-\\infty";
  std::string text = format_number(value);
  std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::string mantissa = text.substr(0, e), exponent = text.substr(e + 1);
  if (exponent[0] == '+') exponent.erase(0, 1);
  bool negative = exponent[0] == '-';
  exponent.erase(0, std::min(exponent.find_first_not_of("-0"), exponent.size() - 1));
  std::string power = "10^{" + std::string(negative ? "-" : "") + exponent + "}";
  if (mantissa == "1") return power;
  if (mantissa == "-1") return "-" + power;
  return mantissa + " \\cdot " + power;
}

}  // namespace stiffit
