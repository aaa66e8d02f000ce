// The ends of the spectrum of a Jacobian: the fastest mode, the slowest, and who takes part in the
// fastest. Small systems by all their eigenvalues, large ones by Arnoldi's method.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "ode/simulate.h"

namespace stiffit::internal {

struct Spectrum {
  double lambda_min = 0;  // smallest real part
  double lambda_max = 0;  // largest real part; NaN: Arnoldi did not find it
  // Slowest decay that is one: the smallest |Re| among decaying modes. NaN: none, or not known.
  double slowest_decay = 0;
  std::vector<std::complex<double>> all;  // every eigenvalue, of small systems
  // Of the fastest mode: right and left eigenvectors (absolute values do not matter), and
  // |left_i right_i|, scaled to the sum 1.
  std::vector<std::complex<double>> right, left;
  std::vector<double> participation;
};

// What is looked for besides the smallest real part; it takes more time for large systems.
struct SpectrumParts {
  bool vectors = true;   // of the fastest mode
  bool slow_end = true;  // lambda_max
};

class SpectrumFinder {
 public:
  // Systems of more states than `dense_limit` go by Arnoldi.
  explicit SpectrumFinder(const Problem& problem, int dense_limit = 120);
  ~SpectrumFinder();
  SpectrumFinder(const SpectrumFinder&) = delete;
  SpectrumFinder& operator=(const SpectrumFinder&) = delete;

  // `parameters` are those that a user can set.
  Spectrum at(double time, const double* states, const std::vector<double>& parameters,
              SpectrumParts parts = {});
  // Parameters and modes as they were at the last state looked at.
  std::vector<double> settled() const;

 private:
  struct Arrays;
  std::unique_ptr<Arrays> arrays_;
  int dense_limit_;
};

}  // namespace stiffit::internal
