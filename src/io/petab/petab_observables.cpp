// The observable table: formulas, noise, and the placeholders that measurements fill.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/number.h"
#include "io/petab/petab_part.h"

namespace stiffit::internal {

void PetabPart::read_observables() {
  for (const TsvTable& table : tables_.observables) {
    if (!table.require({"observableId", "observableFormula", "noiseFormula"})) {
      observables_known_ = false;
      continue;
    }
    if (version_ == PetabVersion::v2 && table.has("observableTransformation"))
      table.file().warning({},
                           "column 'observableTransformation' is of PEtab version 1 and not read",
                           "'noiseDistribution' says log-normal or log-laplace");
    for (std::size_t i = 0; i < table.size(); ++i) {
      TsvRow row = table.row(i);
      const std::string& id = row["observableId"].text;
      if (only_measured_ && !measured_observables_.contains(id)) continue;
      if (!is_petab_id(id)) {
        row.error(
            "observableId",
            id.empty() ? "an observable without an id" : "'" + id + "' cannot be an id in PEtab",
            "letters, digits and _ only, not beginning with a digit");
        continue;
      }
      if (auto first = observable_index_.find(id); first != observable_index_.end()) {
        const TablePlace& place = problem_.observables[first->second].place;
        row.error("observableId", "a second row for observable '" + id + "'",
                  "the first is in " + place.file + ", line " + std::to_string(place.line));
        continue;
      }
      if (parameter_index_.contains(id))
        row.error("observableId", "'" + id + "' is a parameter already");
      else if (symbols_.contains(id))
        row.warning("observableId", "'" + id + "' is something of the model, too",
                    "in formulas the name means that");
      read_observable(row);
    }
  }
}

namespace {

// The number n of observableParameter<n>_<id>, or 0.
int placeholder_number(std::string_view name, std::string_view kind, std::string_view id) {
  if (!name.starts_with(kind)) return 0;
  name.remove_prefix(kind.size());
  std::size_t digits = std::min(name.find('_'), name.size());
  auto number = parse_number(name.substr(0, digits));
  bool all_digits = digits > 0 && digits < 7 &&
                    std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(digits),
                                [](char c) { return c >= '0' && c <= '9'; });
  if (!all_digits || !number || digits == name.size() || name.substr(digits + 1) != id) return 0;
  return static_cast<int>(*number);
}

}  // namespace

// kind: "observable" or "noise".
std::vector<Cell> PetabPart::placeholders_of(const TsvRow& row, std::string_view kind) {
  if (version_ == PetabVersion::v2) {
    std::string column = std::string(kind) + "Placeholders";
    std::vector<Cell> cells = split_list(row[column]);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string& name = cells[i].text;
      if (!is_petab_id(name))
        row.file().error(cells[i].span, "'" + name + "' cannot be an id in PEtab");
      else if (symbols_.contains(name))
        row.file().error(cells[i].span, "placeholder '" + name + "' is something else already");
      for (std::size_t j = 0; j < i; ++j)
        if (cells[j].text == name)
          row.file().error(cells[i].span, "a second placeholder '" + name + "'");
    }
    return cells;
  }
  // Version 1: by their names in the formulas, counted from 1 without a gap.
  std::string stem = std::string(kind) + "Parameter";
  const std::string& id = row["observableId"].text;
  std::set<int> numbers;
  for (const char* column : {"observableFormula", "noiseFormula"})
    for (const std::string& name : names_in_math(row[column].text))
      if (!parameter_index_.contains(name))
        if (int number = placeholder_number(name, stem, id); number > 0) numbers.insert(number);
  std::vector<Cell> cells;
  for (int number : numbers) {
    int expected = static_cast<int>(cells.size()) + 1;
    if (number != expected) {
      row.error(kind == "noise" ? "noiseFormula" : "observableFormula",
                "placeholder '" + stem + std::to_string(number) + "_" + id + "' without '" + stem +
                    std::to_string(expected) + "_" + id + "'");
      return cells;
    }
    cells.push_back({stem + std::to_string(number) + "_" + id, {}});
  }
  return cells;
}

void PetabPart::read_observable(const TsvRow& row) {
  ProblemObservable observable;
  observable.id = row["observableId"].text;
  if (row.has("observableName")) observable.name = row["observableName"].text;
  observable.place = row.place("observableId");

  ObservableNeeds needs;
  std::unordered_map<std::string, Ref> local;
  for (const char* kind : {"observable", "noise"}) {
    std::vector<Cell> placeholders = placeholders_of(row, kind);
    (*kind == 'o' ? needs.observable_placeholders : needs.noise_placeholders) = placeholders.size();
    for (const Cell& cell : placeholders) {
      // The same name in two observables means two things.
      std::string name = free_name(cell.text);
      local[cell.text] = add_parameter(name, not_set);
      observable.placeholders.push_back(std::move(name));
    }
  }
  for (const char* column : {"observableFormula", "noiseFormula"})
    for (const std::string& name : names_in_math(row[column].text))
      if (outputs_.contains(name)) needs.outputs.push_back(name);

  auto formula = [&](std::string_view column, const std::string& name, const MathNames& scope) {
    const Cell& cell = row[column];
    ExprId value = no_expr;
    if (cell.text.empty())
      row.error(column, "the formula is missing");
    else
      value = read_petab_math(cell, version_, scope, row.file(), model_.expressions);
    if (value == no_expr) value = model_.expressions.number(not_set);
    model_.observables.push_back({name, value, {}});
    return static_cast<int>(model_.observables.size() - 1);
  };
  MathNames scope = names(&local);
  scope.why = [&](std::string_view name) -> std::string {
    bool is_observable = name == observable.id || observable_index_.contains(std::string(name));
    return is_observable ? "an observable cannot be used here" : "";
  };
  observable.formula = formula("observableFormula", free_name(observable.id), scope);
  // The noise may be relative to the observable itself.
  if (!symbols_.contains(observable.id))
    local[observable.id] = {SymbolKind::observable, observable.formula};
  observable.noise = formula("noiseFormula", free_name(observable.id + ".noise"), scope);
  read_noise_distribution(row, observable);

  observable_index_[observable.id] = static_cast<int>(problem_.observables.size());
  problem_.observables.push_back(std::move(observable));
  problem_.observables.back().noise_placeholders = static_cast<int>(needs.noise_placeholders);
  needs_.push_back(std::move(needs));
}

void PetabPart::read_noise_distribution(const TsvRow& row, ProblemObservable& observable) {
  std::string noise = row.has("noiseDistribution") ? row["noiseDistribution"].text : "normal";
  if (version_ == PetabVersion::v2 && noise.starts_with("log-")) {
    observable.transformation = Transformation::log;
    noise.erase(0, 4);
  }
  if (noise == "laplace")
    observable.noise_kind = NoiseKind::laplace;
  else if (noise != "normal")
    row.error("noiseDistribution",
              "there is no noise distribution '" + row["noiseDistribution"].text + "'",
              version_ == PetabVersion::v2 ? "normal, laplace, log-normal or log-laplace"
                                           : "normal or laplace");
  if (version_ == PetabVersion::v2 || !row.has("observableTransformation")) return;
  const std::string& transformation = row["observableTransformation"].text;
  if (transformation == "log")
    observable.transformation = Transformation::log;
  else if (transformation == "log10")
    observable.transformation = Transformation::log10;
  else if (transformation != "lin")
    row.error("observableTransformation", "there is no transformation '" + transformation + "'",
              "lin, log or log10");
}

}  // namespace stiffit::internal
