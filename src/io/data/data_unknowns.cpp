// Unknowns: from --estimate and from the question marks of the tables, to parameters of the model.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "io/data/data_reader.h"

namespace stiffit::internal {

std::string start_name(const std::string& name) { return name + "(0)"; }
std::string trial_name(const std::string& name, const std::string& experiment) {
  return name + "@" + experiment;
}

bool DataReader::computed(Ref ref) const {
  return std::any_of(model_.rules.begin(), model_.rules.end(), [&](const Rule& rule) {
    return rule.kind == RuleKind::assignment && rule.target == ref;
  });
}

// It has an initial value rather than a value.
bool DataReader::varies(Ref ref) const {
  if (ref.kind == SymbolKind::species) return true;
  if (std::any_of(model_.rules.begin(), model_.rules.end(), [&](const Rule& rule) {
        return rule.kind != RuleKind::assignment && rule.target == ref;
      }))
    return true;
  for (const Event& event : model_.events)
    for (const EventAssignment& assignment : event.assignments)
      if (assignment.target == ref) return true;
  std::size_t i = ref.index;
  bool algebraic = std::any_of(model_.rules.begin(), model_.rules.end(),
                               [](const Rule& r) { return r.kind == RuleKind::algebraic; });
  return algebraic && ref.kind == SymbolKind::parameter && !model_.parameters[i].constant;
}

double DataReader::model_value(Ref ref) const {
  for (const InitialAssignment& initial : model_.initial_assignments)
    if (initial.target == ref) return not_set;  // computed at the start
  std::size_t i = ref.index;
  if (ref.kind == SymbolKind::parameter) return model_.parameters[i].value;
  if (ref.kind == SymbolKind::compartment) return model_.compartments[i].size;
  const Species& s = model_.species[i];
  if (s.compartment < 0 || s.initial_is_amount == s.in_amount) return s.initial;
  double size = model_.compartments[s.compartment].size;
  return s.initial_is_amount ? s.initial / size : s.initial * size;
}

double DataReader::largest_datum() const {
  double largest = 0;
  for (const Measurement& m : problem_.measurements) largest = std::max(largest, std::abs(m.value));
  return largest > 0 ? largest : 1;
}

std::string DataReader::suggestion(const std::string& name, bool measured) const {
  if (name.size() < 2) return {};  // one letter is as near to any other
  std::vector<std::string> names;
  for (const std::string& id : model_.all_ids()) {
    Ref ref = model_.find(id);
    bool constant = ref.kind == SymbolKind::compartment ||
                    (ref.kind == SymbolKind::parameter && !varies(ref) && !computed(ref));
    bool settable_kind = ref.kind == SymbolKind::species || ref.kind == SymbolKind::parameter ||
                         ref.kind == SymbolKind::compartment;
    if (measured ? !constant : settable_kind && !computed(ref)) names.push_back(id);
  }
  std::string nearest = nearest_name(name, names);
  return nearest.empty() ? "" : "did you mean '" + nearest + "'?";
}

void DataReader::add_unknowns() {
  for (std::size_t i = 0; i < estimates_.size(); ++i) {
    auto same = [&](const Estimate& e) {
      return e.name == estimates_[i].name || start_name(e.name) == estimates_[i].name ||
             e.name == start_name(estimates_[i].name);
    };
    if (std::any_of(estimates_.begin(), estimates_.begin() + static_cast<std::ptrdiff_t>(i), same))
      estimates_[i].diagnostics->error(estimates_[i].span,
                                       "'" + estimates_[i].name + "' is named twice");
    else
      add_unknown(estimates_[i]);
  }
  for (std::size_t trial = 0; trial < trials_.size(); ++trial)
    for (const StartValue& value : trials_[trial].start_values)
      if (!value.number) add_unknown_of_trial(trial, value);
  if (problem_.parameters.empty() && !has_errors())
    diagnostics_about("--estimate", "")
        .error({}, "nothing is unknown", "--estimate names what is to be estimated");
}

void DataReader::add_unknown(const Estimate& estimate) {
  Diagnostics& diagnostics = *estimate.diagnostics;
  std::string name = estimate.name;
  if (name.find('@') != std::string::npos && model_.find(name).kind == SymbolKind::none) {
    // Of one experiment: its line `# E = ?` makes it; here are only its start and bounds.
    std::vector<std::string> names;
    for (std::size_t t = 0; t < trials_.size(); ++t)
      for (const StartValue& value : trials_[t].start_values)
        if (!value.number) names.push_back(trial_name(value.name, problem_.experiments[t].id));
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    std::string nearest = nearest_name(name, names);
    diagnostics.error(estimate.span, "no experiment has a parameter to estimate '" + name + "'",
                      nearest.empty() ? "a line '# NAME = ?' in its table makes one"
                                      : "did you mean '" + nearest + "'?");
    return;
  }
  Ref ref = model_.find(name);
  if (ref.kind == SymbolKind::none && name.ends_with("(0)")) {
    name.resize(name.size() - 3);
    ref = model_.find(name);
  }
  if (ref.kind == SymbolKind::none) {
    diagnostics.error(estimate.span, "the model has nothing called '" + name + "'",
                      suggestion(name, false));
    return;
  }
  TableCell cell{name, estimate.span};
  if (!settable(name, cell, diagnostics)) return;
  // Where every experiment sets it, the option only says how to treat the question marks.
  std::size_t set = 0, asked = 0;
  for (const Trial& trial : trials_)
    for (const StartValue& value : trial.start_values) {
      set += value.target == ref ? 1 : 0;
      asked += value.target == ref && !value.number ? 1 : 0;
    }
  if (!trials_.empty() && set == trials_.size()) {
    if (asked == 0)
      diagnostics.error(estimate.span,
                        "every experiment sets '" + name + "', nothing is left to estimate");
    return;
  }
  bool initial = varies(ref) || ref.kind == SymbolKind::compartment;
  UnknownDefaults defaults{model_value(ref), ref.kind != SymbolKind::parameter, largest_datum()};
  std::string id = initial ? start_name(name) : name;
  ProblemParameter unknown = settle_unknown(id, &estimate, defaults, diagnostics, estimate.span);
  unknown.place = {"--estimate", 1, name};
  std::erase_if(model_.initial_assignments,
                [&](const InitialAssignment& a) { return a.target == ref; });
  Ref target = ref;
  if (initial) {
    Parameter parameter;
    parameter.id = id;
    parameter.value = unknown.nominal;
    model_.parameters.push_back(std::move(parameter));
    target = {SymbolKind::parameter, static_cast<std::int32_t>(model_.parameters.size() - 1)};
    model_.initial_assignments.push_back({ref, model_.expressions.symbol(target), {}});
  } else {
    model_.parameters[ref.index].value = unknown.nominal;
  }
  problem_.parameters.push_back(std::move(unknown));
  unknown_targets_.push_back(ref);
  unknown_trials_.push_back(-1);
}

void DataReader::add_unknown_of_trial(std::size_t trial, const StartValue& value) {
  std::string id = trial_name(value.name, problem_.experiments[trial].id);
  const Estimate* said = nullptr;
  for (const Estimate& e : estimates_)
    if (e.name == value.name || e.name == start_name(value.name)) said = &e;
  for (const Estimate& e : estimates_)
    if (e.name == id) said = &e;
  UnknownDefaults defaults{model_value(value.target), value.target.kind != SymbolKind::parameter,
                           largest_datum()};
  Diagnostics& diagnostics = said ? *said->diagnostics : *trials_[trial].diagnostics;
  Span span = said ? said->span : value.cell.span;
  ProblemParameter unknown = settle_unknown(id, said, defaults, diagnostics, span);
  Diagnostics& table = *trials_[trial].diagnostics;
  unknown.place = {table.source().name(), table.source().locate(value.cell.span.begin).line,
                   value.name};
  Parameter parameter;
  parameter.id = id;
  parameter.value = unknown.nominal;
  model_.parameters.push_back(std::move(parameter));
  problem_.parameters.push_back(std::move(unknown));
  unknown_targets_.push_back(value.target);
  unknown_trials_.push_back(static_cast<int>(trial));
}

void DataReader::add_assignments() {
  for (std::size_t t = 0; t < trials_.size(); ++t) {
    Period& period = problem_.experiments[t].periods.front();
    Diagnostics& diagnostics = *trials_[t].diagnostics;
    for (const StartValue& value : trials_[t].start_values) {
      std::string unknown = trial_name(value.name, problem_.experiments[t].id);
      ExprId expression = value.number ? model_.expressions.number(*value.number)
                                       : model_.expressions.symbol(model_.find(unknown));
      TablePlace place{diagnostics.source().name(),
                       diagnostics.source().locate(value.cell.span.begin).line, value.name};
      period.assignments.push_back({value.target, expression, std::move(place)});
    }
  }
  // Errors: a number per measurement where the tables give them, else all alike and not known.
  problem_.unknown_noise = std::all_of(problem_.measurements.begin(), problem_.measurements.end(),
                                       [](const Measurement& m) { return m.placeholders.empty(); });
  for (ProblemObservable& observable : problem_.observables) {
    ExprId noise = no_expr;
    if (problem_.unknown_noise) {
      noise = model_.expressions.number(1);
    } else {
      Parameter parameter;
      parameter.id = "sd(" + observable.id + ")";
      parameter.value = 1;
      model_.parameters.push_back(parameter);
      noise = model_.expressions.symbol(
          {SymbolKind::parameter, static_cast<std::int32_t>(model_.parameters.size() - 1)});
      observable.placeholders = {parameter.id};
    }
    model_.observables.push_back({"noise(" + observable.id + ")", noise, {}});
    observable.noise = static_cast<int>(model_.observables.size() - 1);
  }
}

}  // namespace stiffit::internal
