// The condition table: wide in version 1 (a column for each target), long in version 2 (a row for
// each change).
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/number.h"
#include "io/petab/petab_part.h"

namespace stiffit::internal {

void PetabPart::collect_conditions() {
  for (const TsvTable& table : tables_.conditions) {
    if (version_ == PetabVersion::v1)
      collect_wide(table);
    else
      collect_long(table);
  }
}

void PetabPart::collect_wide(const TsvTable& table) {
  if (!table.require({"conditionId"})) {
    conditions_known_ = false;
    return;
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    TsvRow row = table.row(i);
    const std::string& id = row["conditionId"].text;
    if (!is_petab_id(id)) {
      row.error("conditionId",
                id.empty() ? "a condition without an id" : "'" + id + "' cannot be an id in PEtab",
                "letters, digits and _ only, not beginning with a digit");
      continue;
    }
    auto [place, is_new] = conditions_.try_emplace(id, Condition{row, {}});
    if (!is_new) {
      TablePlace first = place->second.row.place();
      row.error("conditionId", "a second row for condition '" + id + "'",
                "the first is in " + first.file + ", line " + std::to_string(first.line));
      continue;
    }
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      const Cell& target = table.columns()[c];
      if (target.text.empty() || target.text == "conditionId" || target.text == "conditionName")
        continue;
      Change change{row, target.text, target.text, target, row.at(c), {}, no_expr, false, {}};
      change.keep = is_missing(change.value.text);
      place->second.changes.push_back(std::move(change));
    }
  }
}

void PetabPart::collect_long(const TsvTable& table) {
  if (!table.require({"conditionId", "targetId", "targetValue"})) {
    conditions_known_ = false;
    return;
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    TsvRow row = table.row(i);
    const std::string& id = row["conditionId"].text;
    if (only_measured_ && !measured_conditions_.contains(id)) continue;
    if (!is_petab_id(id)) {
      row.error("conditionId",
                id.empty() ? "a condition without an id" : "'" + id + "' cannot be an id in PEtab",
                "letters, digits and _ only, not beginning with a digit");
      continue;
    }
    Condition& condition = conditions_.try_emplace(id, Condition{row, {}}).first->second;
    const Cell& target = row["targetId"];
    if (is_missing(target.text)) {
      row.error("targetId", "the target is missing");
      continue;
    }
    bool repeated = false;
    for (const Change& other : condition.changes)
      if (other.target.text == target.text) {
        TablePlace first = other.row.place();
        row.error("targetId", "condition '" + id + "' sets '" + target.text + "' twice",
                  "first in " + first.file + ", line " + std::to_string(first.line));
        repeated = true;
      }
    if (!repeated)
      condition.changes.push_back(
          {row, "targetValue", "targetId", target, row["targetValue"], {}, no_expr, false, {}});
  }
}

void PetabPart::resolve_conditions() {
  for (auto& [id, condition] : conditions_) resolve(condition);
}

void PetabPart::resolve(Condition& condition) {
  for (Change& change : condition.changes) {
    resolve_target(change);
    resolve_value(change);
  }
}

void PetabPart::resolve_target(Change& change) {
  const std::string& id = change.target.text;
  PetabFile& file = change.row.file();
  auto found = symbols_.find(id);
  if (id == "time") {
    file.error(change.target.span, "a condition cannot set the time");
    return;
  }
  if (found == symbols_.end()) {
    std::string nearest = nearest_name(id, all_names());
    file.error(change.target.span,
               "a condition sets '" + id + "', which is not in the model or a formula",
               nearest.empty() ? "" : "did you mean '" + nearest + "'?");
    return;
  }
  if (parameter_index_.contains(id)) {
    file.error(change.target.span,
               "a condition sets '" + id + "', which is in the parameter table, too",
               "it can have its value from one of them only");
    return;
  }
  Ref ref = found->second;
  if (ref.kind != SymbolKind::species && ref.kind != SymbolKind::parameter &&
      ref.kind != SymbolKind::compartment) {
    file.error(change.target.span, "a condition cannot set '" + id +
                                       "': it is neither a parameter nor a species nor a "
                                       "compartment");
    return;
  }
  if (std::string obstacle = obstacle_of(ref); !obstacle.empty()) {
    file.error(change.target.span, "a condition cannot set '" + id + "': " + obstacle);
    return;
  }
  change.ref = ref;
}

void PetabPart::resolve_value(Change& change) {
  if (change.keep) return;
  Expressions& e = model_.expressions;
  if (auto number = parse_number(change.value.text)) {
    if (std::isfinite(*number))
      change.expression = e.number(*number);
    else
      change.row.error(change.value_column, is_missing(change.value.text)
                                                ? "NaN where a value is needed"
                                                : "the value is not finite");
    return;
  }
  if (version_ == PetabVersion::v2) {
    if (change.value.text.empty()) {
      change.row.error(change.value_column, "the value is missing");
      return;
    }
    change.names = names_in_math(change.value.text);
    change.expression =
        read_petab_math(change.value, version_, names(nullptr), change.row.file(), e);
    return;
  }
  Ref ref = find(change.value.text);
  if (ref.kind == SymbolKind::none) {
    std::string nearest = nearest_name(change.value.text, all_names());
    change.row.error(change.value_column,
                     "'" + change.value.text + "' is neither a number nor a known id",
                     nearest.empty() ? "" : "did you mean '" + nearest + "'?");
    return;
  }
  change.expression = e.symbol(ref);
}

// What the model itself says of a parameter.
ExprId PetabPart::model_value(Ref parameter) {
  for (const InitialAssignment& initial : model_.initial_assignments)
    if (initial.target == parameter) return initial.value;
  return model_.expressions.number(model_.parameters[parameter.index].value);
}

void PetabPart::apply(const std::string& id, When when, Period& period) {
  auto found = conditions_.find(id);
  if (found == conditions_.end()) return;
  usage_.conditions.insert(id);
  for (const Change& change : found->second.changes) {
    ConditionAssignment assignment{change.ref, change.expression,
                                   change.row.place(change.value_column)};
    if (change.ref.kind == SymbolKind::none) continue;  // reported
    if (change.keep) {
      // Version 1: what has a state keeps it; a parameter has the model's value, whatever
      // pre-equilibration made of it.
      if (when != When::after_equilibration || change.ref.kind != SymbolKind::parameter) continue;
      if (outputs_.contains(change.target.text) || changes_in_time(change.ref)) continue;
      assignment.value = model_value(change.ref);
    }
    if (version_ == PetabVersion::v2 && when == When::first)
      for (const std::string& name : change.names)
        if (!parameter_index_.contains(name) && symbols_.contains(name) && name != "time")
          change.row.warning(
              change.value_column,
              "the value refers to '" + name + "' of the model before that is initialised",
              "in a first period only the parameter table should be referred to");
    if (assignment.value != no_expr) period.assignments.push_back(std::move(assignment));
  }
}

}  // namespace stiffit::internal
