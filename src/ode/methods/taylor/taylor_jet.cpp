// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/taylor/taylor_jet.h"

#include <mutex>
#include <stdexcept>

#include "ode/lanes/fused_step.h"
#include "ode/methods/taylor/taylor_recurrence.h"

namespace stiffit::internal {

int TaylorJet::stride(int states, int lanes) { return FusedStep::stage_stride(states, lanes); }

std::string taylor_refusal(const Program& program) {
  if (program.inputs > 0) return "cannot follow delays";
  if (!program.tapes)
    return "needs the equations themselves, and fewer of them: it makes code of their terms";
  if (const auto function = taylor_obstacle(program.tapes->rhs))
    return "has no recurrence for '" + std::string(name_of(*function)) + "'";
  return {};
}

Kernel taylor_jet(const std::shared_ptr<const Program>& program, int order) {
  Program::MadeLater& made = *program->made_later;
  std::lock_guard lock(made.mutex);
  Kernel& kernel = made.series[order];
  if (kernel) return kernel;
  const Tape tape = write_taylor_tape(program->tapes->rhs, program->states,
                                      TaylorJet::stride(program->states, program->lanes), order);
  return kernel = make_kernel(tape, program->lanes, program->isa);
}

}  // namespace stiffit::internal
