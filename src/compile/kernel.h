// A tape made runnable for a number of lanes: machine code where the CPU allows it, the portable
// interpreter elsewhere. A kernel is immutable and may run on many threads at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "compile/tape.h"

namespace stiffit::internal {

// What a kernel is made for. `lanes` is 1, 4 or 8.
enum class Isa {
  portable,  // the interpreter
  avx2,      // AVX2 + FMA; 8 lanes run as two halves of 4
  avx512,    // AVX-512 F/DQ/VL
};
// The best this CPU can do; the environment variable STIFFIT_ISA (portable, avx2, avx512) lowers
// it.
Isa best_isa();
// All this CPU can do, whatever the environment says; tests run them all.
std::vector<Isa> possible_isas();

class Kernel {
 public:
  using Run = void (*)(const void* context, double* const* arrays);

  Kernel() = default;
  // A kernel that is an ordinary function; `owner` keeps the context alive.
  static Kernel from_function(Run run, const void* context, std::shared_ptr<const void> owner) {
    Kernel kernel;
    kernel.run_ = run;
    kernel.context_ = context;
    kernel.owner_ = std::move(owner);
    return kernel;
  }
  // `arrays[k]` is the base of array k: element e of lane l stands at arrays[k][e*lanes + l].
  // Bases are aligned to 64 bytes when lanes > 1. The arrays of one call do not overlap: memory
  // that is read and written has one number. (Machine code reads an element as late as it can.)
  void operator()(double* const* arrays) const { run_(context_, arrays); }
  explicit operator bool() const { return run_ != nullptr; }
  std::size_t code_bytes() const { return code_bytes_; }  // 0 when interpreted

 private:
  friend Kernel interpret(Tape tape, int lanes);
  friend Kernel emit(const Tape& tape, int lanes, Isa isa);
  Run run_ = nullptr;
  const void* context_ = nullptr;
  std::shared_ptr<const void> owner_;
  std::size_t code_bytes_ = 0;
};

// The portable path, and the oracle in tests.
Kernel interpret(Tape tape, int lanes);
// Machine code. `isa` must not be portable and must be possible on this CPU.
Kernel emit(const Tape& tape, int lanes, Isa isa);
// Machine code if `isa` says so and the system grants executable memory, else the interpreter.
Kernel make_kernel(const Tape& tape, int lanes, Isa isa = best_isa());

}  // namespace stiffit::internal
