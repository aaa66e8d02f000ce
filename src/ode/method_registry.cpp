// SPDX-License-Identifier: Apache-2.0
#include "ode/method_registry.h"

#include <stdexcept>

#include "base/listed.h"
#include "ode/methods/implicit_rk/dirk_tableau.h"
#include "ode/methods/taylor/taylor_bound.h"
#include "ode/methods/taylor/taylor_jet.h"

namespace stiffit::internal {

const std::vector<MethodEntry>& method_entries() {
  static const std::vector<MethodEntry> entries{
      {.info = {"automatic", "several", "5", "A- and L-stable",
                "any system: explicit, Rosenbrock or BDF as the model wants it; the default"},
       .make = make_automatic,
       .algebraic_equations = true,
       .sensitivities = Sensitivities::rosenbrock,
       .adjoint = true,
       .order = 5,
       .dense_order = 4,
       .largest_order = 30,
       .stiff = true,
       .a_stable = true,
       .l_stable = true,
       .role = MethodRole::standard},
      {.info = {"rodas5p", "Rosenbrock", "5(4)", "A- and L-stable",
                "stiff systems at everyday accuracy"},
       .make = make_rodas5p,
       .algebraic_equations = true,
       .sensitivities = Sensitivities::rosenbrock,
       .adjoint = true,
       .order = 5,
       .dense_order = 4,
       .stiff = true,
       .a_stable = true,
       .l_stable = true,
       .role = MethodRole::stiff},
      {.info = {"bdf", "multistep", "1-5 (6)", "stiffly stable",
                "stiff systems, large ones above all; variable order and step"},
       .make = make_bdf,
       .sensitivities = Sensitivities::multistep,
       .order = 5,
       .dense_order = 5,
       .largest_order = 6,
       .order_drawn = 5,
       .stiff = true,
       .role = MethodRole::large_stiff},
      {.info = {"dopri5", "explicit Runge-Kutta", "5(4)", "explicit", "non-stiff systems"},
       .make = make_dopri5,
       .order = 5,
       .dense_order = 4,
       .role = MethodRole::non_stiff},
      {.info = {"tsit5", "explicit Runge-Kutta", "5(4)", "explicit",
                "non-stiff systems; as a rule fewer steps than dopri5 for the same error"},
       .make = make_tsit5,
       .order = 5,
       .dense_order = 4},
      {.info = {"rkf45", "explicit Runge-Kutta", "5(4)", "explicit",
                "non-stiff systems; Fehlberg's pair, for comparison"},
       .make = make_rkf45,
       .order = 5,
       .dense_order = 4},
      {.info = {"dop853", "explicit Runge-Kutta", "8(5,3)", "explicit",
                "non-stiff systems at high accuracy"},
       .make = make_dop853,
       .order = 8,
       .dense_order = 7},
      {.info = {"bs32", "explicit Runge-Kutta", "3(2)", "explicit",
                "non-stiff systems at low accuracy"},
       .make = make_bs32,
       .order = 3,
       .dense_order = 3},
      {.info = {"rk4", "explicit Runge-Kutta", "4", "explicit", "fixed steps, for comparison"},
       .make = make_rk4,
       .fixed_step_only = true,
       .order = 4,
       .dense_order = 4},
      {.info = {"modified-euler", "explicit Runge-Kutta", "2", "explicit",
                "fixed steps, for comparison"},
       .make = make_modified_euler,
       .fixed_step_only = true,
       .order = 2,
       .dense_order = 2},
      {.info = {"euler", "explicit Runge-Kutta", "1", "explicit", "fixed steps, for comparison"},
       .make = make_euler,
       .fixed_step_only = true,
       .order = 1,
       .dense_order = 1},
      {.info = {"radau", "implicit Runge-Kutta", "5, 9, 13", "A- and L-stable",
                "stiff systems at high accuracy; nothing need be known of the eigenvalues"},
       .make = make_radau,
       .lanes = false,
       .algebraic_equations = true,
       .order = 5,
       .dense_order = 3,
       .largest_order = 13,
       .stiff = true,
       .a_stable = true,
       .l_stable = true,
       .role = MethodRole::accurate_stiff},
      {.info = {"trbdf2", "implicit Runge-Kutta", "2(3)", "A- and L-stable",
                "stiff systems at low accuracy; two stages, one matrix"},
       .make = make_trbdf2,
       .lanes = false,
       .sensitivities = Sensitivities::diagonally_implicit,
       .tableau = &trbdf2_tableau,
       .order = 2,
       .dense_order = 2,
       .stiff = true,
       .a_stable = true,
       .l_stable = true},
      {.info = {"esdirk54", "implicit Runge-Kutta", "5(4)", "A- and L-stable",
                "stiff systems at everyday accuracy; stages of Newton, one matrix"},
       .make = make_esdirk54,
       .lanes = false,
       .sensitivities = Sensitivities::diagonally_implicit,
       .tableau = &esdirk54_tableau,
       .order = 5,
       .dense_order = 4,
       .stiff = true,
       .a_stable = true,
       .l_stable = true},
      {.info = {"adams", "multistep", "1-12", "explicit",
                "non-stiff systems whose rates are costly; predictor and corrector"},
       .make = make_adams,
       .lanes = false,
       .order = 12,
       .dense_order = 12,
       .largest_order = 12,
       .order_drawn = 4},
      {.info = {"adams-bashforth", "multistep", "1-12", "explicit",
                "non-stiff systems, one evaluation per step; for comparison"},
       .make = make_adams_bashforth,
       .lanes = false,
       .order = 12,
       .dense_order = 12,
       .largest_order = 12,
       .order_drawn = 4},
      {.info = {"taylor", "Taylor series", "4-30", "explicit",
                "non-stiff systems at high accuracy; order from the tolerance"},
       .make = make_taylor,
       .order = 8,
       .dense_order = 8,
       .largest_order = 30,
       .refuses = taylor_refusal},
      {.info = {"taylor-guaranteed", "Taylor series", "4-30", "explicit",
                "polynomial models: what each step leaves out is proven below the tolerance"},
       .make = make_taylor,
       .order = 8,
       .dense_order = 8,
       .largest_order = 30,
       .refuses = taylor_bound_refusal},
      {.info = {"rkc", "stabilised Runge-Kutta", "2", "explicit",
                "large systems with real eigenvalues, mildly stiff; no linear algebra"},
       .make = make_rkc,
       .lanes = false,
       .order = 2,
       .dense_order = 2},
      {.info = {"rk-imaginary", "stabilised Runge-Kutta", "2", "explicit",
                "oscillations: stability along the imaginary axis"},
       .make = make_rk_imaginary,
       .lanes = false,
       .order = 2,
       .dense_order = 2},
      {.info = {"backward-euler", "implicit one-step", "1", "A- and L-stable",
                "fixed steps that bear anything; for comparison"},
       .make = make_backward_euler,
       .lanes = false,
       .algebraic_equations = true,
       .order = 1,
       .dense_order = 1,
       .stiff = true,
       .a_stable = true,
       .l_stable = true},
      {.info = {"trapezoidal", "implicit one-step", "2", "A-stable",
                "mild stiffness, for comparison"},
       .make = make_trapezoidal,
       .lanes = false,
       .order = 2,
       .dense_order = 2,
       .stiff = true,
       .a_stable = true},
      {.info = {"trapezoidal-smoothed", "implicit one-step", "2", "A-stable",
                "with Lindberg's smoothing: what is fast does not ring"},
       .make = make_trapezoidal_smoothed,
       .lanes = false,
       .order = 2,
       .dense_order = 2,
       .stiff = true,
       .a_stable = true},
      {.info = {"trapezoidal-extrapolated", "implicit one-step", "4", "A-stable",
                "smoothed, and extrapolated globally from steps h and h/2"},
       .make = make_trapezoidal_extrapolated,
       .lanes = false,
       .fixed_step_only = true,
       .combines_runs = true,
       .order = 4,
       .dense_order = 3,
       .stiff = true,
       .a_stable = true},
      {.info = {"exponential-rosenbrock", "exponential", "3(2)", "A- and L-stable",
                "stiff systems whose stiffness is linear; no LU"},
       .make = make_exponential_rosenbrock,
       .lanes = false,
       .order = 3,
       .dense_order = 3,
       .stiff = true,
       .a_stable = true,
       .l_stable = true},
      {.info = {"liniger-willoughby-1", "exponentially fitted", "1-2", "A-stable",
                "one fast real eigenvalue, given or estimated; implicit"},
       .make = make_liniger_willoughby_1,
       .lanes = false,
       .order = 2,
       .dense_order = 1,
       .stiff = true,
       .a_stable = true,
       .fitted_to = 1},
      {.info = {"liniger-willoughby-2", "exponentially fitted", "3-4", "A-stable",
                "one or two fast real eigenvalues, with second derivatives; implicit"},
       .make = make_liniger_willoughby_2,
       .lanes = false,
       .order = 4,
       .dense_order = 3,
       .stiff = true,
       .a_stable = true,
       .fitted_to = 2},
      {.info = {"fitted-rosenbrock", "exponentially fitted", "2", "A-stable",
                "up to three clusters of real eigenvalues; semi-implicit"},
       .make = make_fitted_rosenbrock,
       .lanes = false,
       .order = 2,
       .dense_order = 2,
       .stiff = true,
       .a_stable = true,
       .fitted_to = 3},
      {.info = {"fitted-rk", "exponentially fitted", "2", "explicit",
                "one or two known real eigenvalues"},
       .make = make_fitted_rk,
       .lanes = false,
       .order = 2,
       .dense_order = 2,
       .fitted_to = 2},
      {.info = {"fowler-warten", "exponentially fitted", "2", "explicit",
                "one real cluster of fast eigenvalues, which it finds by itself"},
       .make = make_fowler_warten,
       .lanes = false,
       .order = 2,
       .dense_order = 2,
       .fitted_to = 1},
      {.info = {"cvodes", "multistep", "1-5", "stiffly stable",
                "SUNDIALS CVODES, the trusted reference"},
       .make = make_cvodes,
       .lanes = false,
       .fixed_steps = false,
       .order = 5,
       .dense_order = 5,
       .largest_order = 5,
       .stiff = true,
       .role = MethodRole::reference},
  };
  return entries;
}

const MethodEntry* find_method(std::string_view name) {
  for (const MethodEntry& entry : method_entries())
    if (entry.info.name == name) return &entry;
  return nullptr;
}

const MethodEntry& method_for(MethodRole role) {
  for (const MethodEntry& entry : method_entries())
    if (entry.role == role) return entry;
  throw std::logic_error("no method has this role");
}

std::string method_name(MethodRole role) { return std::string(method_for(role).info.name); }

std::string_view default_method() { return method_for(MethodRole::standard).info.name; }

const MethodEntry& differentiated(const MethodEntry& method) {
  return method.role == MethodRole::standard ? method_for(MethodRole::stiff) : method;
}

std::string methods_listed(bool (*wanted)(const MethodEntry& method)) {
  std::vector<std::string> names;
  for (const MethodEntry& entry : method_entries())
    if (entry.role != MethodRole::standard && wanted(entry)) names.emplace_back(entry.info.name);
  return listed(names);
}

std::string methods_with_sensitivities() {
  return methods_listed([](const MethodEntry& m) { return m.gives_sensitivities(); });
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

}  // namespace stiffit::internal
