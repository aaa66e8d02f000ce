// What a method is to the driver: something that tries one step on every lane, tells the error, and
// can interpolate the step it has just tried. The driver owns the loop, step sizes and output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include "linear/aligned_array.h"
#include "ode/options.h"
#include "ode/simulate.h"

namespace stiffit::internal {

using LaneMask = unsigned;  // a bit per lane

// Whatever must be put among the parameters before f is evaluated at (t, y): delayed values.
class InputSource {
 public:
  virtual ~InputSource() = default;
  virtual void fill(double t, const double* y, double* parameters) = 0;
};

// What goes along with a multistep method keeps a Nordsieck array of its own, which must follow the
// method's: told of every change, in time to make it too.
class AugmentedNordsieck {
 public:
  virtual ~AugmentedNordsieck() = default;
  struct Step {
    int order;
    double h, ratio;           // ratio: h over the one that the array is scaled to
    const double* lambda;      // 0 ... order
    double error, strictness;  // e times `error` is compared with the tolerance / strictness
  };
  virtual void begin_again() = 0;            // order one from the current state, scaled to 1
  virtual void tried(const Step& step) = 0;  // a step has converged
  // past_j += shape_j * factor * source for 2 <= j; the source is the last e and j = top is new if
  // the order goes up to top, else the source is past_top, which goes.
  virtual void change_order(bool up, int top, const double* shape, double factor) = 0;
};

// The trajectories that run side by side. Layout [element][lane].
struct LaneGroup {
  LaneGroup(const Problem& problem, const IntegrationOptions& options);

  const Problem& problem;
  const IntegrationOptions& options;
  int n, lanes;
  AlignedArray t, h;        // [lane]
  AlignedArray end;         // [lane] the time of the last output
  AlignedArray bound;       // [lane] no step may go beyond; h keeps to it, methods that choose must
  AlignedArray y, y_new;    // at t; at t + h after an attempt
  AlignedArray parameters;  // with the derived ones
  AlignedArray largest;     // scale of the absolute tolerance: largest share*|y| so far, or what
                            // the state is expected to become (state_scales.h)
  AlignedArray share;       // 1, or less for a state that may grow again from next to nothing
  AlignedArray error;       // [lane] of the last attempt, in units of the tolerance; NaN: failed
  Counters counters[8];
  InputSource* inputs = nullptr;            // of a model with delays; one lane then
  AugmentedNordsieck* augmented = nullptr;  // one lane then

  bool scaled_tolerance() const { return options.atol < 0; }
  // Error allowed in a state of magnitude |y|: rtol*(|y| + relative_floor*largest) + absolute.
  double relative_floor() const { return scaled_tolerance() ? options.scaled_atol : 0; }
  // Scaled: never zero, and below what any state's unit makes of it.
  double absolute(int /*lane*/) const { return scaled_tolerance() ? 1e-300 : options.atol; }
  double weight(int state, int lane) const {
    const std::size_t at = state * lanes + lane;
    return options.rtol * (std::fabs(y[at]) + relative_floor() * largest[at]) + absolute(lane);
  }
  // After y of these lanes has changed: the largest magnitudes follow.
  void note_magnitudes(LaneMask lanes, bool fresh);
};

class Stepper {
 public:
  explicit Stepper(LaneGroup& group) : group_(group) {}
  virtual ~Stepper() = default;

  // The state, time or parameters of these lanes are new: forget their past, evaluate f.
  // group.error of a lane is NaN if f is not finite there.
  virtual void start(LaneMask lanes) = 0;
  // f at the current state, as of the last start or accept.
  virtual const double* slope() const = 0;
  // Tries a step of size h from t on every lane; fills y_new and error. A lane passes if error
  // <= 1. A method that chooses its own steps takes another and sets h to it.
  virtual void attempt(LaneMask lanes) = 0;
  // The step just tried, at t + theta*h, for one lane; `out` is contiguous.
  virtual void interpolate(int lane, double theta, double* out) = 0;
  // Lanes at once, each at its own theta[lane]; `out` is [state][lane].
  virtual void interpolate_lanes(LaneMask lanes, const double* theta, double* out);
  // What is shown at that moment: the same, or closer to the solution where a method affords it.
  virtual void row(int lane, double theta, double* out) { interpolate(lane, theta, out); }
  virtual void row_lanes(LaneMask lanes, const double* theta, double* out) {
    interpolate_lanes(lanes, theta, out);
  }
  // Moves these lanes to t + h (the driver updates t).
  virtual void accept(LaneMask lanes) = 0;
  // Order of the error estimate's accuracy: the step follows error^(-1/order).
  virtual int control_order() const = 0;
  // Multistep methods choose their own next step (negative: there is none); others return 0 and
  // leave it to the driver.
  virtual double next_step(int /*lane*/, bool /*accepted*/) { return 0; }
  // True if a method that runs in lanes does so.
  virtual bool chooses_steps() const { return false; }
  // True if rows within a step come from a polynomial that nothing holds to the equations where
  // they are stiff: the driver looks there.
  virtual bool hides_between() const { return false; }
  // Of a one-step method: the stages of the step just tried, `stage_stride` apart; null: not told.
  virtual const double* stages() const { return nullptr; }
  virtual std::size_t stage_stride() const { return 0; }
  // Of a method that stands for several: which has taken how many steps, in words.
  virtual std::string used(int /*lane*/) const { return {}; }
  // Why the last attempt failed where it is known: "Newton's iteration did not converge".
  virtual std::string trouble(int /*lane*/) const { return {}; }
  // False if a step it has taken cannot be taken back.
  virtual bool retries() const { return true; }

 protected:
  LaneGroup& group_;
};

using MakeStepper = std::unique_ptr<Stepper> (*)(LaneGroup& group);

}  // namespace stiffit::internal
