// Solves (d M - J) x = b for every lane, J sparse with a fixed pattern, d a number per lane and M a
// diagonal of ones (zeros for algebraic equations). What a stiff step needs, and nothing else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/thresholds.h"
#include "compile/kernel.h"
#include "symbolic/sparsity.h"

namespace stiffit::internal {

enum class LinearKind {
  automatic,  // by estimated cost, see linear_choice.cpp
  generated,  // straight-line machine code on a fixed pivot order
  table,      // the same elimination run from index tables; for larger patterns and any lane count
  level_scheduled,  // the same from tables sorted by the lengths of rows; one lane, little fill
  dense,            // dense LU with row pivoting
  klu,              // SuiteSparse KLU per lane, pivoting
};

struct LinearOptions {
  LinearKind kind = LinearKind::automatic;
  int lanes = 1;
  Isa isa = best_isa();
  std::vector<double> mass;  // empty: all ones
  Thresholds thresholds = {};
};

// The analysed problem: ordering, elimination and code are made once and shared by all workspaces.
class LinearPlan {
 public:
  virtual ~LinearPlan() = default;
  // A workspace of its own for a thread.
  virtual std::unique_ptr<class LinearSolver> make_solver() const = 0;
  virtual LinearKind kind() const = 0;
  virtual long fill() const = 0;     // non-zeros of L + U
  virtual double flops() const = 0;  // of one factorisation
  virtual std::size_t code_bytes() const = 0;
};

class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  // Factors d M - J for each lane: `d` has one number per lane, `jacobian` is [nonzero][lane] in
  // the pattern's order. Returns a bit per lane that could not be factored (singular or not
  // finite). A lane whose fixed pivots lose too many digits is refactored with pivoting, behind the
  // scenes.
  virtual unsigned factor(const double* d, const double* jacobian) = 0;
  // b <- (d M - J)^-1 b, b is [n][lane], aligned to 64 bytes when lanes > 1.
  virtual void solve(double* b) = 0;
};

std::shared_ptr<const LinearPlan> plan_linear(const Sparsity& pattern,
                                              const LinearOptions& options);

}  // namespace stiffit::internal
