// SPDX-License-Identifier: Apache-2.0
#include "compile/machine/register_file.h"

#if defined(__x86_64__)

#include <bit>

namespace stiffit::internal {

RegisterFile::RegisterFile(Machine& machine, const EmitPlan& plan)
    : machine_(machine), state_(plan.code.size()) {
  all_ = machine.registers() == 32 ? ~0u : 0xffffu;
  free_ = all_;
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
std::uint64_t RegisterFile::distance(std::uint32_t next, bool has_home) const {
  return std::uint64_t{next - now_} * (has_home ? 3 : 1);
}

std::uint64_t RegisterFile::distance_of(int reg) const {
  return distance(next_[reg], (homed_ >> reg & 1u) != 0);
}

int RegisterFile::victim() const {
  int best = -1;
  std::uint64_t furthest = 0;
  std::uint32_t candidates = all_ & ~(free_ | pinned_ | temporaries_);
  for (; candidates != 0; candidates &= candidates - 1) {
    const int reg = std::countr_zero(candidates);
    if (const std::uint64_t far = distance_of(reg); far >= furthest) {
      furthest = far;
      best = reg;
    }
  }
  return best;
}

void RegisterFile::place(Value value, int reg, std::uint32_t next) {
  State& state = state_[value];
  state.reg = static_cast<std::int8_t>(reg);
  holds_[reg] = value;
  next_[reg] = next;
  homed_ &= ~(1u << reg);
  if (state.home != Home::none) homed_ |= 1u << reg;
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
  homed_ |= 1u << state.reg;
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
    place(value, reg, now_);  // release() tells the next use
  }
  pinned_ |= 1u << state.reg;
  return state.reg;
}

int RegisterFile::temporary() {
  const int reg = free_register();
  temporaries_ |= 1u << reg;
  return reg;
}

bool RegisterFile::better_in_memory(std::uint32_t next) const {
  if (next == no_use) return true;
  if (free_ != 0) return false;
  return distance(next, true) >= distance_of(victim());
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
    if (planned.next[k] != no_use) {
      if (state.reg >= 0) next_[state.reg] = planned.next[k];
      continue;
    }
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
  place(value, reg, first_use);
}

void RegisterFile::save_for_call(const PlannedInstruction& planned) {
  for (int k = 0; k < planned.operands; ++k)
    if (const int reg = state_[planned.value[k]].reg; reg >= 0) next_[reg] = planned.next[k];
  for (std::uint32_t used = all_ & ~(free_ | homed_); used != 0; used &= used - 1) {
    const int reg = std::countr_zero(used);
    if (next_[reg] != no_use) spill(holds_[reg]);
  }
}

void RegisterFile::forget_registers() {
  for (std::uint32_t used = all_ & ~free_; used != 0; used &= used - 1)
    state_[holds_[std::countr_zero(used)]].reg = -1;
  free_ = all_;
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
  if (state.reg >= 0) homed_ |= 1u << state.reg;
}

}  // namespace stiffit::internal

#endif
