// Runs trajectories through a stepper: takes them from a queue into free lanes, controls each
// lane's step, writes output by interpolation, and gives every trajectory an outcome of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cmath>
#include <span>

#include "integrate/lane_control.h"
#include "integrate/observer.h"
#include "integrate/state_scales.h"
#include "integrate/stepper.h"
#include "integrate/switching.h"

namespace stiffit {

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
    group_.follower = observer ? observer->follower() : nullptr;
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
    long attempts = 0;
    int leaps = 0;                         // below zero, in a row
    std::unique_ptr<History> history;      // of a model with delays
    std::unique_ptr<Switching> switching;  // null: nothing ever switches
    double arrival = 0;                    // where the step just tried must end
    int overflow = -1;                     // a state that is not finite in the row that is due
    std::vector<LowPoint> lowest;  // of those that are not negative by nature; empty: none fell
  };

  void refill(WorkQueue& queue);
  void load(int lane, const Request& request);
  void begin(LaneMask fresh);
  double first_step(int lane);
  void step(WorkQueue& queue);
  void write_outputs(int lane, double t, double h, double until);
  void write_lanes(LaneMask passed);
  bool may_write(int lane, const double* row);
  bool overflowed(int lane);
  void find_next_row(int lane);
  void take_steps(LaneMask accepted);
  void keep_end(int lane, const double* row);
  void restart(LaneMask fresh);
  // Of models with events or switches, driver_switching.cpp:
  void begin_switching(int lane);
  void go_on_switching(int lane);
  void settle_past(int lane);
  void aim_at_stop(int lane);
  bool must_switch(int lane);
  bool switch_lane(int lane);
  void take_from_lane(int lane);
  void give_to_lane(int lane);
  void finish(int lane, Status status, int state = -1);
  int worst_state(int lane) const;
  bool any_below_zero() const;
  bool leaps_below_zero(int lane) const;
  void note_below_zero(LaneMask accepted);
  BelowZero below_zero(int lane) const;
  void ask_observer(int lane);

  const Problem& problem_;
  const IntegrationOptions& options_;
  LaneGroup group_;
  StateScales scales_;
  std::unique_ptr<Stepper> stepper_;
  std::vector<Lane> lanes_;
  LaneMask active_ = 0;
  std::vector<int> not_negative_;  // states that are not by nature
  bool wide_;  // lanes side by side that never switch: what can be is done for all at once
  LaneControl control_;
  AlignedArray trial_, trial_slope_, trial_time_;  // for the first step
  AlignedArray next_row_;   // time of each lane's next row; infinite: there is none
  AlignedArray due_, row_;  // of lanes that write: share of the step, states [state][lane]
  AlignedArray unwanted_;   // what the other lanes write meanwhile
  long rounds_ = 0;
  StepObserver* observer_ = nullptr;
};

}  // namespace stiffit
