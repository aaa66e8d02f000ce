// SPDX-License-Identifier: Apache-2.0
#include "io/petab/petab_part.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {

PetabPart::PetabPart(const PetabPartInput& input, Model model, PetabUsage& usage)
    : version_(input.version),
      table_(input.parameters),
      tables_(input.tables),
      model_id_(input.model_id),
      only_measured_(input.only_measured),
      first_row_(input.first_row),
      usage_(usage),
      conditions_known_(input.tables.conditions_complete),
      experiments_known_(input.tables.experiments_complete),
      observables_known_(input.tables.observables_complete),
      model_(std::move(model)) {}

FitProblem PetabPart::read() {
  if (only_measured_) choose_measured();
  index_names();
  note_use_in_model();
  apply_mapping();
  collect_conditions();
  extend_model();
  find_output_parameters();
  read_observables();
  resolve_conditions();
  read_experiments();
  read_measurements();
  problem_.model = std::make_shared<const Model>(std::move(model_));
  return std::move(problem_);
}

void PetabPart::index_names() {
  auto add = [&](const auto& things, SymbolKind kind) {
    for (std::size_t i = 0; i < things.size(); ++i)
      symbols_.try_emplace(things[i].id, Ref{kind, static_cast<std::int32_t>(i)});
  };
  // The order in which Model::find looks.
  add(model_.species, SymbolKind::species);
  add(model_.parameters, SymbolKind::parameter);
  add(model_.compartments, SymbolKind::compartment);
  add(model_.reactions, SymbolKind::reaction);
  add(model_.observables, SymbolKind::observable);
  symbols_.try_emplace("time", Ref{SymbolKind::time, 0});
  for (const auto& [name, ref] : symbols_) taken_.insert(name);
}

// A parameter that stands in any expression of the model is used. (That it changes what is measured
// is not said by that.)
void PetabPart::note_use_in_model() {
  auto use = [&](std::int32_t parameter) {
    if (parameter >= 0) usage_.parameters.insert(model_.parameters[parameter].id);
  };
  for (std::size_t i = 0; i < model_.expressions.size(); ++i) {
    const ExprNode& node = model_.expressions[static_cast<ExprId>(i)];
    if (node.op == Op::symbol && node.ref.kind == SymbolKind::parameter) use(node.ref.index);
  }
  for (const Species& species : model_.species) use(species.conversion_factor);
  for (const Reaction& reaction : model_.reactions)
    for (const auto* side : {&reaction.reactants, &reaction.products})
      for (const SpeciesReference& reference : *side) use(reference.parameter);
}

// An entity of the model gets the name that the tables have for it.
void PetabPart::apply_mapping() {
  for (const TsvTable& table : tables_.mappings) {
    if (!table.require({"petabEntityId", "modelEntityId"})) continue;
    std::unordered_set<std::string> seen;
    for (std::size_t i = 0; i < table.size(); ++i) {
      TsvRow row = table.row(i);
      const std::string& id = row["petabEntityId"].text;
      const std::string& entity = row["modelEntityId"].text;
      if (!is_petab_id(id)) {
        row.error("petabEntityId", "'" + id + "' cannot be an id in PEtab",
                  "letters, digits and _ only, not beginning with a digit");
        continue;
      }
      if (!seen.insert(id).second) {
        row.error("petabEntityId", "a second row for '" + id + "'");
        continue;
      }
      if (is_missing(entity)) continue;  // a note for people
      auto found = symbols_.find(entity);
      if (found == symbols_.end()) continue;  // perhaps of another model; else said at the end
      usage_.mappings.insert(id);
      if (id == entity) continue;
      Ref ref = found->second;
      taken_.insert(id);
      if (auto [other, is_new] = symbols_.try_emplace(id, ref); !is_new) {
        row.error("petabEntityId", "'" + id + "' is already something of the model");
        continue;
      }
      if (is_petab_id(entity))
        row.warning("modelEntityId", "'" + entity + "' needs no other name: it is an id in PEtab");
      std::size_t index = ref.index;
      if (ref.kind == SymbolKind::parameter) {
        if (usage_.parameters.contains(entity)) usage_.parameters.insert(id);
        model_.parameters[index].id = id;
      } else if (ref.kind == SymbolKind::species) {
        model_.species[index].id = id;
      } else if (ref.kind == SymbolKind::compartment) {
        model_.compartments[index].id = id;
      }
    }
  }
}

Ref PetabPart::add_parameter(const std::string& id, double value) {
  Parameter parameter;
  parameter.id = id;
  parameter.value = value;
  model_.parameters.push_back(std::move(parameter));
  taken_.insert(id);
  return {SymbolKind::parameter, static_cast<std::int32_t>(model_.parameters.size() - 1)};
}

Ref PetabPart::add_symbol(const std::string& id, double value) {
  Ref ref = add_parameter(id, value);
  symbols_.try_emplace(id, ref);
  return ref;
}

// An id for the model that nothing has yet.
std::string PetabPart::free_name(std::string name) {
  while (!taken_.insert(name).second) name += "_";
  return name;
}

// Why a rule of the model forbids to set the target, or "".
std::string PetabPart::obstacle_of(Ref target) const {
  for (const Rule& rule : model_.rules)
    if (rule.kind == RuleKind::assignment && rule.target == target)
      return "a rule of the model gives it its value at all times";
  return "";
}

bool PetabPart::changes_in_time(Ref target) const {
  for (const Rule& rule : model_.rules)
    if (rule.kind == RuleKind::rate && rule.target == target) return true;
  for (const Event& event : model_.events)
    for (const EventAssignment& assignment : event.assignments)
      if (assignment.target == target) return true;
  return false;
}

void PetabPart::extend_model() {
  problem_.parameters = table_.parameters;
  for (std::size_t i = 0; i < problem_.parameters.size(); ++i) {
    const ProblemParameter& p = problem_.parameters[i];
    const TsvRow& row = table_.rows[i];
    parameter_index_[p.id] = static_cast<int>(i);
    auto found = symbols_.find(p.id);
    if (found == symbols_.end()) {
      add_symbol(p.id, p.nominal);
      continue;
    }
    Ref ref = found->second;
    if (ref.kind != SymbolKind::parameter) {
      row.error("parameterId", "'" + p.id + "' is not a parameter of the model");
      continue;
    }
    if (std::string obstacle = obstacle_of(ref); !obstacle.empty()) {
      row.error("parameterId", "'" + p.id + "' cannot be set: " + obstacle);
      continue;
    }
    if (version_ == PetabVersion::v2 && changes_in_time(ref))
      row.warning("parameterId", "'" + p.id + "' changes during the simulation",
                  "the table gives its initial value");
    if (!std::isnan(p.nominal)) model_.parameters[ref.index].value = p.nominal;
    // The table's value takes the place of what the model computes at its start.
    std::erase_if(model_.initial_assignments,
                  [&](const InitialAssignment& a) { return a.target == ref; });
  }
}

// What a condition sets may be known to formulas only.
void PetabPart::find_output_parameters() {
  std::unordered_set<std::string> in_formulas;
  for (const TsvTable& table : tables_.observables)
    for (std::size_t i = 0; i < table.size(); ++i)
      for (const char* column : {"observableFormula", "noiseFormula"})
        for (std::string& name : names_in_math(table.row(i)[column].text))
          in_formulas.insert(std::move(name));
  for (const auto& [id, condition] : conditions_)
    for (const Change& change : condition.changes)
      if (!symbols_.contains(change.target.text) && in_formulas.contains(change.target.text)) {
        add_symbol(change.target.text, not_set);
        outputs_.insert(change.target.text);
      }
}

Ref PetabPart::find(std::string_view name) {
  auto found = symbols_.find(std::string(name));
  bool perhaps_known = !table_.complete && name != "inf" && name != "true" && name != "false";
  if (found == symbols_.end() && perhaps_known) return add_symbol(std::string(name), not_set);
  if (found == symbols_.end()) return {};
  usage_.parameters.insert(found->first);
  return found->second;
}

std::vector<std::string> PetabPart::all_names() const {
  std::vector<std::string> names;
  for (const auto& [name, ref] : symbols_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

MathNames PetabPart::names(const std::unordered_map<std::string, Ref>* local) {
  MathNames names;
  names.find = [this, local](std::string_view name) -> Ref {
    if (local)
      if (auto found = local->find(std::string(name)); found != local->end()) return found->second;
    return find(name);
  };
  names.all = [this] { return all_names(); };
  return names;
}

void PetabPart::choose_measured() {
  for (const TsvTable& table : tables_.measurements)
    for (std::size_t i = 0; i < table.size(); ++i) {
      TsvRow row = table.row(i);
      if (!is_mine(row)) continue;
      measured_observables_.insert(row["observableId"].text);
      measured_experiments_.insert(row["experimentId"].text);
    }
  for (const TsvTable& table : tables_.experiments)
    for (std::size_t i = 0; i < table.size(); ++i)
      if (measured_experiments_.contains(table.row(i)["experimentId"].text))
        measured_conditions_.insert(table.row(i)["conditionId"].text);
}

}  // namespace stiffit::internal
