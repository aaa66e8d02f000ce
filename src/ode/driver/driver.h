// Runs trajectories through a stepper: takes them from a queue into free lanes, controls each
// lane's step, writes output by interpolation, and gives every trajectory an outcome of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cmath>
#include <span>

#include "compile/time_scan.h"
#include "ode/driver/exhaustion.h"
#include "ode/driver/state_scales.h"
#include "ode/events/event_handler.h"
#include "ode/lanes/lane_control.h"
#include "ode/lanes/lane_marks.h"
#include "ode/observer.h"
#include "ode/stepper.h"

namespace stiffit::internal {

// The work shared by all drivers of a run.
struct WorkQueue {
  std::span<const Request> requests;
  std::span<Trajectory> results;
  std::atomic<std::size_t> next{0};
};

class Driver {
 public:
  Driver(const Problem& problem, const IntegrationOptions& options, MakeStepper make);
  void run(WorkQueue& queue);
  // Told of all that happens from now on; one lane only. Null: nobody.
  void observe(StepObserver* observer) {
    observer_ = observer;
    group_.augmented = observer ? observer->augmented() : nullptr;
  }

 private:
  struct LowPoint {
    double value = 0, time = 0;
  };
  struct Lane {
    const Request* request = nullptr;  // null: idle
    Trajectory* result = nullptr;
    std::size_t next_output = 0;
    StepControl control;
    long first_round = 0;  // of the attempts since the start or the last switch
    // Attempts since the run was last seen to get on, and when that was; the same over a shorter
    // while, with the switches and events so far.
    long since_mark = 0, in_window = 0, window_switches = 0;
    double mark = 0, window = 0;
    std::size_t window_events = 0;
    int calm = 0;                          // steps until what is between is looked at again
    int leaps = 0;                         // below zero or far down, in a row
    double longest = INFINITY;             // step that states which matter while small bear
    std::unique_ptr<History> history;      // of a model with delays
    std::unique_ptr<EventHandler> events;  // null: nothing ever switches
    double stop = 0;                       // where steps must end at the latest
    double arrival = 0;                    // where the step just tried must end
    double clear = -INFINITY;              // nothing is hidden before that time; see_inputs
    int overflow = -1;                     // a state that is not finite in the row that is due
    bool off_grid = false;                 // fixed steps no longer begin at multiples of h
    std::vector<LowPoint> lowest;  // of those that are not negative by nature; empty: none fell
  };

  void refill(WorkQueue& queue);
  void load(int lane, const Request& request);
  void begin(LaneMask fresh);
  double first_step(int lane);
  // One round, driver_step.cpp:
  struct Round;
  void step(WorkQueue& queue);
  void prepare_attempts();
  void judge_attempt(int lane, Round& round);
  LaneMask accept_plain(Round& round);
  void refuse_leaps(int lane, const Round& round);
  bool passes(int lane) const;
  void accept_attempt(int lane, double share, Round& round);
  void reject_attempt(int lane, Round& round);
  void take_round(Round& round);
  void end_lanes(const Round& round);
  void expect_stuck(const Lane& lane);
  void begin_anew(Round& round);
  void poll();
  static int rounds_of_polls(int states);
  bool fixed() const { return options_.fixed_step > 0; }
  LaneMask all_lanes() const { return (1u << group_.lanes) - 1; }
  void write_outputs(int lane, double t, double h, double until);
  struct WrittenLanes {
    LaneMask ended = 0, overflowed = 0;
  };
  WrittenLanes write_lanes(LaneMask passed);
  bool may_write(int lane, const double* row);
  bool overflowed(int lane);
  void find_next_row(int lane);
  void take_steps(LaneMask accepted);
  void give_up_step(int lane, double error);
  void keep_end(int lane, const double* row);
  void restart(LaneMask fresh);
  // Of models with events or switches, driver_events.cpp:
  void begin_events(int lane);
  void continue_events(int lane);
  void settle_past(int lane);
  void aim_at_stop(int lane);
  bool must_switch(int lane, double share);
  bool switch_lane(int lane);
  bool gets_on(int lane);
  void finish_stuck(int lane);
  void take_from_lane(int lane);
  void give_to_lane(int lane);
  void finish(int lane, Status status, int state = -1);
  int worst_state(int lane) const;
  bool leaps_below_zero(int lane) const;
  double steepest_fall(int lane) const;
  void note_below_zero(LaneMask accepted);
  BelowZero below_zero(int lane) const;
  // What nobody sees between the ends of a step, driver_between.cpp:
  bool may_hide_between() const;
  void look_between();
  void ask_observer(int lane);
  void see_inputs(int lane);
  // Of models with laws of fractional order, driver_exhaustion.cpp:
  Exhaustion::Verdict judge_exhaustion(int lane);
  bool land(int lane);
  void set_spent_to_zero(LaneMask lanes, LaneMask& restarting);

  const Problem& problem_;
  const IntegrationOptions& options_;
  LaneGroup group_;
  StateScales scales_;
  struct Between {
    AlignedArray middle, slope, rate, moved, moved_rate, early, late;
  };
  Between between_;
  std::unique_ptr<Stepper> stepper_;
  std::vector<Lane> lanes_;
  LaneMask active_ = 0;
  std::vector<int> growing_;       // states that may grow again from next to nothing
  std::vector<int> not_negative_;  // states that are not by nature
  bool wide_;  // lanes side by side that never switch: what can be is done for all at once
  LaneControl control_;
  LaneMarks marks_;
  LaneMask leaping_ = 0;                           // lanes with `leaps` or a `longest` step
  AlignedArray trial_, trial_slope_, trial_time_;  // for the first step
  AlignedArray next_row_;   // time of each lane's next row; infinite: there is none
  AlignedArray due_, row_;  // of lanes that write: share of the step, states [state][lane]
  AlignedArray unwanted_;   // what the other lanes write meanwhile
  std::vector<TimeScan::Memory> scanned_;   // per lane
  std::vector<double> unseen_;              // per state: what a step may miss of it
  std::unique_ptr<Exhaustion> exhaustion_;  // null: there is no law of fractional order
  long rounds_ = 0;
  long first_stuck_ = 0;
  int poll_rounds_;
  StepObserver* observer_ = nullptr;
};

}  // namespace stiffit::internal
