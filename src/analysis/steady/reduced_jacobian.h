// J restricted to what conserved sums leave free, in blocks of states that act on each other: the
// linear algebra of steady states. Each block is judged by its own rates, so that rates of any
// ratio stand side by side: a slow block is not taken for one at rest because another is fast.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "analysis/steady/moiety_rows.h"
#include "symbolic/sparsity.h"

namespace stiffit::internal {

class ReducedJacobian {
 public:
  // States that act on each other, directly or through others.
  struct Block {
    std::vector<int> states;
    // Its matrix is singular to working precision: states that come to rest anywhere, as far as
    // they themselves decide. Such a block is solved as far as it goes (shortest change).
    bool neutral = false;
    bool absent = false;  // all its states are, and stay, zero: how they would grow does not matter
  };

  ReducedJacobian(const Sparsity& pattern, const MoietyRows& rows);
  ~ReducedJacobian();

  // True if every block is regular. A state that nothing acts on, itself included, is held and no
  // obstacle.
  bool factor(const double* jacobian);
  void mark_absent(std::span<const char> absent);               // per state
  const std::vector<Block>& blocks() const { return blocks_; }  // those that act come first
  // The rate of the slowest mode of a block, 1/time; 0 if it is neutral.
  double rate(std::size_t block) const;
  // The same block is left alone by `solve` from now on: nothing in it changes.
  void hold(std::size_t block);
  const std::vector<int>& frozen() const { return frozen_; }  // states that nothing acts on
  // J change = right, for a change that conserves every sum; `right` has an entry per state, those
  // of dependent states are not read.
  void solve(std::span<const double> right, std::span<double> change) const;
  // right - J change: what neutral and held blocks leave of it. Dependent states have 0.
  void remainder(std::span<const double> right, std::span<const double> change,
                 std::span<double> result) const;
  // Whether a mode grows, as far as can be told: by the eigenvalues of blocks up to `largest`
  // states, by the sign of det(-J) of larger ones. Of what was factored; absent blocks do not
  // count.
  bool grows(int largest, const std::vector<double>& mass) const;

  // Eigenvalues of the reduced matrix, algebraic states (mass 0) eliminated; by real part,
  // largest first. `jacobian` as for factor.
  std::vector<std::complex<double>> eigenvalues(const double* jacobian,
                                                const std::vector<double>& mass);

 private:
  struct Matrices;
  int sign(std::size_t block) const;
  void assemble(const double* jacobian);
  void find_blocks();
  const Sparsity& pattern_;
  const MoietyRows& rows_;
  // Which rows (moieties) a dependent state appears as, per state; -1 for independent ones.
  std::vector<int> row_of_;
  std::vector<int> frozen_;
  std::vector<Block> blocks_;
  std::unique_ptr<Matrices> m_;
};

}  // namespace stiffit::internal
