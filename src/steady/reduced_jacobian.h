// J restricted to what conserved sums leave free, factored: the linear algebra of steady states.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "steady/moiety_rows.h"
#include "symbolic/sparsity.h"

namespace stiffit {

class ReducedJacobian {
 public:
  ReducedJacobian(const Sparsity& pattern, const MoietyRows& rows);
  ~ReducedJacobian();

  // `scale`: a size per state; columns are measured in it, so that no unit is special. False if the
  // matrix is singular to working precision.
  bool factor(const double* jacobian, std::span<const double> scale);
  // States that nothing moves there: their rows are zero but for rounding. They are held.
  const std::vector<int>& frozen() const { return frozen_; }
  double fastest() const { return fastest_; }  // largest relative rate in J, 1/time
  // J change = right, for a change that conserves every sum; `right` has an entry per state, those
  // of dependent states are not read.
  void solve(std::span<const double> right, std::span<double> change) const;
  // +1 or -1: the sign of det(-J). -1 means an odd number of growing modes.
  int sign() const;

  // Eigenvalues of the reduced matrix, algebraic states (mass 0) eliminated; by real part,
  // largest first. `jacobian` as for factor.
  std::vector<std::complex<double>> eigenvalues(const double* jacobian,
                                                const std::vector<double>& mass) const;

 private:
  struct Matrices;
  void assemble(const double* jacobian) const;
  const Sparsity& pattern_;
  const MoietyRows& rows_;
  // Which rows (moieties) a dependent state appears as, per state; -1 for independent ones.
  std::vector<int> row_of_;
  std::vector<int> frozen_;
  double fastest_ = 0;
  std::unique_ptr<Matrices> m_;
};

}  // namespace stiffit
