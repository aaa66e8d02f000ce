// SPDX-License-Identifier: Apache-2.0
#include "io/sbml/write_sbml.h"

#include <gtest/gtest.h>
#include <sbml/SBMLTypes.h>

#include "base/diagnostic.h"
#include "io/text/read_text.h"
#include "io/written/exact_numbers.h"

namespace stiffit::internal {
namespace {

std::string sbml_of(const std::string& text) {
  auto source = std::make_shared<const Source>("m.rxn", text);
  Diagnostics diagnostics(source);
  auto model = read_text(source, diagnostics);
  if (!model) throw InputError(render(diagnostics));
  return write_sbml(*model).text;
}

// Other tools must accept it too: libSBML's own validation finds no error.
class ValidSbml : public testing::TestWithParam<const char*> {};

TEST_P(ValidSbml, HasNoErrors) {
  std::string text = sbml_of(GetParam());
  std::unique_ptr<SBMLDocument> document(readSBMLFromString(text.c_str()));
  document->setConsistencyChecks(LIBSBML_CAT_UNITS_CONSISTENCY, false);
  document->setConsistencyChecks(LIBSBML_CAT_MODELING_PRACTICE, false);
  document->checkConsistency();
  for (unsigned i = 0; i < document->getNumErrors(); ++i)
    EXPECT_LT(document->getError(i)->getSeverity(), static_cast<unsigned>(LIBSBML_SEV_ERROR))
        << document->getError(i)->getMessage() << text;
}

INSTANTIATE_TEST_SUITE_P(
    WriteSbml, ValidSbml,
    testing::Values(
        "model m\nm := 2*time; species A = m; A -> ; 0.1*A\nend",  // the model's id is taken
        "var compartment c = 2; c' = 0.1; species A in c = 4/c, $X in c; X := A + 1; substanceOnly "
        "species B in c = 1\nn = 2; n A -> n B; k*A\nJ: m B -> ; k*B\nm := 1 + time; k = l/2; l = "
        "3",
        "function f(x, y)\n piecewise(x, x > y && y > 0, sign(y))\nend\nA = 1; A -> ; f(A, 0.3)\n"
        "x := sqrt(A) + log10(A) + max(A, 2, 3) + delay(A, 1) + rateOf(A) + quotient(7, 2)\n"
        "E: at 2*A after (A < 0.5 || time > 3), priority = 2, t0 = false, persistent = false: A = "
        "1",
        "var z; 0 = z + z^3 - A; A = 1; A -> ; 0.1*A"));

TEST(WriteSbml, FastReactionsTakeVersionOne) {
  std::string plain = "J: A -> B; 2*A - B\nA = 1; B = 0\n";
  EXPECT_NE(sbml_of(plain).find("level3/version2/core"), std::string::npos);
  std::string fast = sbml_of(plain + "#: fast J\n");
  EXPECT_NE(fast.find("level3/version1/core"), std::string::npos);
  EXPECT_NE(fast.find("fast=\"true\""), std::string::npos);
}

TEST(ExactNumbers, StandInsAreReplacedAndOthersLeft) {
  ExactNumbers numbers;
  EXPECT_EQ(numbers.in_attribute(0.1), 0.1);
  EXPECT_EQ(numbers.in_attribute(1e-7), 1e-7);
  double first = numbers.in_attribute(0.1 + 0.2), second = numbers.in_math(-1e-7);
  char text[200];
  std::snprintf(text, sizeof text, "a=%.15g, b=%.15g, c=900000.5, d=900000.000000997", first,
                second);
  EXPECT_EQ(numbers.restore(text),
            "a=0.30000000000000004, b=-0.0000001, c=900000.5, d=900000.000000997");
}

}  // namespace
}  // namespace stiffit::internal
