// SPDX-License-Identifier: Apache-2.0
#include "ode/method_registry.h"

#include "ode/methods/taylor/taylor_bound.h"
#include "ode/methods/taylor/taylor_jet.h"

namespace stiffit {

const std::vector<MethodEntry>& method_entries() {
  static const std::vector<MethodEntry> entries{
      {.info = {"automatic", "several", "5", "A- and L-stable",
                "any system: explicit, Rosenbrock or BDF as the model wants it; the default"},
       .make = make_automatic,
       .algebraic = true},
      {.info = {"rodas5p", "Rosenbrock", "5(4)", "A- and L-stable",
                "stiff systems at everyday accuracy"},
       .make = make_rodas5p,
       .algebraic = true},
      {.info = {"bdf", "multistep", "1-5 (6)", "stiffly stable",
                "stiff systems, large ones above all; variable order and step"},
       .make = make_bdf,
       .largest_order = 6},
      {.info = {"dopri5", "explicit Runge-Kutta", "5(4)", "explicit", "non-stiff systems"},
       .make = make_dopri5},
      {.info = {"rkf45", "explicit Runge-Kutta", "5(4)", "explicit",
                "non-stiff systems; Fehlberg's pair, for comparison"},
       .make = make_rkf45},
      {.info = {"dop853", "explicit Runge-Kutta", "8(5,3)", "explicit",
                "non-stiff systems at high accuracy"},
       .make = make_dop853},
      {.info = {"bs32", "explicit Runge-Kutta", "3(2)", "explicit",
                "non-stiff systems at low accuracy"},
       .make = make_bs32},
      {.info = {"rk4", "explicit Runge-Kutta", "4", "explicit", "fixed steps, for comparison"},
       .make = make_rk4,
       .needs_step = true},
      {.info = {"modified-euler", "explicit Runge-Kutta", "2", "explicit",
                "fixed steps, for comparison"},
       .make = make_modified_euler,
       .needs_step = true},
      {.info = {"euler", "explicit Runge-Kutta", "1", "explicit", "fixed steps, for comparison"},
       .make = make_euler,
       .needs_step = true},
      {.info = {"radau", "implicit Runge-Kutta", "5, 9, 13", "A- and L-stable",
                "stiff systems at high accuracy; nothing need be known of the eigenvalues"},
       .make = make_radau,
       .any_lanes = false,
       .algebraic = true,
       .largest_order = 13},
      {.info = {"adams", "multistep", "1-12", "explicit",
                "non-stiff systems whose rates are costly; predictor and corrector"},
       .make = make_adams,
       .any_lanes = false,
       .largest_order = 12},
      {.info = {"adams-bashforth", "multistep", "1-12", "explicit",
                "non-stiff systems, one evaluation per step; for comparison"},
       .make = make_adams_bashforth,
       .any_lanes = false,
       .largest_order = 12},
      {.info = {"taylor", "Taylor series", "4-30", "explicit",
                "non-stiff systems at high accuracy; order from the tolerance"},
       .make = make_taylor,
       .refuses = taylor_refusal,
       .largest_order = 30},
      {.info = {"taylor-guaranteed", "Taylor series", "4-30", "explicit",
                "polynomial models: what each step leaves out is proven below the tolerance"},
       .make = make_taylor,
       .refuses = taylor_bound_refusal,
       .largest_order = 30},
      {.info = {"rkc", "stabilised Runge-Kutta", "2", "explicit",
                "large systems with real eigenvalues, mildly stiff; no linear algebra"},
       .make = make_rkc,
       .any_lanes = false},
      {.info = {"rk-imaginary", "stabilised Runge-Kutta", "2", "explicit",
                "oscillations: stability along the imaginary axis"},
       .make = make_rk_imaginary,
       .any_lanes = false},
      {.info = {"backward-euler", "implicit one-step", "1", "A- and L-stable",
                "fixed steps that bear anything; for comparison"},
       .make = make_backward_euler,
       .any_lanes = false,
       .algebraic = true},
      {.info = {"trapezoidal", "implicit one-step", "2", "A-stable",
                "mild stiffness, for comparison"},
       .make = make_trapezoidal,
       .any_lanes = false},
      {.info = {"trapezoidal-smoothed", "implicit one-step", "2", "A-stable",
                "with Lindberg's smoothing: what is fast does not ring"},
       .make = make_trapezoidal_smoothed,
       .any_lanes = false},
      {.info = {"trapezoidal-extrapolated", "implicit one-step", "4", "A-stable",
                "smoothed, and extrapolated globally from steps h and h/2"},
       .make = make_trapezoidal_extrapolated,
       .any_lanes = false,
       .needs_step = true},
      {.info = {"exponential-rosenbrock", "exponential", "3(2)", "A- and L-stable",
                "stiff systems whose stiffness is linear; no LU"},
       .make = make_exponential_rosenbrock,
       .any_lanes = false},
      {.info = {"liniger-willoughby-1", "exponentially fitted", "1-2", "A-stable",
                "one fast real eigenvalue, given or estimated; implicit"},
       .make = make_liniger_willoughby_1,
       .any_lanes = false,
       .fitted_to = 1},
      {.info = {"liniger-willoughby-2", "exponentially fitted", "3-4", "A-stable",
                "one or two fast real eigenvalues, with second derivatives; implicit"},
       .make = make_liniger_willoughby_2,
       .any_lanes = false,
       .fitted_to = 2},
      {.info = {"fitted-rosenbrock", "exponentially fitted", "2", "A-stable",
                "up to three clusters of real eigenvalues; semi-implicit"},
       .make = make_fitted_rosenbrock,
       .any_lanes = false,
       .fitted_to = 3},
      {.info = {"fitted-rk", "exponentially fitted", "2", "explicit",
                "one or two known real eigenvalues"},
       .make = make_fitted_rk,
       .any_lanes = false,
       .fitted_to = 2},
      {.info = {"fowler-warten", "exponentially fitted", "2", "explicit",
                "one real cluster of fast eigenvalues, which it finds by itself"},
       .make = make_fowler_warten,
       .any_lanes = false,
       .fitted_to = 1},
      {.info = {"cvodes", "multistep", "1-5", "stiffly stable",
                "SUNDIALS CVODES, the trusted reference"},
       .make = make_cvodes,
       .any_lanes = false,
       .fixed_steps = false,
       .largest_order = 5},
  };
  return entries;
}

const MethodEntry* find_method(std::string_view name) {
  for (const MethodEntry& entry : method_entries())
    if (entry.info.name == name) return &entry;
  return nullptr;
}

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> infos = [] {
    std::vector<MethodInfo> list;
    for (const MethodEntry& entry : method_entries()) list.push_back(entry.info);
    return list;
  }();
  return infos;
}

bool is_method(std::string_view name) { return find_method(name) != nullptr; }

}  // namespace stiffit
