// How far the curves of one model are from those of another that should show the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/pipeline/time_course.h"

namespace stiffit::internal {

struct ColumnDifference {
  std::string name;
  double largest = 0;  // |difference|
  double share = 0;    // of the largest magnitude of the first model's column
  double time = 0;     // of the largest difference
  double later = 0;    // the share from a hundredth of the time span on: past an initial layer
};

struct CurveDifference {
  std::vector<ColumnDifference> columns;
  std::vector<double> times;
  double worst = 0;           // the largest share
  std::string complaint;      // a run that failed; empty: both are done
  bool model_failed = false;  // already the first
  bool done() const { return complaint.empty(); }
};

// Both are run on the same grid, that of the first. `columns` are looked up in both; in the second
// under other names if `names_there` are given.
CurveDifference curve_difference(const std::shared_ptr<const Model>& first,
                                 const std::shared_ptr<const Model>& second,
                                 const std::vector<std::string>& columns, TimeCourseOptions options,
                                 const std::vector<std::string>& names_there = {});

// Of two time courses of the same columns and rows, called `names`; the first is the measure.
void add_differences(CurveDifference& result, const TimeCourse& first, const TimeCourse& second,
                     const std::vector<std::string>& names);

}  // namespace stiffit::internal
