// The past of a trajectory with delays: every step taken, as a quartic, and from it the values that
// delays ask for. Before the start everything stands at its initial value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "integrate/stepper.h"

namespace stiffit {

class History final : public InputSource {
 public:
  explicit History(const Program& program);

  void begin(double start, const double* y, const double* parameters);
  bool empty() const { return begins_.empty(); }  // no step has been taken
  // The step from t to t + h has been taken up to `until`; `state` interpolates it.
  template <class Interpolant>
  void record(double t, double h, double until, Interpolant&& state) {
    double* at = append(t, until);
    for (int k = 0; k < nodes; ++k)
      state((until - t) / h * k / (nodes - 1), at + static_cast<std::size_t>(k) * states_);
  }
  // The solution has a kink at this time, which delays carry on.
  void note_break(double time, const double* y, double* parameters);
  double next_break(double after) const;
  // The shortest delay now: steps no longer than that find all they ask for.
  double longest_step(double t, const double* y, double* parameters);

  void fill(double t, const double* y, double* parameters) override;

 private:
  static constexpr int nodes = 5;  // of the quartic of a step
  static constexpr int kink_levels = 5;

  double* append(double begin, double end);
  void state_at(double time, double* out) const;
  // The first `count` delays; what a delayed value is made of comes before it.
  void fill_first(std::size_t count, double t, const double* y, double* parameters);

  const Program& program_;
  const HybridProgram& hybrid_;
  std::size_t states_;
  double start_ = 0;
  std::vector<double> initial_;
  std::vector<double> begins_, ends_;  // of the recorded steps
  std::vector<double> values_;         // [step][node][state]
  std::vector<double> breaks_;         // ascending
  std::vector<double> lags_;
};

}  // namespace stiffit
