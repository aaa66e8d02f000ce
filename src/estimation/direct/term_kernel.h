// The expressions that the rows of a linear fit are made of, with their derivatives by the measured
// series, made runnable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compile/kernel.h"
#include "estimation/direct/fit_equations.h"

namespace stiffit::internal {

// Part of a row: `column` times this, or this alone (column -1).
struct RowTerm {
  int row = 0, column = -1;
  NodeId node = 0;
};

class TermKernel {
 public:
  struct Partial {
    int term, leaf;
  };
  struct Second {
    int term, leaf, other;  // leaf <= other
  };

  TermKernel() = default;
  TermKernel(FitEquations& equations, std::vector<RowTerm> terms, bool second_derivatives);

  const std::vector<RowTerm>& terms() const { return terms_; }
  const std::vector<Partial>& partials() const { return partials_; }
  const std::vector<Second>& seconds() const { return seconds_; }
  std::size_t result_size() const { return terms_.size() + partials_.size() + seconds_.size(); }

  // Values, then partials, then seconds. `leaves` as FitEquations numbers them.
  void values(double time, const double* leaves, const double* parameters, double* result) const;
  void all(double time, const double* leaves, const double* parameters, double* result) const;

 private:
  std::vector<RowTerm> terms_;
  std::vector<Partial> partials_;
  std::vector<Second> seconds_;
  Kernel values_, all_;
};

}  // namespace stiffit::internal
