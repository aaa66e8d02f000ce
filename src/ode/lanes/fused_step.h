// A whole step of a method as one piece of straight-line code: stages, Jacobian, factorisation,
// solves, error and slope at the end, all in registers. For systems small enough that calls and
// traffic through memory would cost more than the arithmetic. The tapes of the right-hand side and
// the Jacobian are written into one another, so any model serves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>

#include "compile/program.h"

namespace stiffit::internal {

// The arrays of such a kernel, all [element][lane].
struct FusedStep {
  enum Array {
    time,        // 1
    step,        // 1: h
    states,      // n
    parameters,  //
    slope,       // n: f at the start
    tolerance,   // 3: relative, share of `largest`, absolute
    largest,     // n
    stages,      // out: stage j begins at element j * stage_stride
    states_new,  // out: n
    slope_new,   // out: n, f at the end
    verdict,     // out: 3, see below
    arrays,
  };
  // The error in units of the tolerance (NaN if a slope at the end is not finite), then the sum and
  // the minimum of the squared pivot ratios (PivotRatios, linear/fixed_pivots.h).
  enum Verdict { error, pivot_sum, pivot_minimum, verdicts };
  static int stage_stride(int states, int lanes);
};

// The kernels of one program, each made when first asked for. Shared by threads.
// Whether rates and Jacobian are short enough to be written into such a step.
bool fits_fused_step(const Program& program);

class FusedSteps {
 public:
  explicit FusedSteps(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  // Null if the program is too large.
  const Kernel* rodas5p() const;
  const Kernel* dopri5() const;
  const Kernel* tsit5() const;

 private:
  struct Lazy {
    std::once_flag once;
    Kernel kernel;
  };
  template <class Write>
  const Kernel* get(Lazy& lazy, Write write) const;

  std::shared_ptr<const Program> program_;
  mutable Lazy rodas5p_, dopri5_, tsit5_;
};

}  // namespace stiffit::internal
