// What goes along with a trajectory: derivatives, or a record of the steps. Told of every step that
// passed, every row of output, and everything that happens at a switch. One lane.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "ode/stepper.h"

namespace stiffit::internal {

class EventHandler;

class StepObserver {
 public:
  virtual ~StepObserver() = default;

  // The trajectory begins: group's t, y and parameters are set, modes and events are not.
  virtual void begin(const LaneGroup& group) = 0;
  // The scale of the absolute tolerances, [state], as the start has it: may be raised.
  virtual void magnitudes(double* /*largest*/) {}
  // A step from t to t + h has passed its error test. Returns the error of what goes along, in
  // units of the tolerance; beyond one, or NaN, the step is tried again with another size.
  virtual double passed(const LaneGroup& group, const Stepper& stepper) = 0;
  virtual void accepted() = 0;                 // the step that passed is taken
  virtual void landed(double theta) = 0;       // or it is taken up to this share of h
  virtual void restarted(const LaneGroup&) {}  // after a switch, or at the start: the past is gone
  // Row `row` of the output lies in the step that passed; or it is the state as it stands.
  virtual void output(std::size_t row, double theta) = 0;
  virtual void output(std::size_t row) = 0;

  // At a switch, in this order as far as they apply; `s` holds t, y and the modes of that moment.
  virtual void arrive(const EventHandler& s) = 0;
  // Mode k is about to change because its root was crossed (not because the state jumped).
  virtual void mode_changes(const EventHandler& s, std::size_t k) = 0;
  virtual void triggered(const EventHandler& s, int event, int ticket) = 0;
  // The event's assignments are about to be made. `size` and `value` are per assignment.
  virtual void executes(const EventHandler& s, int event, int ticket, const double* value,
                        const double* size) = 0;
  virtual void algebraic_solved(const EventHandler& s) = 0;
  virtual void departed(const EventHandler& s) = 0;

  // Null unless a multistep method is followed.
  virtual AugmentedNordsieck* augmented() { return nullptr; }

  // Empty, or why what goes along cannot go on.
  virtual std::string trouble() const { return {}; }
};

// One that looks at steps only: rows and switches leave it cold.
class StepsObserver : public StepObserver {
 public:
  void output(std::size_t, double) override {}
  void output(std::size_t) override {}
  void arrive(const EventHandler&) override {}
  void mode_changes(const EventHandler&, std::size_t) override {}
  void triggered(const EventHandler&, int, int) override {}
  void executes(const EventHandler&, int, int, const double*, const double*) override {}
  void algebraic_solved(const EventHandler&) override {}
  void departed(const EventHandler&) override {}
};

}  // namespace stiffit::internal
