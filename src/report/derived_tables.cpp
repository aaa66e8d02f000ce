// SPDX-License-Identifier: Apache-2.0
#include "report/derived_tables.h"

#include <cmath>

#include "base/number.h"
#include "report/text_table.h"

namespace stiffit::internal {
namespace {

std::string shown(double value, int digits) {
  return std::isfinite(value) ? format_short(value, digits) : "-";
}

}  // namespace

void write_derived_quantity(JsonWriter& json, const DerivedQuantity& d) {
  json.begin_object().member("name", d.name).member("formula", d.formula);
  json.member("value", d.value).member("standard_error", d.error);
  json.member("low", d.limits.low).member("high", d.limits.high);
  json.key("limits").begin_array().value(d.limits.low).value(d.limits.high).end_array();
  json.member("limits_by", d.limits_by).key("determination");
  if (d.grade == Identifiability::not_judged)
    json.null();
  else
    json.value(identifiability_name(d.grade));
  json.member("verdict", d.verdict).key("points").begin_array();
  for (const QuantityPoint& p : d.points)
    json.begin_array().value(p.value).value(p.ratio).end_array();
  json.end_array().end_object();
}

std::vector<std::string> derived_header(double level) {
  const std::string percent = format_short(100 * level) + " % ";
  return {"derived",       "formula",        "estimate", "std error",
          percent + "low", percent + "high", "verdict"};
}

std::vector<std::vector<std::string>> derived_rows(const std::vector<DerivedQuantity>& derived) {
  std::vector<std::vector<std::string>> rows;
  for (const DerivedQuantity& d : derived)
    rows.push_back({d.name, d.formula, shown(d.value, 6), shown(d.error, 3), shown(d.limits.low, 5),
                    shown(d.limits.high, 5), d.verdict});
  return rows;
}

std::string derived_text(const std::vector<DerivedQuantity>& derived, double level) {
  if (derived.empty()) return "";
  return text_table(derived_header(level), derived_rows(derived)) + "\n";
}

}  // namespace stiffit::internal
