// One line per method: its name, what it is, and how to make its stepper.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ode/stepper.h"

namespace stiffit {

struct MethodEntry {
  MethodInfo info;
  MakeStepper make;
  bool any_lanes = true;    // false: one lane only
  bool needs_step = false;  // has no error estimate: a fixed step must be given
  bool algebraic = false;   // can solve 0 = f beside x' = f
  bool fixed_steps = true;  // takes steps of a given size if asked to
  // Why it cannot run a program; empty: it can. Null: nothing besides the above is in its way.
  std::string (*refuses)(const Program& program) = nullptr;
  int largest_order = 0;  // that --max-order may ask for; 0: its order is not to be chosen
  int fitted_to = 0;      // how many eigenvalues it can be fitted to; a pair counts as two
  bool stiff() const { return info.stability != "explicit"; }
};

const std::vector<MethodEntry>& method_entries();
// The entry of that name; null if there is none.
const MethodEntry* find_method(std::string_view name);

std::unique_ptr<Stepper> make_automatic(LaneGroup& group);
std::unique_ptr<Stepper> make_rodas5p(LaneGroup& group);
std::unique_ptr<Stepper> make_bdf(LaneGroup& group);
std::unique_ptr<Stepper> make_dopri5(LaneGroup& group);
std::unique_ptr<Stepper> make_rkf45(LaneGroup& group);
std::unique_ptr<Stepper> make_dop853(LaneGroup& group);
std::unique_ptr<Stepper> make_bs32(LaneGroup& group);
std::unique_ptr<Stepper> make_rk4(LaneGroup& group);
std::unique_ptr<Stepper> make_modified_euler(LaneGroup& group);
std::unique_ptr<Stepper> make_euler(LaneGroup& group);
std::unique_ptr<Stepper> make_radau(LaneGroup& group);
std::unique_ptr<Stepper> make_adams(LaneGroup& group);
std::unique_ptr<Stepper> make_adams_bashforth(LaneGroup& group);
std::unique_ptr<Stepper> make_taylor(LaneGroup& group);
std::unique_ptr<Stepper> make_rkc(LaneGroup& group);
std::unique_ptr<Stepper> make_rk_imaginary(LaneGroup& group);
std::unique_ptr<Stepper> make_liniger_willoughby_1(LaneGroup& group);
std::unique_ptr<Stepper> make_liniger_willoughby_2(LaneGroup& group);
std::unique_ptr<Stepper> make_fowler_warten(LaneGroup& group);
std::unique_ptr<Stepper> make_fitted_rk(LaneGroup& group);
std::unique_ptr<Stepper> make_fitted_rosenbrock(LaneGroup& group);
std::unique_ptr<Stepper> make_exponential_rosenbrock(LaneGroup& group);
std::unique_ptr<Stepper> make_backward_euler(LaneGroup& group);
std::unique_ptr<Stepper> make_trapezoidal(LaneGroup& group);
std::unique_ptr<Stepper> make_trapezoidal_smoothed(LaneGroup& group);
std::unique_ptr<Stepper> make_trapezoidal_extrapolated(LaneGroup& group);
std::unique_ptr<Stepper> make_cvodes(LaneGroup& group);

}  // namespace stiffit
