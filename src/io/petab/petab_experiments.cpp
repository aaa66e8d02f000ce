// Experiments: a table in version 2, pairs of conditions in the measurements of version 1.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/number.h"
#include "io/petab/petab_part.h"

namespace stiffit::internal {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
}

void PetabPart::read_experiments() {
  std::map<std::string, std::map<double, std::vector<TsvRow>>> found;
  std::vector<std::string> order;
  for (const TsvTable& table : tables_.experiments) {
    if (!table.require({"experimentId", "time", "conditionId"})) {
      experiments_known_ = false;
      continue;
    }
    for (std::size_t i = 0; i < table.size(); ++i) {
      TsvRow row = table.row(i);
      const std::string& id = row["experimentId"].text;
      if (only_measured_ && !measured_experiments_.contains(id)) continue;
      if (!is_petab_id(id)) {
        row.error(
            "experimentId",
            id.empty() ? "an experiment without an id" : "'" + id + "' cannot be an id in PEtab",
            "letters, digits and _ only, not beginning with a digit");
        continue;
      }
      auto time = row.number("time", TsvRow::Need::required);
      if (!found.contains(id)) order.push_back(id);
      auto& periods = found[id];
      if (!time) continue;
      if (*time == infinity) {
        row.error("time", "a period cannot begin at infinity", "-inf is pre-equilibration");
        continue;
      }
      periods[*time].push_back(row);
    }
  }
  for (const std::string& id : order) {
    Experiment experiment;
    experiment.id = id;
    for (const auto& [time, rows] : found[id]) add_period(experiment, time, rows);
    experiment_index_[id] = static_cast<int>(problem_.experiments.size());
    problem_.experiments.push_back(std::move(experiment));
  }
}

// All conditions of one moment.
void PetabPart::add_period(Experiment& experiment, double time, const std::vector<TsvRow>& rows) {
  Period period;
  period.start = time;
  When when = experiment.periods.empty() ? When::first : When::later;
  std::unordered_set<std::string> applied;
  for (const TsvRow& row : rows) {
    const std::string& id = row["conditionId"].text;
    if (is_missing(id)) continue;
    if (!conditions_.contains(id) && !conditions_known_) continue;
    if (!conditions_.contains(id)) {
      std::vector<std::string> known;
      for (const auto& [name, condition] : conditions_) known.push_back(name);
      std::string nearest = nearest_name(id, known);
      row.error("conditionId", "there is no condition '" + id + "'",
                nearest.empty() ? "" : "did you mean '" + nearest + "'?");
      continue;
    }
    if (!applied.insert(id).second) {
      row.error("conditionId",
                "condition '" + id + "' is applied twice at time " + format_number(time));
      continue;
    }
    std::size_t before = period.assignments.size();
    apply(id, when, period);
    for (std::size_t i = before; i < period.assignments.size(); ++i)
      for (std::size_t j = 0; j < before; ++j)
        if (period.assignments[i].target == period.assignments[j].target)
          row.error("conditionId", "condition '" + id + "' sets '" +
                                       model_.id_of(period.assignments[i].target) +
                                       "', as another one at the same time does");
    period.name += (period.name.empty() ? "" : ";") + id;
  }
  experiment.periods.push_back(std::move(period));
}

int PetabPart::experiment_of_conditions(const std::string& before, const std::string& condition) {
  std::string id = before.empty() ? condition : before + "+" + condition;
  if (auto found = experiment_index_.find(id); found != experiment_index_.end())
    return found->second;
  Experiment experiment;
  experiment.id = id;
  if (!before.empty()) {
    Period equilibration;
    equilibration.start = -infinity;
    equilibration.name = before;
    apply(before, When::first, equilibration);
    experiment.periods.push_back(std::move(equilibration));
  }
  Period period;
  period.start = 0;
  period.name = condition;
  apply(condition, before.empty() ? When::first : When::after_equilibration, period);
  experiment.periods.push_back(std::move(period));
  auto index = static_cast<int>(problem_.experiments.size());
  experiment_index_[id] = index;
  problem_.experiments.push_back(std::move(experiment));
  return index;
}

// Version 2, measurements that name no experiment: the model as it is.
int PetabPart::experiment_without_changes() {
  if (auto found = experiment_index_.find(""); found != experiment_index_.end())
    return found->second;
  Experiment experiment;
  Period period;
  period.start = model_.start_time;
  experiment.periods.push_back(period);
  auto index = static_cast<int>(problem_.experiments.size());
  experiment_index_[""] = index;
  problem_.experiments.push_back(std::move(experiment));
  return index;
}

}  // namespace stiffit::internal
