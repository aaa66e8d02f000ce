// What methods on one lane share: the kernels with their counters, norms in units of the tolerance,
// Jacobian times vector, and the past values that error estimates look back on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/driver/homotopy.h"
#include "ode/stepper.h"

namespace stiffit::internal {

// out = J x for the entries of J in the order of the pattern.
void multiply(const Sparsity& pattern, const double* entries, const double* x, double* out);

class OneLaneStepper : public Stepper {
 public:
  explicit OneLaneStepper(LaneGroup& group);
  void start(LaneMask lanes) override;
  const double* slope() const override { return slope_.data(); }
  void accept(LaneMask lanes) override;

 protected:
  bool fixed() const { return group_.options.fixed_step > 0; }
  std::size_t size() const { return static_cast<std::size_t>(n_); }
  void evaluate(double t, const double* y, double* f);
  // The Jacobian at (t, y) into jacobian_. False if it is not finite: Newton's iteration with it
  // would change nothing and take that for convergence.
  bool differentiate(double t, const double* y);
  // df/dt at (t, y); with delays by a difference over a small share of h.
  void find_drift(double t, const double* y, const double* f, double* out);
  // out = J x with the J of the last differentiate.
  void multiply(const double* x, double* out) const {
    stiffit::internal::multiply(program_.pattern, jacobian_.data(), x, out);
  }
  // Weighted root mean square, weights from y and y_new.
  double norm(const double* e) const;
  bool finite(const double* x) const;
  // The cubic through both ends and their slopes.
  void hermite(double theta, double* out) const;

  const Program& program_;
  int n_;
  AlignedArray jacobian_;
  AlignedArray slope_, slope_new_;  // f at y and y_new
};

// Accepted values behind the current one, for divided differences. Distances are sums of steps: a
// difference of times has lost what matters where steps are small.
class PastValues {
 public:
  static constexpr int most = 4;
  explicit PastValues(std::size_t size);
  // A value to begin with.
  void begin(const double* y);
  // The value a step of size h later.
  void push(double h, const double* y);
  int count() const { return count_; }
  // y, a step h later, minus the polynomial through the last `points` values; and what that is
  // divided by h^points y^(points)/points!.
  double deviation(int points, double h, const double* y, double* out) const;

 private:
  AlignedArray values_[most];
  double step_to_[most] = {};  // the step that led to each value
  int count_ = 0;
};

// The tolerance is meant for the result of a run. Where the estimate falls like h^estimated and the
// result like h^order, it must be kept below tolerance^(estimated/order). This is the factor.
double strictness_for(double rtol, int estimated, int order);

}  // namespace stiffit::internal
