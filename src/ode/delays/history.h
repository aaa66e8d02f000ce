// The past of a trajectory with delays, and from it the values that delays ask for. Before the
// start every state stands at its initial value; time goes on as ever.
//
// The past is cut into phases where it is not smooth: where the solution or one of its derivatives
// jumps, and where a condition inside a delayed expression changes. During a step each delay looks
// at one window, a run of phases in which its value is smooth, and the integration stops where the
// delay leaves its window: at phase + delay for delays that stay the same, else where a step is
// found to leave it. A jump in derivative q of a delayed value is one in derivative q + 1 of the
// states: followed until no method is sensitive to it. A. Bellen, M. Zennaro, Numerical Methods for
// Delay Differential Equations (2003), chapter 2. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ode/stepper.h"

namespace stiffit::internal {

class History final : public InputSource {
 public:
  // `felt`: the highest derivative whose jumps the method is sensitive to.
  History(const Program& program, int felt);

  // At the start, with the modes of that moment; until `depart` values are those of the moment.
  void begin(double start, const double* y, double* parameters);
  bool empty() const { return begins_.empty(); }  // no step has been taken
  // The step from t to t + h has been taken up to `until`; `state` interpolates it.
  template <class Interpolant>
  void record(double t, double h, double until, Interpolant&& state) {
    double* at = append(t, until);
    for (int k = 0; k < nodes; ++k)
      state((until - t) / h * place(k), at + static_cast<std::size_t>(k) * states_);
  }

  // Times closer together than this are one.
  static double rounding(double time) { return 1e-13 * std::fabs(time); }
  // The next time at which a delay that stays the same leaves its window.
  double next_break(double after) const;
  // The first moment of a step at which another delay does, as a share of h.
  using Interpolant = std::function<void(double theta, double* out)>;
  std::optional<double> crossing(double t, double h, const Interpolant& state, double* parameters);
  // Steps no longer than this find all they ask for.
  double longest_step(double t, const double* y, double* parameters);

  // The longest step up to h in which the past that delays look at hides nothing: nothing in it is
  // far larger than what a few looks into the step show. `allowed`: per state, what may be missed.
  double seen_step(double t, double h, double* parameters, const std::vector<double>& allowed);

  // How large the parts are that each delayed value is the sum of.
  std::vector<double> sizes_of_parts(double t, double* parameters);

  // At a stop, in this order. From `arrive` on delayed values are those of this very moment, from
  // `depart` on those just after it; `settled` says what the stop has changed.
  void arrive(double t, const double* y, double* parameters);
  // Instead of `arrive`: states, parameters or both were changed from outside.
  void arrive_changed(double t, double* parameters);
  void depart(double t, const double* y, double* parameters);
  void settled(double t, const double* y, double* parameters);
  bool at_stop() const { return moment_; }
  const std::vector<double>& initial() const { return initial_; }

  void fill(double t, const double* y, double* parameters) override;

  // The delay that was negative when last looked at, in words; empty: none was.
  std::string trouble() const;

 private:
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  static constexpr int nodes = 7;  // of the polynomial of a step
  struct Window {
    int first = 0, last = 0;  // phases
  };
  struct Phase {
    double begin = 0;
    std::size_t first_step = 0;
    std::vector<double> modes;       // those that delays look at
    std::vector<double> states;      // just after the beginning
    std::vector<Window> windows;     // of the delays, meanwhile
    std::vector<signed char> order;  // per delay: the derivative of its value that jumps here
  };
  struct Arrival {
    double time;
    int delay, order;
  };
  struct Scratch {  // of one depth of delays within delays
    std::vector<double> lags, past, result, modes;
  };

  static double place(int node);
  double* append(double begin, double end);
  void interpolate(std::size_t step, double time, double* out) const;
  void state_in(int phase, double time, double* out) const;
  int phase_at(Window window, double time) const;
  void fill_first(std::size_t count, std::size_t depth, double t, const double* y,
                  double* parameters, const std::vector<Window>* windows);
  double past_value(std::size_t k, std::size_t depth, double then, double* parameters,
                    const std::vector<Window>* windows);
  void swap_modes(const std::vector<double>& modes, double* parameters,
                  std::vector<double>& kept) const;
  std::vector<double> modes_of(const double* parameters) const;
  void find_lags(double t, const double* y, double* parameters);
  Window window_of(std::size_t delay, double t, double lag) const;
  Window around(std::size_t delay, int phase) const;
  bool parts(std::size_t delay, int phase) const { return phases_[phase].order[delay] <= felt_; }
  bool open_phase(double t, std::vector<double> modes, const double* y, int solution,
                  const std::vector<int>& inputs);
  void announce(double t, std::size_t delay, int order, double lag);
  void look_through(double t);
  void move_on(double t);
  double outside(std::size_t delay, double t, double lag, int* side) const;
  bool states_hide(std::size_t delay, double from, double to, const std::vector<double>& allowed);
  bool hides(std::size_t delay, double from, double to, double* parameters,
             const std::vector<double>& allowed);
  void imagine_past(const double* y, double* parameters);
  std::vector<double> clock_edges(double from, const double* y, std::vector<double> p);
  void settle_modes(double time, const double* y, std::vector<double>& p) const;

  const Program& program_;
  const HybridProgram& hybrid_;
  std::size_t states_;
  int felt_;
  double start_ = 0;
  std::vector<double> initial_;
  std::vector<double> begins_, ends_;  // of the recorded steps
  std::vector<double> values_;         // [step][node][state]
  std::vector<Phase> phases_;
  int first_own_ = 0;                             // the phase that begins at the start
  std::vector<Arrival> arrivals_;                 // ascending
  std::vector<Window> windows_, before_windows_;  // now, and before the stop
  std::vector<int> moved_;  // per delay: +1 or -1 if the stop is where it leaves its window
  std::vector<double> lags_, before_, before_modes_, before_lags_;
  std::vector<double> last_then_;  // for the pace of delays that vary
  double last_time_ = 0;
  double moved_time_ = 0;
  bool varies_ = false;  // any delay does
  std::vector<Scratch> scratch_;
  bool moment_ = false;
  int negative_ = -1;
  double negative_lag_ = 0;
};

}  // namespace stiffit::internal
