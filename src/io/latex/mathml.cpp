// SPDX-License-Identifier: Apache-2.0
#include "io/latex/mathml.h"

namespace stiffit::internal {

std::vector<TypesetEquation> typeset_equations(const Model& model, std::size_t most,
                                               std::size_t longest) {
  const Typesetter typesetter(model, mathml_notation);
  std::vector<TypesetEquation> result;
  for (EquationSides& e :
       equations_of(typesetter, {most, longest, "<mtext>(too long to be shown)</mtext>"})) {
    if (e.right.empty()) e.right = "<mtext>no rate law</mtext>";
    result.push_back(
        {e.kind, std::move(e.name),
         "<math display=\"block\"><mrow>" + e.left + "<mo>=</mo>" + e.right + "</mrow></math>"});
  }
  return result;
}

}  // namespace stiffit::internal
