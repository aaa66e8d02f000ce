// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/curve_difference.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {

CurveDifference curve_difference(const std::shared_ptr<const Model>& first,
                                 const std::shared_ptr<const Model>& second,
                                 const std::vector<std::string>& columns, TimeCourseOptions options,
                                 const std::vector<std::string>& names_there) {
  CurveDifference result;
  if (options.times.empty()) options.times = output_times(*first, options);
  options.show = columns;
  const TimeCourse a = time_course(first, options);
  if (!names_there.empty()) options.show = names_there;
  // One that strays takes smaller and smaller steps without end.
  options.integration.max_steps =
      std::min(options.integration.max_steps, 20 * a.outcome.counters.steps + 5000);
  const TimeCourse b = time_course(second, options);
  add_differences(result, a, b, names_there.empty() ? columns : names_there);
  result.model_failed = a.outcome.status != Status::done;
  if (b.outcome.status != Status::done) result.complaint = "the new model: " + b.explanation;
  if (result.model_failed) result.complaint = "the model itself: " + a.explanation;
  return result;
}

void add_differences(CurveDifference& result, const TimeCourse& a, const TimeCourse& b,
                     const std::vector<std::string>& names) {
  const std::size_t rows = std::min(a.times.size(), b.times.size()), n = names.size();
  result.times.assign(a.times.begin(), a.times.begin() + rows);
  for (std::size_t c = 0; c < n; ++c) {
    ColumnDifference d{names[c], 0, 0, 0, 0};
    double magnitude = 0, later = 0;
    const double past_layer =
        rows ? a.times.front() + 0.01 * (a.times[rows - 1] - a.times.front()) : 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const double x = a.values[r * n + c], y = b.values[r * n + c];
      magnitude = std::max(magnitude, std::fabs(x));
      const bool same = x == y || (std::isnan(x) && std::isnan(y));
      const double e = same ? 0 : std::fabs(x - y);
      if (a.times[r] >= past_layer && !(e <= later)) later = e;
      if (!(e <= d.largest)) {
        d.largest = e;
        d.time = a.times[r];
      }
    }
    d.later = later == 0 ? 0 : later / magnitude;
    d.share = d.largest == 0 ? 0 : d.largest / magnitude;
    if (!(d.share <= result.worst)) result.worst = d.share;
    result.columns.push_back(std::move(d));
  }
}

}  // namespace stiffit::internal
