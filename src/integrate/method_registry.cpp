// SPDX-License-Identifier: Apache-2.0
#include "integrate/method_registry.h"

#include "integrate/taylor_bound.h"
#include "integrate/taylor_jet.h"

namespace stiffit {

const std::vector<MethodEntry>& method_entries() {
  static const std::vector<MethodEntry> entries{
      {{"automatic", "several", "5", "A- and L-stable",
        "any system: explicit, Rosenbrock or BDF as the model wants it; the default"},
       make_automatic,
       true,
       false,
       true},
      {{"rodas5p", "Rosenbrock", "5(4)", "A- and L-stable", "stiff systems at everyday accuracy"},
       make_rodas5p,
       true,
       false,
       true},
      {{"bdf", "multistep", "1-5 (6)", "stiffly stable",
        "stiff systems, large ones above all; variable order and step"},
       make_bdf},
      {{"dopri5", "explicit Runge-Kutta", "5(4)", "explicit", "non-stiff systems"}, make_dopri5},
      {{"rkf45", "explicit Runge-Kutta", "5(4)", "explicit",
        "non-stiff systems; Fehlberg's pair, for comparison"},
       make_rkf45},
      {{"dop853", "explicit Runge-Kutta", "8(5,3)", "explicit",
        "non-stiff systems at high accuracy"},
       make_dop853},
      {{"bs32", "explicit Runge-Kutta", "3(2)", "explicit", "non-stiff systems at low accuracy"},
       make_bs32},
      {{"rk4", "explicit Runge-Kutta", "4", "explicit", "fixed steps, for comparison"},
       make_rk4,
       true,
       true},
      {{"modified-euler", "explicit Runge-Kutta", "2", "explicit", "fixed steps, for comparison"},
       make_modified_euler,
       true,
       true},
      {{"euler", "explicit Runge-Kutta", "1", "explicit", "fixed steps, for comparison"},
       make_euler,
       true,
       true},
      {{"radau", "implicit Runge-Kutta", "5, 9, 13", "A- and L-stable",
        "stiff systems at high accuracy; nothing need be known of the eigenvalues"},
       make_radau,
       false,
       false,
       true},
      {{"adams", "multistep", "1-12", "explicit",
        "non-stiff systems whose rates are costly; predictor and corrector"},
       make_adams,
       false},
      {{"adams-bashforth", "multistep", "1-12", "explicit",
        "non-stiff systems, one evaluation per step; for comparison"},
       make_adams_bashforth,
       false},
      {{"taylor", "Taylor series", "4-30", "explicit",
        "non-stiff systems at high accuracy; order from the tolerance"},
       make_taylor,
       true,
       false,
       false,
       true,
       taylor_refusal},
      {{"taylor-guaranteed", "Taylor series", "4-30", "explicit",
        "polynomial models: what each step leaves out is proven below the tolerance"},
       make_taylor,
       true,
       false,
       false,
       true,
       taylor_bound_refusal},
      {{"rkc", "stabilised Runge-Kutta", "2", "explicit",
        "large systems with real eigenvalues, mildly stiff; no linear algebra"},
       make_rkc,
       false},
      {{"rk-imaginary", "stabilised Runge-Kutta", "2", "explicit",
        "oscillations: stability along the imaginary axis"},
       make_rk_imaginary,
       false},
      {{"backward-euler", "implicit one-step", "1", "A- and L-stable",
        "fixed steps that bear anything; for comparison"},
       make_backward_euler,
       false,
       false,
       true},
      {{"trapezoidal", "implicit one-step", "2", "A-stable", "mild stiffness, for comparison"},
       make_trapezoidal,
       false},
      {{"trapezoidal-smoothed", "implicit one-step", "2", "A-stable",
        "with Lindberg's smoothing: what is fast does not ring"},
       make_trapezoidal_smoothed,
       false},
      {{"trapezoidal-extrapolated", "implicit one-step", "4", "A-stable",
        "smoothed, and extrapolated globally from steps h and h/2"},
       make_trapezoidal_extrapolated,
       false,
       true},
      {{"exponential-rosenbrock", "exponential", "3(2)", "A- and L-stable",
        "stiff systems whose stiffness is linear; no LU"},
       make_exponential_rosenbrock,
       false},
      {{"liniger-willoughby-1", "exponentially fitted", "1-2", "A-stable",
        "one fast real eigenvalue, given or estimated; implicit"},
       make_liniger_willoughby_1,
       false},
      {{"liniger-willoughby-2", "exponentially fitted", "3-4", "A-stable",
        "one or two fast real eigenvalues, with second derivatives; implicit"},
       make_liniger_willoughby_2,
       false},
      {{"fitted-rosenbrock", "exponentially fitted", "2", "A-stable",
        "up to three clusters of real eigenvalues; semi-implicit"},
       make_fitted_rosenbrock,
       false},
      {{"fitted-rk", "exponentially fitted", "2", "explicit", "one or two known real eigenvalues"},
       make_fitted_rk,
       false},
      {{"fowler-warten", "exponentially fitted", "2", "explicit",
        "one real cluster of fast eigenvalues, which it finds by itself"},
       make_fowler_warten,
       false},
      {{"cvodes", "multistep", "1-5", "stiffly stable", "SUNDIALS CVODES, the trusted reference"},
       make_cvodes,
       false,
       false,
       false,
       false},
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
