// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/taylor/taylor_jet.h"

#include <mutex>
#include <stdexcept>

#include "ode/lanes/whole_step.h"
#include "ode/methods/taylor/taylor_recurrence.h"

namespace stiffit {

int TaylorJet::stride(int states, int lanes) { return WholeStep::stage_stride(states, lanes); }

std::string taylor_refusal(const Program& program) {
  if (program.inputs > 0) return "cannot follow delays";
  if (!program.tapes)
    return "needs the equations themselves, and fewer of them: it makes code of their terms";
  if (const auto function = taylor_obstacle(program.tapes->rhs))
    return "has no recurrence for '" + std::string(name_of(*function)) + "'";
  return {};
}

Kernel taylor_jet(const std::shared_ptr<const Program>& program, int order) {
  struct Entry {
    std::weak_ptr<const Program> program;
    int order = 0;
    Kernel kernel;
  };
  constexpr std::size_t most_kept = 16;
  static std::mutex mutex;
  static std::vector<Entry> kept;
  std::lock_guard lock(mutex);
  std::erase_if(kept, [](const Entry& entry) { return entry.program.expired(); });
  for (const Entry& entry : kept)
    if (entry.order == order && entry.program.lock() == program) return entry.kernel;
  const Tape tape = write_taylor_tape(program->tapes->rhs, program->states,
                                      TaylorJet::stride(program->states, program->lanes), order);
  Kernel kernel = make_kernel(tape, program->lanes, program->isa);
  if (kept.size() == most_kept) kept.erase(kept.begin());
  kept.push_back({program, order, kernel});
  return kernel;
}

}  // namespace stiffit
