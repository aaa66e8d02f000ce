// Chooses the machine instructions of each planned instruction and the forms they take.
//
// What NaN and zeros do is what evaluate() does in plain C:
// - min(a, b) is b < a ? b : a, which is VMINPD of (b, a), bit for bit; max likewise;
// - comparisons with NaN are false, except !=; NaN counts as true where a truth is asked;
// - sign(NaN) is NaN, sign(-0) is -0.
// fma, fms and fnma round once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__x86_64__)

#include "compile/machine/register_file.h"

namespace stiffit::internal {

class InstructionSelection {
 public:
  InstructionSelection(Machine& machine, const EmitPlan& plan);
  void emit_all();
  int slots() const { return registers_.slots(); }

 private:
  using Planned = PlannedInstruction;
  void emit_one(Value value, const Planned& planned);
  void load(Value value, const Planned& planned);
  void store(const Planned& planned);
  void apply(Value value, const Planned& planned);
  void call(Value value, const Planned& planned);

  // The first operand in a register, the second there or in memory; the result's register too.
  struct Pair {
    int to, a;
    asmjit::Operand b;
    bool swapped;
  };
  Pair operands_of(Value value, Planned planned, bool may_swap);
  int binary(Value value, const Planned& planned, InstructionPair instruction, bool may_swap);
  void multiply_add(Value value, const Planned& planned, const InstructionPair (&forms)[3]);
  int unary_operand(const Planned& planned) { return registers_.fetch(planned.value[0]); }
  int define(Value value, const Planned& planned);
  void masked(Value value, const Planned& planned, Machine::Id bits, PoolMask mask);
  void square_root(Value value, const Planned& planned);
  void round(int to, int from, int mode);
  void compare(Value value, const Planned& planned);
  void logical(Value value, const Planned& planned);
  void select(Value value, const Planned& planned);
  void sign(Value value, const Planned& planned);
  // The truth of comparing with zero, as all ones or in a mask register.
  void test(asmjit::Operand to, int from, int predicate);
  void truth_to_number(int to, asmjit::x86::KReg truth);

  Machine& machine_;
  const EmitPlan& plan_;
  RegisterFile registers_;
};

}  // namespace stiffit::internal

#endif
