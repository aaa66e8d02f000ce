// SPDX-License-Identifier: Apache-2.0
#include "io/latex/write_latex.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "io/text/read_text.h"

namespace stiffit::internal {
namespace {

std::string latex_of(const std::string& text) {
  auto source = std::make_shared<const Source>("m.rxn", text);
  Diagnostics diagnostics(source);
  auto model = read_text(source, diagnostics);
  if (!model) throw InputError(render(diagnostics));
  return write_latex(*model).text;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(WriteLatex, EquationsRatesAndValues) {
  std::string text = latex_of(
      "#: title 50% of A_1 & B\ncompartment c = 2; species A1 in c = 4/c, B in c = 1e-7\n"
      "bind: 2 A1 -> B; c*(alpha*A1^2 - k_off*B/(1 + B))\nalpha = 3; k_off = 2.5e20\n");
  for (const char* part :
       {"\\section*{50\\% of A\\_1 \\& B}",
        "\\frac{d A_{1}}{dt} &= \\frac{1}{c} \\bigl(- 2 \\, v_{\\mathit{bind}}\\bigr) \\\\",
        "\\frac{d B}{dt} &= \\frac{1}{c} \\bigl(v_{\\mathit{bind}}\\bigr)",
        "v_{\\mathit{bind}} &= c \\, \\left(\\alpha \\, A_{1}^{2} - \\frac{k_{\\mathit{off}} \\, "
        "B}{1 "
        "+ B}\\right)",
        "A_{1}(0) &= 4 / c", "B(0) &= 10^{-7}", "k_{\\mathit{off}} &= 2.5 \\cdot 10^{20}"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST(WriteLatex, RulesEventsAndPieces) {
  std::string text = latex_of(
      "function f(x)\n x^2\nend\nx = 1; x' = -f(x) + y; y := piecewise(1, time < 3, 0)\n"
      "at 2 after (x < 0.5 && time > 1): x = x + 1\nvar z; 0 = z - sqrt(x)\n");
  for (const char* part :
       {"\\frac{d x}{dt} &= -f\\left(x\\right) + y",
        "y &= \\begin{cases}1 & \\text{if } t < 3 \\\\ 0 & \\text{otherwise}\\end{cases}",
        "0 &= z - \\sqrt{x}", "f\\left(x\\right) &= x^{2}",
        "\\text{when } x < 0.5 \\land t > 1 \\text{, after } 2: & \\quad x \\leftarrow x + 1"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

// A number with a power of ten is a product: LaTeX refuses a second superscript.
TEST(WriteLatex, PowersOfTen) {
  std::string text = latex_of("x' = 1e5^2 + k*1e5 + 2.5e-7^k; x = 1; k = 2\n");
  for (const char* part :
       {"\\left(10^{5}\\right)^{2} + k \\cdot 10^{5}", "\\left(2.5 \\cdot 10^{-7}\\right)^{k}"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST(WriteLatex, TwoIdsNeverLookTheSame) {
  std::string text = latex_of("k1 = 1; k_1 = 2; A = 1; A -> ; k1*A + k_1");
  EXPECT_TRUE(contains(text, "k_{1} \\, A + \\mathtt{k\\_1}")) << text;
}

// Braces and \left \right pairs match, whatever the model.
TEST(WriteLatex, BracketsMatch) {
  std::string text = latex_of(
      "x_y_z = 1; A = 1; A -> ; A^(x_y_z + 1)/abs(A - 2) + floor(A)!= 3\n"
      "at (A > 1 || A < 0): A = exp(-A)/(1 + A)\n");
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      continue;
    }
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    ASSERT_GE(depth, 0);
  }
  EXPECT_EQ(depth, 0);
  auto count = [&](const std::string& word) {
    int n = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("\\left(") + count("\\left|") + count("\\left\\"),
            count("\\right)") + count("\\right|") + count("\\right\\"));
}

}  // namespace
}  // namespace stiffit::internal
