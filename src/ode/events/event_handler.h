// Modes and events of one trajectory: where the smooth phases end, what happens there, and how they
// go on. The driver integrates; this decides. Semantics of events: SBML Level 3 Version 2, 4.11.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compile/program.h"
#include "ode/delays/history.h"
#include "ode/observer.h"
#include "ode/simulate.h"

namespace stiffit::internal {

class EventHandler {
 public:
  EventHandler(const Program& program, std::uint64_t seed);

  // The trajectory as it stands, one number per state and parameter slot.
  std::vector<double> y, p;
  double t = 0;

  History* history = nullptr;  // of a model with delays
  StepObserver* observer = nullptr;
  // How far off a state may be where it stands; empty: nobody says.
  std::function<double(int state)> error_allowed;
  // At a switch: the root of mode k is what brought us here.
  bool crosses(std::size_t mode) const { return crossing_[mode] != 0; }
  std::vector<ExecutedEvent> executed;         // so far, in this run
  long switches() const { return switches_; }  // moments arrived at, in this run
  // Events that wait to be executed.
  bool anything_pending() const { return !pending_.empty(); }

  // At the start: y and p are set. Sets the modes, fires what fires at t0. `triggered`: per event,
  // whether its trigger held before; empty: as the model says.
  void begin(double start, const std::vector<char>& triggered = {});
  // Instead of all that: y and t are where an earlier run ended, of which this is a copy.
  void go_on();
  // The same after a change from outside: y, p and the time may be others. Fires what the change
  // sets off.
  void resume(double start);
  // The time integration must stop at exactly: a delayed event, a switch of the clock. Of clocks
  // that are not linear it knows what lies within `look_ahead`, which is to be called before a step
  // with all that the step may depend on.
  double stop() const { return stop_; }
  void look_ahead(double until);
  // How long before the stop begins what rounding cannot tell from it: nothing where a switch is
  // written as a time.
  double time_tolerance() const { return time_tolerance_; }
  // The first moment in [t, t + h] at which a mode no longer fits, as a share of h (t + theta*h may
  // be t itself after rounding: the state there is what tells them apart); `state` interpolates.
  using Interpolant = std::function<void(double theta, double* out)>;
  std::optional<double> crossing(double h, const Interpolant& state);
  // At a crossing or stop, with y the state there: what holds at this very moment, and its events.
  void arrive(double time);
  // What holds just after this moment, and its events; then the next stop.
  void depart();
  // False when events or switches at one moment never come to an end, or the algebraic equations
  // have no solution near; `trouble` says which.
  bool healthy() const { return trouble_.empty(); }
  const std::string& trouble() const { return trouble_; }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();

  struct Pending {
    double time;
    int event;
    std::vector<double> values;  // of the trigger time, or empty
    int ticket = -1;             // what an observer knows it by
  };

  double excess(std::size_t mode, double root) const;
  double value_at(std::size_t mode, double root, double slope) const;
  void evaluate(const Kernel& kernel, std::vector<double>& out);
  void roots_at(double time, const double* state, double* out);
  void roots_at(double time, const double* state, std::vector<double>& out) {
    roots_at(time, state, out.data());
  }
  void solve_algebraic();
  void find_equilibrium();
  void look_at_roots();
  double edge_time(std::size_t mode, double edge) const;
  double rounding(std::size_t mode, double time) const;
  void settle();  // all modes by what holds at this very moment
  bool set_mode(std::size_t mode, double value);
  void prepare();
  void run_events();
  void watch_triggers();
  int choose_ready();
  void execute(const Pending& pending);
  std::string again_and_again(int event) const;
  void find_stop();
  double next_time_event(std::size_t mode) const;
  bool is_bent(std::size_t mode) const {
    return hybrid_.modes[mode].clock && !hybrid_.modes[mode].linear;
  }
  bool fits(std::size_t mode, const Interval& root) const;
  bool moves_away(std::size_t mode, bool rises) const;
  double first_misfit(std::size_t mode, double left, double right);
  double search_clock(std::size_t mode, double from, double to);
  void restart_search(std::size_t mode);
  void note_edges(int event);
  void nudge(const HybridProgram::Hold& hold);
  bool would_trigger(const HybridProgram::Hold& hold);
  void begin_holds();
  void release(const HybridProgram::Event& event);
  bool is_held(std::size_t mode) const { return at_edge_[mode] != 0; }
  struct Found {
    double theta;
    std::size_t mode;
  };
  void watch(std::size_t mode);
  void begin_box(double left, const Interpolant& state);
  void widen_box();
  bool fits_in_box(std::size_t mode, double from, double to);
  Found crossing_between(double left, double right, double h, const Interpolant& state,
                         int halvings);
  bool sets_off_event(std::size_t mode);
  double uncertainty(std::size_t mode);
  double locate(std::size_t mode, double left, double right, double h, const Interpolant& state);

  const Program& program_;
  const HybridProgram& hybrid_;
  std::mt19937_64 random_;
  std::vector<double> roots_, samples_, state_;
  struct Watched {  // it fits while factor * root + offset is not positive
    std::size_t mode;
    double factor, offset;
    bool magnitude;  // |root| instead
  };
  std::vector<Watched> watched_;             // modes that the state may change
  std::vector<double> low_, high_;           // bounds of the states in a piece
  bool bends_ = false;                       // a watched root bends with time by itself
  std::vector<std::vector<double>> levels_;  // roots in the places of a piece, per halving
  std::vector<double> slopes_, origins_;     // of clocks: d root/dt, and the root at time zero
  std::vector<double> side_;                 // of modes of kind zero: the sign of the root
  std::vector<double> left_, left_side_;     // the modes and sides before the crossing
  std::vector<char> crossing_;               // modes that change at this moment
  std::vector<char> triggered_;              // per event: its trigger held last time
  std::vector<Pending> pending_;
  std::vector<double> time_event_times_;  // per mode: when its clock next meets an edge
  std::vector<char> set_by_events_;       // modes whose roots hold what events set
  struct Ahead {
    double searched = 0;       // up to there
    double found = 0;          // the first switch; infinite: none so far
    std::vector<double> seen;  // what the root depended on
  };
  std::vector<Ahead> ahead_;  // per mode; of clocks that are not linear
  std::vector<Interval> scratch_;
  std::vector<char> at_edge_;  // per mode: an event has put the state at its edge, to rounding
  std::vector<char> leaving_;  // per mode: it has been put there and is not driven over it
  double stop_ = 0, time_tolerance_ = 0;
  double last_time_ = 0;
  double left_time_ = 0;  // the latest moment that has been left: what it brought lies behind
  int rounds_at_time_ = 0;
  long switches_ = 0;
  int next_ticket_ = 0;
  bool has_time_events_ = false;  // there are any
  bool has_nonlinear_time_events_ = false;
  bool arrived_ = false;  // at a moment that is still to be left
  bool after_ = false;    // just after the moment, not at it
  std::string trouble_;
};

}  // namespace stiffit::internal
