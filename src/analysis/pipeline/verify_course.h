// Is a time course right? It is computed again by another route: another method at a hundredth of
// the tolerance, with steps short enough to meet what the first may have passed over, and beyond
// its end, so that whatever is sought along time is sought at other times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/pipeline/curve_difference.h"

namespace stiffit::internal {

struct Verification {
  std::string method;  // that was compared with; empty: none got through
  double rtol = 0;     // of that run
  CurveDifference difference;
  std::vector<std::string> tried;  // methods that could not, and why
  double allowed = 0;              // of a column's maximum; farther apart is wrong
  std::vector<std::string> wrong;  // columns that are, the farthest first, in words
  bool done() const { return !method.empty(); }
  bool agrees() const { return done() && wrong.empty(); }
};

// `course` is what `options` gave. Throws InputError.
Verification verify_course(const std::shared_ptr<const Model>& model,
                           const TimeCourseOptions& options, const TimeCourse& course);

}  // namespace stiffit::internal
