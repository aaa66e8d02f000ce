// What is measured: formulas of --observe, and names of columns.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "io/data/data_reader.h"
#include "io/text/builtin_functions.h"

namespace stiffit::internal {

void DataReader::read_formulas() {
  for (const std::string& option : request_.observes) {
    Diagnostics& diagnostics = diagnostics_about("--observe", option);
    if (auto formula = parse_formula(diagnostics))
      formulas_.emplace_back(std::move(*formula), &diagnostics);
  }
  add_formula_parameters();
  for (auto& [formula, diagnostics] : formulas_) {
    std::string name(formula.name.text);
    if (model_.find(name).kind != SymbolKind::none) {
      diagnostics->error(formula.name.span, "there is something called '" + name + "' already",
                         "choose another name for what is measured");
      continue;
    }
    if (!knows_all_names(formula, *diagnostics)) {
      observables_[name] = -1;  // its column is not called unknown
      continue;
    }
    ExprId value = build_formula(formula, model_, *diagnostics);
    model_.observables.push_back({name, value, {}});
    add_observable(name, static_cast<std::int32_t>(model_.observables.size() - 1),
                   {"--observe", 1, name});
  }
}

// A name that only a formula uses and --estimate knows is a new parameter: a scale, an offset.
void DataReader::add_formula_parameters() {
  for (const Estimate& estimate : estimates_) {
    if (model_.find(estimate.name).kind != SymbolKind::none) continue;
    for (auto& [formula, diagnostics] : formulas_)
      if (std::any_of(formula.uses.begin(), formula.uses.end(),
                      [&](const Word& use) { return use.text == estimate.name; })) {
        Parameter parameter;
        parameter.id = estimate.name;
        parameter.value = estimate.start.value_or(not_set);
        model_.parameters.push_back(std::move(parameter));
        break;
      }
  }
}

bool DataReader::knows_all_names(const Formula& formula, Diagnostics& diagnostics) {
  bool good = true;
  for (const Word& use : formula.uses) {
    std::string name(use.text);
    if (name == "time" || constant_named(name) || model_.find(name).kind != SymbolKind::none)
      continue;
    std::string hint = suggestion(name, true);
    diagnostics.error(use.span, "unknown name '" + name + "'",
                      hint.empty() ? "if it is unknown, name it in --estimate" : hint);
    good = false;
  }
  return good;
}

int DataReader::add_observable(const std::string& name, std::int32_t formula,
                               const TablePlace& place) {
  ProblemObservable observable;
  observable.id = name;
  observable.formula = formula;
  observable.place = place;
  problem_.observables.push_back(std::move(observable));
  auto index = static_cast<int>(problem_.observables.size() - 1);
  observables_[name] = index;
  return index;
}

// A species, [S], amount(S), a variable, a reaction's rate; no_expr: none of them.
ExprId DataReader::quantity(const std::string& name) {
  Expressions& e = model_.expressions;
  Ref ref = model_.find(name);
  bool concentration = name.size() > 2 && name.front() == '[' && name.back() == ']';
  bool amount = name.starts_with("amount(") && name.back() == ')';
  if (ref.kind != SymbolKind::none) return e.symbol(ref);
  if (!concentration && !amount) return no_expr;
  std::size_t before = concentration ? 1 : 7;
  ref = model_.find(std::string_view(name).substr(before, name.size() - before - 1));
  if (ref.kind != SymbolKind::species) return no_expr;
  const Species& species = model_.species[ref.index];
  ExprId value = e.symbol(ref);
  if (species.compartment < 0 || species.in_amount == amount) return value;
  ExprId size = e.symbol({SymbolKind::compartment, species.compartment});
  return e.apply(amount ? Op::mul : Op::div, value, size);
}

int DataReader::observable_of(const std::string& name, const TableCell& cell,
                              Diagnostics& diagnostics) {
  if (auto known = observables_.find(name); known != observables_.end()) return known->second;
  TablePlace place{diagnostics.source().name(), diagnostics.source().locate(cell.span.begin).line,
                   name};
  if (Ref ref = model_.find(name); ref.kind == SymbolKind::observable)
    return add_observable(name, ref.index, place);
  ExprId value = quantity(name);
  if (value == no_expr) {
    std::string hint = suggestion(name, true);
    diagnostics.error(
        cell.span, "unknown column '" + name + "'",
        hint.empty() ? "if it is measured, --observe \"" + name + " = ...\" says how" : hint);
    return -1;
  }
  Ref ref = model_.find(name);
  if (ref.kind == SymbolKind::parameter && !varies(ref) && !computed(ref)) {
    diagnostics.error(cell.span, "'" + name + "' is a constant of the model",
                      "'" + start_name(name) + "' as a column sets it");
    return -1;
  }
  model_.observables.push_back({"observed(" + name + ")", value, {}});
  return add_observable(name, static_cast<std::int32_t>(model_.observables.size() - 1), place);
}

}  // namespace stiffit::internal
