// Is a time course right? It is computed again by another method at a hundredth of its tolerance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workbench/curve_difference.h"

namespace stiffit {

struct Verification {
  std::string method;  // that was compared with; empty: none got through
  double rtol = 0;     // of that run
  CurveDifference difference;
  std::vector<std::string> tried;  // methods that could not, and why
  bool done() const { return !method.empty(); }
};

// `course` is what `options` gave. Throws InputError.
Verification verify_course(const std::shared_ptr<const Model>& model,
                           const TimeCourseOptions& options, const TimeCourse& course);

std::string text_of(const Verification& verification);
void write_json(JsonWriter& json, const Verification& verification);  // one object

}  // namespace stiffit
