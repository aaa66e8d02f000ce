// The measurement table.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/number.h"
#include "io/petab/petab_part.h"

namespace stiffit::internal {
namespace {

using Need = TsvRow::Need;

template <class Map>
std::string suggestion(const std::string& id, const Map& known) {
  std::vector<std::string> names;
  for (const auto& entry : known) names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  std::string nearest = nearest_name(id, names);
  return nearest.empty() ? "" : "did you mean '" + nearest + "'?";
}

}  // namespace

bool PetabPart::is_mine(const TsvRow& row) const {
  return !only_measured_ || version_ == PetabVersion::v1 || row["modelId"].text == model_id_;
}

void PetabPart::read_measurements() {
  int number = first_row_;
  for (const TsvTable& table : tables_.measurements) {
    bool complete =
        version_ == PetabVersion::v1
            ? table.require({"observableId", "simulationConditionId", "measurement", "time"})
            : table.require({"observableId", "measurement", "time"});
    if (complete && version_ == PetabVersion::v2 && table.has("simulationConditionId"))
      table.file().error({}, "column 'simulationConditionId' is of PEtab version 1",
                         "version 2 has experiments");
    if (!complete) continue;
    for (std::size_t i = 0; i < table.size(); ++i, ++number) {
      TsvRow row = table.row(i);
      if (is_mine(row)) read_measurement(row, number);
    }
  }
  check_repeated();
}

void PetabPart::read_measurement(const TsvRow& row, int number) {
  Measurement m;
  m.row = number;
  m.place = row.place("measurement");
  if (row.has("datasetId")) m.dataset = row["datasetId"].text;
  if (row.has("replicateId")) m.replicate = row["replicateId"].text;
  const std::string& observable = row["observableId"].text;
  if (auto found = observable_index_.find(observable); found != observable_index_.end())
    m.observable = found->second;
  else if (observables_known_ || is_missing(observable))
    row.error("observableId",
              is_missing(observable) ? "the observable is missing"
                                     : "there is no observable '" + observable + "'",
              suggestion(observable, observable_index_));
  usage_.observables.insert(observable);
  m.experiment = experiment_of(row);
  read_time(row, m);
  read_value(row, m);
  if (m.observable >= 0) {
    const ObservableNeeds& needs = needs_[m.observable];
    read_overrides(row, "observableParameters", needs.observable_placeholders, m);
    read_overrides(row, "noiseParameters", needs.noise_placeholders, m);
    if (m.experiment >= 0) check_outputs(row, m);
  }
  problem_.measurements.push_back(std::move(m));
}

int PetabPart::experiment_of(const TsvRow& row) {
  if (version_ == PetabVersion::v2) {
    if (!row.has("experimentId")) return experiment_without_changes();
    const std::string& id = row["experimentId"].text;
    usage_.experiments.insert(id);
    auto found = experiment_index_.find(id);
    if (found != experiment_index_.end()) return found->second;
    if (!experiments_known_) return -1;
    row.error("experimentId", "there is no experiment '" + id + "'",
              suggestion(id, experiment_index_));
    return -1;
  }
  const std::string& before = row["preequilibrationConditionId"].text;
  const std::string& condition = row["simulationConditionId"].text;
  bool good = true;
  auto check = [&](const std::string& id, std::string_view column) {
    if (conditions_.contains(id)) return;
    good = false;
    if (!conditions_known_ && !is_missing(id)) return;
    row.error(column,
              is_missing(id) ? "the condition is missing" : "there is no condition '" + id + "'",
              suggestion(id, conditions_));
  };
  check(condition, "simulationConditionId");
  if (!is_missing(before)) check(before, "preequilibrationConditionId");
  if (!good) return -1;
  return experiment_of_conditions(is_missing(before) ? "" : before, condition);
}

void PetabPart::read_time(const TsvRow& row, Measurement& m) {
  auto time = row.number("time", Need::required);
  if (!time) return;
  m.time = *time;
  if (m.experiment < 0) return;
  auto& periods = problem_.experiments[m.experiment].periods;
  if (periods.empty()) return;  // reported
  // After a pre-equilibration that nothing follows the model goes on as it is, from its own start.
  if (periods.size() == 1 && std::isinf(periods.front().start) && std::isfinite(m.time)) {
    Period rest;
    rest.start = model_.start_time;
    periods.push_back(std::move(rest));
  }
  auto first = std::find_if(periods.begin(), periods.end(),
                            [](const Period& p) { return std::isfinite(p.start); });
  if (first == periods.end()) {
    if (m.time < 0) row.error("time", "nothing is measured at -inf", "inf is the steady state");
  } else if (m.time < first->start) {
    row.error("time", "this is before the experiment begins",
              "at time " + format_number(first->start));
  }
}

void PetabPart::read_value(const TsvRow& row, Measurement& m) {
  auto value = row.number("measurement", Need::required);
  if (!value) return;
  m.value = *value;
  if (!std::isfinite(*value)) {
    row.error("measurement", "the measured value is not finite");
    return;
  }
  if (m.observable < 0) return;
  const ProblemObservable& o = problem_.observables[m.observable];
  if (o.transformation != Transformation::none && *value <= 0)
    row.error("measurement", "the logarithm of the measured value is compared, and it is " +
                                 row["measurement"].text);
}

void PetabPart::read_overrides(const TsvRow& row, std::string_view column, std::size_t count,
                               Measurement& m) {
  std::vector<Cell> parts = split_list(row[column]);
  if (parts.size() != count) {
    const std::string& id = row["observableId"].text;
    row.error(column, "observable '" + id + "' has " + std::to_string(count) +
                          (count == 1 ? " placeholder" : " placeholders") + " for this, not " +
                          std::to_string(parts.size()));
    return;
  }
  for (const Cell& part : parts) {
    PlaceholderValue value;
    if (auto number = parse_number(part.text)) {
      value.number = *number;
      if (!std::isfinite(*number))
        row.file().error(part.span, "the value of a placeholder is not finite (column " +
                                        std::string(column) + ")");
    } else if (auto found = parameter_index_.find(part.text); found != parameter_index_.end()) {
      value.parameter = found->second;
      usage_.parameters.insert(part.text);
    } else if (table_.complete) {
      row.file().error(part.span,
                       "'" + part.text +
                           "' is neither a number nor in the parameter table (column " +
                           std::string(column) + ")",
                       suggestion(part.text, parameter_index_));
    }
    m.placeholders.push_back(value);
  }
}

// A parameter that only conditions give a value must have got one.
void PetabPart::check_outputs(const TsvRow& row, const Measurement& m) {
  const Experiment& experiment = problem_.experiments[m.experiment];
  for (const std::string& output : needs_[m.observable].outputs) {
    bool given = false;
    for (const Period& period : experiment.periods) {
      if (period.start > m.time) break;
      for (const ConditionAssignment& a : period.assignments)
        given |= model_.id_of(a.target) == output;
    }
    if (!given)
      row.error(version_ == PetabVersion::v1 ? "simulationConditionId" : "experimentId",
                "nothing gives '" + output + "' a value here, which '" + row["observableId"].text +
                    "' needs");
  }
}

// Replicates are welcome, but the same number again may be a slip.
void PetabPart::check_repeated() {
  for (const TsvTable& table : tables_.measurements) {
    std::unordered_map<std::string, int> lines;
    int count = 0, line = 0, first = 0;
    Span span;
    for (std::size_t i = 0; i < table.size(); ++i) {
      TsvRow row = table.row(i);
      std::string text;
      for (std::size_t c = 0; c < table.columns().size(); ++c) text += row.at(c).text + "\t";
      auto [place, is_new] = lines.try_emplace(std::move(text), row.line());
      if (is_new || count++ > 0) continue;
      line = row.line();
      first = place->second;
      span = row.span();
    }
    if (count > 0)
      table.file().warning(
          span,
          count == 1 ? "this row repeats an earlier one"
                     : std::to_string(count) + " rows repeat earlier ones; this is the first",
          "line " + std::to_string(line) + " is the same as line " + std::to_string(first));
  }
}

}  // namespace stiffit::internal
