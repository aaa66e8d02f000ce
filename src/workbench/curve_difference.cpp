// SPDX-License-Identifier: Apache-2.0
#include "workbench/curve_difference.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "report/text_table.h"

namespace stiffit {

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
  result.times.assign(a.times.begin(), a.times.begin() + static_cast<long>(rows));
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

std::string text_of(const CurveDifference& difference) {
  std::vector<ColumnDifference> sorted = difference.columns;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](auto& x, auto& y) { return x.share > y.share; });
  constexpr std::size_t most_shown = 20;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(most_shown, sorted.size()); ++i)
    rows.push_back({sorted[i].name, format_short(sorted[i].largest), format_short(sorted[i].share),
                    format_short(sorted[i].time), format_short(sorted[i].later)});
  std::string text = text_table({"", "difference", "of maximum", "at time", "after 1 %"}, rows);
  if (sorted.size() > most_shown)
    text += "... " + std::to_string(sorted.size()) + " columns in all\n";
  return text;
}

void write_json(JsonWriter& json, const CurveDifference& difference) {
  json.member("worst", difference.worst).key("differences").begin_array();
  for (const ColumnDifference& d : difference.columns) {
    json.begin_object().member("name", d.name).member("largest", d.largest);
    json.member("share", d.share).member("time", d.time).member("later", d.later).end_object();
  }
  json.end_array();
}

}  // namespace stiffit
