// One line per method: its name, what it is, and how to make its stepper.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ode/stepper.h"

namespace stiffit::internal {

// How the steps of a method are differentiated along a trajectory.
enum class Sensitivities {
  none,
  rosenbrock,  // its stages, with the second derivatives that the Jacobian brings (TangentStepper)
  diagonally_implicit,  // its stages one by one, from `tableau` (DirkTangents)
  multistep,            // staggered, with a Nordsieck array of their own (BdfTangents)
};

// Where the program chooses for its user. Each role has one method, a method at most one role.
enum class MethodRole {
  none,
  standard,        // when nobody asks for another: it hands over to others as the model wants it
  stiff,           // everyday accuracy, every kind of model
  large_stiff,     // where a factorisation costs much more than evaluations
  accurate_stiff,  // few steps at tight tolerances
  non_stiff,       // explicit
  reference,       // a code that shares nothing with ours
};

// What a method is and can do. Nobody asks for its name: whoever needs something of a method asks
// for the field that says so.
struct MethodEntry {
  MethodInfo info;  // as people read it
  MakeStepper make;
  bool lanes = true;                 // runs several trajectories side by side; false: one
  bool algebraic_equations = false;  // can solve 0 = f beside x' = f
  Sensitivities sensitivities = Sensitivities::none;
  const struct DirkTableau* tableau = nullptr;  // of a diagonally implicit Runge-Kutta method
  bool adjoint = false;                         // its steps can be walked backwards
  bool fixed_step_only = false;                 // has no error estimate: a fixed step must be given
  bool fixed_steps = true;                      // takes steps of a given size if asked to
  bool combines_runs = false;  // its result is made from several integrations side by side
  int order = 0;          // of the result, with fixed steps; the usual one if there are several
  int dense_order = 0;    // between the steps, promised
  int largest_order = 0;  // that --max-order may ask for; 0: its order is not to be chosen
  // Whose region of stability is drawn: with fixed steps Adams methods go to their highest order,
  // which hardly any step bears; what they use where stability holds them back is about this.
  // 0: the method has one order, or says it.
  int order_drawn = 0;
  bool stiff = false;  // implicit, or as good as that: stability does not bound its steps
  bool a_stable = false, l_stable = false;
  int fitted_to = 0;  // how many eigenvalues it can be fitted to; a pair counts as two
  // Why it cannot run a program; empty: it can. Null: nothing besides the above is in its way.
  std::string (*refuses)(const Program& program) = nullptr;
  MethodRole role = MethodRole::none;

  bool dense_output() const { return dense_order > 0; }
  bool gives_sensitivities() const { return sensitivities != Sensitivities::none; }
};

const std::vector<MethodEntry>& method_entries();
// The entry of that name; null if there is none.
const MethodEntry* find_method(std::string_view name);
const MethodEntry& method_for(MethodRole role);
std::string method_name(MethodRole role);
// The method that is differentiated where this one is asked for: that of the standard is fixed,
// since steps of several methods cannot be.
const MethodEntry& differentiated(const MethodEntry& method);

// For messages and help texts: "a, b and c", without the standard.
std::string methods_listed(bool (*wanted)(const MethodEntry& method));
std::string methods_with_sensitivities();

std::unique_ptr<Stepper> make_automatic(LaneGroup& group);
std::unique_ptr<Stepper> make_rodas5p(LaneGroup& group);
std::unique_ptr<Stepper> make_bdf(LaneGroup& group);
std::unique_ptr<Stepper> make_dopri5(LaneGroup& group);
std::unique_ptr<Stepper> make_tsit5(LaneGroup& group);
std::unique_ptr<Stepper> make_rkf45(LaneGroup& group);
std::unique_ptr<Stepper> make_dop853(LaneGroup& group);
std::unique_ptr<Stepper> make_bs32(LaneGroup& group);
std::unique_ptr<Stepper> make_rk4(LaneGroup& group);
std::unique_ptr<Stepper> make_modified_euler(LaneGroup& group);
std::unique_ptr<Stepper> make_euler(LaneGroup& group);
std::unique_ptr<Stepper> make_radau(LaneGroup& group);
std::unique_ptr<Stepper> make_trbdf2(LaneGroup& group);
std::unique_ptr<Stepper> make_esdirk54(LaneGroup& group);
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

}  // namespace stiffit::internal
