// The assembler as the emitter sees it: instructions on numbered vector registers of one width, the
// stack frame, the bases of the arrays and the pool of constants. All that differs between one
// lane (VEX scalar), four (ymm, 32 of them with AVX-512) and eight (zmm) is decided here and in
// instruction_selection.cpp.
//
// The code begins with the pool, then the entry. Four-lane code also serves eight lanes without
// AVX-512: the body runs twice, on the low and the high half of every element (r15 is 0, then 32).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__x86_64__)

#include <asmjit/x86.h>

#include "compile/kernel.h"
#include "compile/machine/emit_plan.h"

namespace stiffit::internal {

// Constants that the instruction sequences themselves need.
enum class PoolMask { sign, magnitude, one, zero };

// The packed and the scalar instruction of one meaning.
struct InstructionPair {
  asmjit::x86::Inst::Id packed, scalar;
};

class Machine {
 public:
  using Id = asmjit::x86::Inst::Id;
  using Mem = asmjit::x86::Mem;
  using Vec = asmjit::x86::Vec;

  Machine(asmjit::CodeHolder& code, const EmitPlan& plan, int lanes, Isa isa);

  bool scalar() const { return bytes_ == 8; }
  bool masks() const { return masks_; }     // AVX-512: comparisons go to mask registers
  int lanes() const { return bytes_ / 8; }  // of a register
  int registers() const { return masks() ? 32 : 16; }
  Id id(InstructionPair pair) const { return scalar() ? pair.scalar : pair.packed; }
  Vec vec(int r) const;

  // Memory operands; of the width of a register, or broadcast.
  Mem constant(std::uint32_t index) const;
  Mem pool(PoolMask mask) const;
  Mem element(std::uint32_t array, std::uint32_t element);  // may emit a load of the base
  Mem slot(int slot) const;

  void load(int to, const Mem& from);
  void store(const Mem& to, int from);
  void move(int to, int from);
  void call(const void* function);  // operands and result in registers 0, 1

  void begin();
  std::size_t finish(int slots);  // the offset of the entry

  asmjit::x86::Assembler assembler;

 private:
  struct BaseRegister {
    asmjit::x86::Gp gp;
    bool preserved;      // by calls
    std::int64_t holds;  // an array, -1 none
  };
  void embed_pool(const EmitPlan& plan);
  void choose_base_registers(const EmitPlan& plan);
  Mem broadcast(const Mem& mem) const;  // a number of the pool to all lanes, where it stands once

  asmjit::CodeHolder& code_;
  int bytes_ = 8;   // of a register
  int stride_ = 8;  // between elements
  int constant_bytes_ = 8, mask_bytes_ = 16;
  bool halves_ = false, masks_ = false;
  asmjit::Label pool_label_, entry_label_, half_label_;
  asmjit::x86::Gp arrays_;
  std::vector<BaseRegister> bases_;
  std::vector<asmjit::x86::Gp> saved_;
  std::size_t frame_at_ = 0;  // where the frame's size stands in the code
};

}  // namespace stiffit::internal

#endif
