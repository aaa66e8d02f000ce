// SPDX-License-Identifier: Apache-2.0
#include "compile/register_file.h"

#if defined(__x86_64__)

#include <bit>

namespace stiffit {

RegisterFile::RegisterFile(Machine& machine, const EmitPlan& plan)
    : machine_(machine), state_(plan.code.size()), holds_(machine.registers()) {
  free_ = machine.registers() == 32 ? ~0u : 0xffffu;
}

void RegisterFile::begin(std::uint32_t instruction) { now_ = instruction; }

void RegisterFile::end() {
  pinned_ = 0;
  free_ |= temporaries_;
  temporaries_ = 0;
  free_slots_.insert(free_slots_.end(), ending_slots_.begin(), ending_slots_.end());
  ending_slots_.clear();
}

void RegisterFile::pin(Value value) {
  if (state_[value].reg >= 0) pinned_ |= 1u << state_[value].reg;
}

// Distance to the next use, stretched for values that need no store.
double RegisterFile::reluctance(Value value, std::uint32_t next) const {
  const double distance = double(next) - double(now_);
  return state_[value].home == Home::none ? distance : 3 * distance;
}

int RegisterFile::victim() const {
  int best = -1;
  double furthest = -1;
  const std::uint32_t candidates = ~(free_ | pinned_ | temporaries_);
  for (int r = 0; r < machine_.registers(); ++r) {
    if ((candidates >> r & 1u) == 0) continue;
    const double far = reluctance(holds_[r], state_[holds_[r]].next);
    if (far > furthest) {
      furthest = far;
      best = r;
    }
  }
  return best;
}

void RegisterFile::spill(Value value) {
  State& state = state_[value];
  std::uint32_t slot;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(slots_++);
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  machine_.store(machine_.slot(static_cast<int>(slot)), state.reg);
  state.home = Home::slot;
  state.a = slot;
}

void RegisterFile::drop(Value value) {
  State& state = state_[value];
  free_ |= 1u << state.reg;
  state.reg = -1;
}

int RegisterFile::free_register() {
  if (free_ == 0) {
    const Value leaving = holds_[victim()];
    if (state_[leaving].home == Home::none) spill(leaving);
    drop(leaving);
  }
  const int reg = std::countr_zero(free_);
  free_ &= free_ - 1;
  return reg;
}

int RegisterFile::fetch(Value value) {
  State& state = state_[value];
  if (state.reg < 0) {
    const int reg = free_register();
    machine_.load(reg, memory(value));
    holds_[reg] = value;
    state.reg = static_cast<std::int8_t>(reg);
  }
  pinned_ |= 1u << state.reg;
  return state.reg;
}

int RegisterFile::temporary() {
  const int reg = free_register();
  temporaries_ |= 1u << reg;
  return reg;
}

bool RegisterFile::better_in_memory(Value value, std::uint32_t next) const {
  if (next == no_use) return true;
  if (free_ != 0) return false;
  const int other = victim();
  return reluctance(value, next) >= reluctance(holds_[other], state_[holds_[other]].next);
}

Machine::Mem RegisterFile::memory(Value value) {
  const State& state = state_[value];
  switch (state.home) {
    case Home::constant:
      return machine_.constant(state.a);
    case Home::element:
      return machine_.element(state.a, state.b);
    default:
      return machine_.slot(static_cast<int>(state.a));
  }
}

void RegisterFile::release(const PlannedInstruction& planned) {
  for (int k = 0; k < planned.operands; ++k) {
    State& state = state_[planned.value[k]];
    state.next = planned.next[k];
    if (state.next != no_use) continue;
    if (state.reg >= 0) drop(planned.value[k]);
    // The slot may still be read by the instruction to come: it is free only after it.
    if (state.home == Home::slot) {
      ending_slots_.push_back(state.a);
      state.home = Home::none;
    }
  }
}

int RegisterFile::define(Value value, std::uint32_t first_use) {
  const int reg = free_register();
  free_ |= 1u << reg;
  define_in(reg, value, first_use);
  return reg;
}

void RegisterFile::define_in(int reg, Value value, std::uint32_t first_use) {
  free_ &= ~(1u << reg);
  pinned_ |= 1u << reg;
  holds_[reg] = value;
  state_[value].reg = static_cast<std::int8_t>(reg);
  state_[value].next = first_use;
}

void RegisterFile::save_for_call(const PlannedInstruction& planned) {
  for (int k = 0; k < planned.operands; ++k) state_[planned.value[k]].next = planned.next[k];
  for (int r = 0; r < machine_.registers(); ++r) {
    if (free_ >> r & 1u) continue;
    const State& state = state_[holds_[r]];
    if (state.next != no_use && state.home == Home::none) spill(holds_[r]);
  }
}

void RegisterFile::forget_registers() {
  const std::uint32_t all = machine_.registers() == 32 ? ~0u : 0xffffu;
  for (int r = 0; r < machine_.registers(); ++r)
    if ((free_ >> r & 1u) == 0) state_[holds_[r]].reg = -1;
  free_ = all;
  pinned_ = 0;
}

void RegisterFile::found_in_constant(Value value, std::uint32_t index) {
  state_[value].home = Home::constant;
  state_[value].a = index;
}

void RegisterFile::found_in_element(Value value, std::uint32_t array, std::uint32_t element) {
  State& state = state_[value];
  state.home = Home::element;
  state.a = array;
  state.b = element;
}

}  // namespace stiffit

#endif
