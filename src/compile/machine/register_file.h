// Which value stands in which vector register, and where it is found when it stands in none.
//
// The furthest-next-use rule picks the victim. A value that memory holds anyway, be it a constant,
// an element read or written, or a spill slot, is dropped without a store, and as reading it again
// is often free (a memory operand) its next use counts as further away than that of others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__x86_64__)

#include <array>
#include <vector>

#include "compile/machine/machine.h"

namespace stiffit::internal {

class RegisterFile {
 public:
  RegisterFile(Machine& machine, const EmitPlan& plan);

  // One instruction goes: begin, operands (pin, in_register, fetch, memory), release, define, end.
  void begin(std::uint32_t instruction);
  bool in_register(Value value) const { return state_[value].reg >= 0; }
  void pin(Value value);   // keeps it where it is until the end, if it is in a register
  int fetch(Value value);  // to a register, pinned
  int temporary();         // a register until the end
  // True if a value in no register, used next at `next`, is better read where it stands.
  bool better_in_memory(std::uint32_t next) const;
  Machine::Mem memory(Value value);
  void release(const PlannedInstruction& planned);                // the operands have had this use
  int define(Value value, std::uint32_t first_use);               // a register for the result
  void define_in(int reg, Value value, std::uint32_t first_use);  // that of a dying operand
  void end();

  // Makes every value that lives on survive a call, then forgets all registers.
  void save_for_call(const PlannedInstruction& planned);
  void forget_registers();
  int register_of(Value value) const { return state_[value].reg; }

  void found_in_constant(Value value, std::uint32_t index);
  void found_in_element(Value value, std::uint32_t array, std::uint32_t element);
  bool has_home(Value value) const { return state_[value].home != Home::none; }
  int slots() const { return slots_; }

 private:
  enum class Home : std::uint8_t { none, constant, element, slot };
  struct State {
    std::int8_t reg = -1;
    Home home = Home::none;
    std::uint32_t a = 0, b = 0;  // constant | array, element | slot
  };
  std::uint64_t distance(std::uint32_t next, bool has_home) const;
  std::uint64_t distance_of(int reg) const;
  void place(Value value, int reg, std::uint32_t next);
  int victim() const;
  int free_register();  // evicts if it must
  void spill(Value value);
  void drop(Value value);

  Machine& machine_;
  std::vector<State> state_;
  std::array<Value, 32> holds_{};         // by register
  std::array<std::uint32_t, 32> next_{};  // the next use of what it holds
  std::uint32_t homed_ = 0;               // registers whose value has a home; here and below, bits
  std::uint32_t all_ = 0, free_ = 0, pinned_ = 0, temporaries_ = 0;
  std::uint32_t now_ = 0;
  std::vector<std::uint32_t> free_slots_, ending_slots_;
  int slots_ = 0;
};

}  // namespace stiffit::internal

#endif
