// Which states can grow again from next to nothing, so that what is left of them matters: cells
// under a drug, a prey after the predators, an infection that comes back. A share of the largest
// value is no tolerance for those: they are followed relative to themselves.
//
// Found by trial near the edge of the positive orthant: a random half of the states is nothing, the
// others are around their sizes. There the Jacobian of the absent ones among themselves has no
// negative entry off its diagonal (A = N - D), and they grow unless D - N is an M-matrix. States
// that only convert into one another, bind or decay never do. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "compile/program.h"

namespace stiffit::internal {

class GrowingStates {
 public:
  explicit GrowingStates(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  // Per state 1, or how much less of its largest value counts. Found when first asked for.
  const std::vector<double>& shares() const;

 private:
  std::shared_ptr<const Program> program_;
  mutable std::once_flag once_;
  mutable std::vector<double> shares_;
};

}  // namespace stiffit::internal
