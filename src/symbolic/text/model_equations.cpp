// SPDX-License-Identifier: Apache-2.0
#include "symbolic/text/model_equations.h"

#include "symbolic/moieties.h"
#include "symbolic/text/expression_text.h"

namespace stiffit::internal {

ModelEquations model_equations(const std::shared_ptr<const Model>& model) {
  ResolvedSystem resolved = resolve(model);
  System& system = resolved.system;
  ModelEquations equations;
  const Sparsity pattern = jacobian(system).pattern;
  equations.size = pattern.n;
  equations.nonzeros = static_cast<std::size_t>(pattern.nonzeros());
  for (const Moiety& moiety : conserved_moieties(system))
    equations.conserved.push_back(moiety_text(*model, system, moiety));
  for (std::size_t i = 0; i < system.states.size(); ++i)
    equations.rows.push_back(
        {state_text(*model, system.states[i]), expression_text(*model, system, system.rhs[i])});
  return equations;
}

}  // namespace stiffit::internal
