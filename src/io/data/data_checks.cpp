// Whether the data can say anything about the unknowns.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "io/data/data_reader.h"

namespace stiffit::internal {

void DataReader::check_errors_given() {
  bool some = false;
  for (const ReadTable& file : files_)
    for (const Column& column : file.columns) some |= column.errors >= 0;
  if (!some) return;
  for (ReadTable& file : files_)
    for (std::size_t i = 0; i < file.columns.size(); ++i) {
      const Column& column = file.columns[i];
      if (column.kind == ColumnKind::measured && column.errors < 0 &&
          std::none_of(noises_.begin(), noises_.end(), [&](const NoiseFormula& n) {
            return n.observable == file.table.header[i].text;
          }))
        file.diagnostics->error(file.table.header[i].span,
                                "there is no column 'sd(" + file.table.header[i].text + ")'",
                                "errors are given for everything that is measured, or for nothing");
    }
}

void DataReader::check_amount_of_data() {
  std::size_t data = problem_.measurements.size(), unknowns = problem_.parameters.size();
  Diagnostics& diagnostics = *files_.front().diagnostics;
  std::string counts = std::to_string(data) + (data == 1 ? " datum" : " data") + ", " +
                       std::to_string(unknowns) +
                       (unknowns == 1 ? " estimated parameter" : " estimated parameters");
  if (data < unknowns)
    diagnostics.error({}, "too few data: " + counts,
                      "a fit needs at least as many data as estimated parameters");
  else if (data == unknowns)
    diagnostics.warning({}, "as many data as estimated parameters: " + counts,
                        "nothing is left to estimate errors from");
  for (auto& [formula, source] : formulas_) {
    std::string name(formula.name.text);
    auto known = observables_.find(name);
    if (known != observables_.end() &&
        std::none_of(trials_.begin(), trials_.end(),
                     [&](const Trial& t) { return t.measured.contains(known->second); }))
      source->warning(formula.name.span, "no table has measurements of '" + name + "'");
  }
}

void DataReader::check_influences() {
  auto influences_in = [&](auto&& counts) {
    Influences influences(model_);
    for (std::size_t t = 0; t < trials_.size(); ++t)
      if (counts(t))
        for (int o : trials_[t].measured)
          influences.add({SymbolKind::observable, problem_.observables[o].formula});
    return influences;
  };
  Influences anywhere = influences_in([](std::size_t) { return true; });
  for (std::size_t i = 0; i < problem_.parameters.size(); ++i) {
    const ProblemParameter& unknown = problem_.parameters[i];
    int trial = unknown_trials_[i];
    Ref target = unknown_targets_[i];
    if (target.kind == SymbolKind::none) continue;  // of the noise
    auto own = [&](std::size_t t) { return static_cast<int>(t) == trial; };
    bool seen = trial < 0 ? anywhere.contains(target) : influences_in(own).contains(target);
    if (seen) continue;
    std::string message = "nothing that is measured depends on '" + unknown.id + "'";
    if (trial >= 0) {
      const Trial& t = trials_[trial];
      for (const StartValue& value : t.start_values)
        if (value.target == target) t.diagnostics->error(value.cell.span, message);
      continue;
    }
    for (const Estimate& e : estimates_)
      if (e.name == unknown.id || start_name(e.name) == unknown.id)
        e.diagnostics->error(e.span, message, "leave it out");
  }
}

}  // namespace stiffit::internal
