// What exponential fitting needs: the coefficients for which a method multiplies components with
// given eigenvalues by e^z exactly, and the eigenvalues, given or estimated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <vector>

#include "ode/driver/spectral_radius.h"
#include "ode/one_lane_stepper.h"

namespace stiffit::internal {

// Of the tolerance, for methods of order two: as for the trapezoidal rule.
constexpr double fitted_care = 0.5;

// phi_0 = e^z, phi_k = (phi_{k-1} - 1/(k-1)!)/z, k <= 3.
double phi(int k, double z);
std::complex<double> phi(int k, std::complex<double> z);

// h times eigenvalues. One that is not real stands for a pair: a real method that is fitted to it
// is fitted to its conjugate too, which takes two free coefficients.
using FittedPoints = std::vector<std::complex<double>>;

// F1 of Liniger and Willoughby: mu with (1 + mu z)/(1 - (1 - mu) z) = e^z; 1/2 at 0, 0 at
// -infinity.
double fitted_mu(double z);

// F2: a, b with R(z) = e^z at one or two z. With one, b stays 1/3 and the order three.
struct FittedPair {
  double a = 0, b = 1.0 / 3;
};
FittedPair fitted_pair(const FittedPoints& z);

// c_k of sum of c_k z^k, k from `first` on, that take the values `wanted` at z: as many as there
// are conditions.
std::vector<double> fitted_powers(const FittedPoints& z, const FittedPoints& wanted, int first);

// Those of z that differ enough to be fitted one by one, the most negative first; at most `most`
// conditions.
FittedPoints separate(FittedPoints z, std::size_t most);

// The eigenvalues of the options, or the dominant one, looked at again every few steps.
class FittedEigenvalues {
 public:
  FittedEigenvalues(const FittedPoints& given, std::size_t size) : given_(given), radius_(size) {}
  bool stale() const { return given_.empty() && age_ >= longest_use; }
  void forget() { age_ = longest_use; }
  void note_step() { ++age_; }
  // With a Jacobian of now.
  void estimate(const SpectralRadius::Multiply& multiply);
  // h times each; 0 if it was estimated and is not real.
  FittedPoints times(double h, std::size_t most) const;
  // True if the largest of all, real or not, is known and small beside 1/h.
  bool all_slow(double h) const { return given_.empty() && h * modulus_ < 0.02; }

 private:
  static constexpr int longest_use = 4;
  FittedPoints given_;
  SpectralRadius radius_;
  double dominant_ = 0, modulus_ = 0;
  int age_ = longest_use;
};

}  // namespace stiffit::internal
