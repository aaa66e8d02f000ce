// One matrix at a time, factored with pivoting by its values: the dense and the KLU kinds, and what
// stands behind the fixed-pivot kinds when a lane loses too many digits. A result depends on the
// given values alone, never on what was factored before, so that runs repeat bit for bit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "compile/kernel.h"
#include "linear/system_matrix.h"

namespace stiffit::internal {

class PivotingLu {
 public:
  virtual ~PivotingLu() = default;
  // `values` in the order of the pattern. False if singular or not finite.
  virtual bool factor(const double* values) = 0;
  virtual void solve(double* b) = 0;
};

std::unique_ptr<PivotingLu> make_dense_lu(const Sparsity& pattern, Isa isa);

// The part of KLU that depends on the pattern alone; shared by threads. Null for a structurally
// singular pattern, of which no matrix can be factored.
class KluAnalysis;
std::shared_ptr<const KluAnalysis> analyse_klu(const Sparsity& pattern);
long fill_of(const KluAnalysis* analysis);
double flops_of(const KluAnalysis* analysis);
std::unique_ptr<PivotingLu> make_klu_lu(std::shared_ptr<const KluAnalysis> analysis);

// Up to this size dense is at least as quick as KLU for one matrix.
inline constexpr int largest_plain_dense = 60;

}  // namespace stiffit::internal
