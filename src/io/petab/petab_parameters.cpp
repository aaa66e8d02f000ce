// SPDX-License-Identifier: Apache-2.0
#include "io/petab/petab_parameters.h"

#include <cmath>
#include <unordered_map>

#include "base/number.h"

namespace stiffit::internal {
namespace {

using Need = TsvRow::Need;

std::optional<Scale> scale_named(std::string_view name) {
  if (name == "lin") return Scale::lin;
  if (name == "log") return Scale::log;
  if (name == "log10") return Scale::log10;
  return std::nullopt;
}

class ParameterReader {
 public:
  ParameterReader(const TsvRow& row, PetabVersion version) : row_(row), version_(version) {}

  ProblemParameter read() {
    p_.id = row_["parameterId"].text;
    if (row_.has("parameterName")) p_.name = row_["parameterName"].text;
    p_.place = row_.place("parameterId");
    p_.estimated = read_estimate();
    if (version_ == PetabVersion::v1) read_scale();
    read_bounds();
    if (version_ == PetabVersion::v2) choose_scale();
    read_nominal();
    read_priors();
    return p_;
  }

 private:
  bool read_estimate() {
    const std::string& text = row_["estimate"].text;
    if (version_ == PetabVersion::v2) {
      if (text == "true" || text == "false") return text == "true";
      if (text == "True" || text == "False" || text == "1" || text == "0") {
        row_.warning("estimate", "'true' or 'false' is expected");
        return text == "True" || text == "1";
      }
    } else if (auto number = parse_number(text); number && (*number == 0 || *number == 1)) {
      return *number == 1;
    }
    row_.error("estimate",
               is_missing(text) ? "it is not said whether the parameter is estimated"
                                : "'" + text + "' does not say whether the parameter is estimated",
               version_ == PetabVersion::v2 ? "true or false" : "1 or 0");
    return false;
  }

  void read_scale() {
    const std::string& text = row_["parameterScale"].text;
    if (auto scale = scale_named(text)) {
      p_.scale = *scale;
    } else if (!is_missing(text)) {
      row_.error("parameterScale", "there is no scale '" + text + "'", "lin, log or log10");
    } else if (p_.estimated) {
      row_.error("parameterScale", "the scale is missing", "lin, log or log10");
    }
  }

  void read_bounds() {
    auto need = p_.estimated ? Need::required : Need::optional;
    auto lower = row_.number("lowerBound", need);
    auto upper = row_.number("upperBound", need);
    if (lower) p_.lower = *lower;
    if (upper) p_.upper = *upper;
    if (!p_.estimated || !lower || !upper) return;
    if (*lower > *upper)
      row_.error("lowerBound", "the lower bound " + row_["lowerBound"].text +
                                   " is above the upper bound " + row_["upperBound"].text);
    else if (*lower == *upper)
      row_.warning("lowerBound", "lower and upper bound are the same",
                   "a parameter that is not estimated says this plainly");
    if (p_.scale != Scale::lin)
      for (const char* column : {"lowerBound", "upperBound"})
        if (*row_.number(column, need) <= 0)
          row_.error(column, "a bound on a logarithmic scale must be positive");
  }

  // Version 2 leaves it open on which scale a tool estimates.
  void choose_scale() {
    if (p_.estimated && p_.lower > 0 && std::isfinite(p_.upper)) p_.scale = Scale::log10;
  }

  void read_nominal() {
    auto value = row_.number("nominalValue", p_.estimated ? Need::optional : Need::required);
    if (!value) {
      if (p_.estimated && !row_.has("nominalValue"))
        row_.warning("nominalValue", "'" + p_.id + "' has no nominal value");
      return;
    }
    p_.nominal = *value;
    if (!std::isfinite(*value)) {
      row_.error("nominalValue", "the nominal value is not finite");
      return;
    }
    if (!p_.estimated) return;
    bool logarithmic = p_.scale != Scale::lin && version_ == PetabVersion::v1;
    if (logarithmic && *value < 0)
      row_.error("nominalValue", "a negative value on a logarithmic scale");
    else if (logarithmic && *value == 0)
      row_.warning("nominalValue", "zero on a logarithmic scale",
                   "evaluated at zero; a fit starts it at the lower bound");
    else if (p_.lower <= p_.upper && (*value < p_.lower || *value > p_.upper))
      row_.warning("nominalValue", "the nominal value is outside of the bounds",
                   "[" + format_number(p_.lower) + ", " + format_number(p_.upper) + "]");
  }

  void read_priors() {
    if (version_ == PetabVersion::v1) {
      prior("objectivePriorType", "objectivePriorParameters", p_.prior);
      prior("initializationPriorType", "initializationPriorParameters", p_.initialization);
      return;
    }
    prior("priorDistribution", "priorParameters", p_.prior);
    p_.prior.low = p_.lower;
    p_.prior.high = p_.upper;
  }

  void prior(std::string_view type, std::string_view parameters, Prior& into) {
    auto found = read_petab_prior(row_, version_, type, parameters, p_);
    if (found && p_.estimated)
      into = *found;
    else if (found)
      row_.warning(type, "the prior of a parameter that is not estimated is not used");
  }

  const TsvRow& row_;
  PetabVersion version_;
  ProblemParameter p_;
};

// Where some parameters have a prior, the others are uniform within their bounds (version 2).
void complete_priors(std::vector<ProblemParameter>& parameters) {
  bool any = false;
  for (const ProblemParameter& p : parameters) any |= p.prior.kind != PriorKind::none;
  for (ProblemParameter& p : parameters) {
    if (!any || !p.estimated || p.prior.kind != PriorKind::none) continue;
    if (!std::isfinite(p.lower) || !std::isfinite(p.upper)) continue;  // flat, but no density
    p.prior.kind = PriorKind::uniform;
    p.prior.a = p.lower;
    p.prior.b = p.upper;
  }
}

}  // namespace

PetabParameters read_petab_parameters(const std::vector<TsvTable>& tables, PetabVersion version) {
  PetabParameters result;
  std::unordered_map<std::string, TablePlace> seen;
  for (const TsvTable& table : tables) {
    bool complete = version == PetabVersion::v1
                        ? table.require({"parameterId", "parameterScale", "lowerBound",
                                         "upperBound", "estimate"})
                        : table.require({"parameterId", "lowerBound", "upperBound", "estimate"});
    if (version == PetabVersion::v2)
      for (const char* old : {"parameterScale", "objectivePriorType", "initializationPriorType"})
        if (table.has(old))
          table.file().warning(
              {}, std::string("column '") + old + "' is of PEtab version 1 and not read");
    if (!complete) {
      result.complete = false;
      continue;
    }
    for (std::size_t i = 0; i < table.size(); ++i) {
      TsvRow row = table.row(i);
      const std::string& id = row["parameterId"].text;
      if (!is_petab_id(id)) {
        result.complete = false;
        row.error(
            "parameterId",
            id.empty() ? "a parameter without an id" : "'" + id + "' cannot be an id in PEtab",
            "letters, digits and _ only, not beginning with a digit");
        continue;
      }
      if (is_reserved_in_petab(id)) row.warning("parameterId", "'" + id + "' is reserved in PEtab");
      auto [first, is_new] = seen.try_emplace(id, row.place("parameterId"));
      if (!is_new) {
        row.error("parameterId", "a second row for parameter '" + id + "'",
                  "the first is in " + first->second.file + ", line " +
                      std::to_string(first->second.line));
        continue;
      }
      result.parameters.push_back(ParameterReader(row, version).read());
      result.rows.push_back(row);
    }
  }
  if (version == PetabVersion::v2) complete_priors(result.parameters);
  return result;
}

}  // namespace stiffit::internal
