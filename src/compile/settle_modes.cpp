// SPDX-License-Identifier: Apache-2.0
#include "compile/settle_modes.h"

namespace stiffit::internal {

bool settle_modes(const Program& program, double time, double* states, double* parameters,
                  double* roots) {
  if (program.modes == 0) return false;
  const HybridProgram& hybrid = *program.hybrid;
  double* arrays[4] = {&time, states, parameters, roots};
  double* prepared[1] = {parameters};
  bool any = false;
  // A root may hold other modes, made before it: one round per depth settles them.
  for (std::size_t round = 0; round <= hybrid.modes.size(); ++round) {
    hybrid.roots(arrays);
    bool changed = false;
    for (std::size_t k = 0; k < hybrid.modes.size(); ++k) {
      const Mode& mode = hybrid.modes[k];
      const double value = mode.held ? 0 : mode_value(mode.kind, roots[k]);
      double& slot = parameters[static_cast<std::size_t>(program.parameters) + k];
      changed |= slot != value;
      slot = value;
    }
    if (!changed) break;
    any = true;
    hybrid.prepare(prepared);
  }
  return any;
}

}  // namespace stiffit::internal
