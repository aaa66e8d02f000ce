// Which lanes want a look of their own, told for all lanes at once: most often none does, and what
// is done lane by lane costs more than a step of a small model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/stepper.h"

namespace stiffit::internal {

class LaneMarks {
 public:
  explicit LaneMarks(const Program& program);

  struct Attempt {
    LaneMask passed = 0;  // the error test
    LaneMask below = 0;   // a state has its sign bit set
    LaneMask fallen = 0;  // a state that may grow again is less than half of what it was
  };
  Attempt after_attempt(const LaneGroup& group) const { return attempt_(group); }

  // Bases of laws of fractional order (driver/exhaustion.h), all [base][lane]: the lanes where one
  // is small beside its largest value, negative or not a number.
  LaneMask small_bases(std::size_t bases, const double* next, const double* largest) const {
    return small_(bases, next, largest);
  }
  // On these lanes now = next and largest = max(largest, |next|).
  void take_bases(LaneMask lanes, std::size_t bases, const double* next, double* now,
                  double* largest) const {
    take_(lanes, bases, next, now, largest);
  }
  // The lanes where what is left of a state with such a law lasts for no time, or is a trace that
  // lasts for no longer than the last step.
  LaneMask spent_bases(const LaneGroup& group, const double* largest, const double* slope) const {
    return spent_(group, largest, slope);
  }
  static constexpr double small = 1e-2;  // part of the largest value: what may be about to vanish
  static constexpr double trace = 1e-2;  // of the tolerance
  static constexpr double rounding_of_time = 1e-15;

 private:
  Attempt (*attempt_)(const LaneGroup&);
  LaneMask (*small_)(std::size_t, const double*, const double*);
  LaneMask (*spent_)(const LaneGroup&, const double*, const double*);
  void (*take_)(LaneMask, std::size_t, const double*, double*, double*);
};

}  // namespace stiffit::internal
