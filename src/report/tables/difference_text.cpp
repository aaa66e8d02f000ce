// SPDX-License-Identifier: Apache-2.0
#include "report/tables/difference_text.h"

#include <algorithm>

#include "base/number.h"
#include "report/text_table.h"

namespace stiffit::internal {

std::string difference_text(const ColumnDifferences& differences) {
  ColumnDifferences sorted = differences;
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

void write_differences(JsonWriter& json, double worst, const ColumnDifferences& differences) {
  json.member("worst", worst).key("differences").begin_array();
  for (const api::ColumnDifference& d : differences) {
    json.begin_object().member("name", d.name).member("largest", d.largest);
    json.member("share", d.share).member("time", d.time).member("later", d.later).end_object();
  }
  json.end_array();
}

std::string verification_text(const api::Verification& v) {
  if (!v.done()) {
    std::string text = "error: the time course could not be verified\n";
    for (const std::string& line : v.tried) text += "  " + line + "\n";
    return text;
  }
  if (!v.agrees()) {
    constexpr std::size_t most_named = 5;
    std::string text = "error: the time course is not the one that " + v.method +
                       " gives at relative tolerance " + format_short(v.rtol) + "\n";
    for (std::size_t i = 0; i < std::min(most_named, v.wrong.size()); ++i)
      text += "  " + v.wrong[i] + "\n";
    if (v.wrong.size() > most_named)
      text += "  " + std::to_string(v.wrong.size()) + " columns in all\n";
    return text + "  more than " + format_short(v.allowed, 2) +
           " of a column's maximum is no error of rounding and tolerance: try a smaller --rtol, "
           "--max-step or another --method\n" +
           difference_text(v.differences);
  }
  return "verified with " + v.method + " at relative tolerance " + format_short(v.rtol) +
         ": at most " + format_short(v.worst, 2) + " of a column's maximum apart\n" +
         difference_text(v.differences);
}

void write_verification(JsonWriter& json, const api::Verification& v) {
  json.begin_object().member("method", v.method).member("rtol", v.rtol);
  json.member("status", v.agrees() ? "done" : v.done() ? "differs" : "failed");
  json.member("tried", v.tried).member("allowed", v.allowed).member("wrong", v.wrong);
  write_differences(json, v.worst, v.differences);
  json.end_object();
}

}  // namespace stiffit::internal
