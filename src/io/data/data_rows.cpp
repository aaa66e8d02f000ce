// Rows: which experiment, when, what was measured and with what error.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "io/data/data_reader.h"

namespace stiffit::internal {

void DataReader::read_rows(ReadTable& file, TableNumbers& numbers) {
  std::map<std::string, int> known;  // experiments of this file
  std::size_t first = problem_.measurements.size();
  for (const TableRow& row : file.table.rows) {
    if (file.diagnostics->full()) return;
    read_row(row, file, numbers, known);
  }
  bool measures = std::any_of(file.columns.begin(), file.columns.end(),
                              [](const Column& c) { return c.kind == ColumnKind::measured; });
  if (measures && problem_.measurements.size() == first && !file.diagnostics->has_errors())
    file.diagnostics->error({}, "the table has no measurements");
  warn_constant_data(file, first);
}

// Rows with the same label, or without labels with the same start values, are one experiment.
int DataReader::experiment_of(const TableRow& row, ReadTable& file, TableNumbers& numbers,
                              std::map<std::string, int>& known) {
  Diagnostics& diagnostics = *file.diagnostics;
  std::string label, key;
  bool labelled = false, has_start_values = false;
  std::vector<StartValue> start_values;
  for (std::size_t i = 0; i < file.columns.size(); ++i) {
    const Column& column = file.columns[i];
    const TableCell& cell = row.cells[i];
    if (column.kind == ColumnKind::experiment) {
      labelled = true;
      label = cell.text;
      if (label.empty()) {
        diagnostics.error(row.span, "this row does not name its experiment");
        return -1;
      }
    }
    if (column.kind != ColumnKind::start_value) continue;
    has_start_values = true;
    key += cell.text + "\n";
    if (cell.empty()) continue;
    StartValue value{column.target, column.name, std::nullopt, cell};
    if (cell.text != "?") {
      value.number = numbers.read(cell);
      if (!value.number) return -1;
    }
    start_values.push_back(std::move(value));
  }
  if (labelled) key = label;
  auto [place, is_new] = known.try_emplace(key, static_cast<int>(problem_.experiments.size()));
  if (!is_new) {
    // Under one label the start values are given once, or the same each time.
    const Trial& trial = trials_[place->second];
    for (const StartValue& value : start_values) {
      auto before = std::find_if(trial.start_values.begin(), trial.start_values.end(),
                                 [&](const StartValue& s) { return s.target == value.target; });
      if (before == trial.start_values.end() || before->number != value.number)
        diagnostics.error(value.cell.span,
                          "experiment '" + label + "' has another start value of '" + value.name +
                              "' here than on line " +
                              std::to_string(diagnostics.source().locate(trial.span.begin).line));
    }
    return place->second;
  }
  Experiment experiment;
  experiment.id = labelled ? label : file.stem;
  if (!labelled && has_start_values) experiment.id += "-" + std::to_string(known.size());
  for (std::size_t other = 0; other < problem_.experiments.size(); ++other)
    if (problem_.experiments[other].id == experiment.id)
      diagnostics.error(row.span, "a second experiment '" + experiment.id + "'",
                        "the first is in '" + trials_[other].diagnostics->source().name() + "'");
  Period period;
  period.start = model_.start_time;
  period.name = experiment.id;
  experiment.periods.push_back(std::move(period));
  problem_.experiments.push_back(std::move(experiment));
  Trial trial;
  trial.start_values = file.settings;
  trial.start_values.insert(trial.start_values.end(), start_values.begin(), start_values.end());
  trial.diagnostics = &diagnostics;
  trial.span = row.span;
  trials_.push_back(std::move(trial));
  return place->second;
}

bool DataReader::check_time(double time, const TableCell& cell, Trial& trial,
                            const std::string& replicate, Diagnostics& diagnostics) {
  if (time < model_.start_time) {
    diagnostics.error(cell.span, "time " + format_number(time) +
                                     " is before the start of the model, " +
                                     format_number(model_.start_time));
    return false;
  }
  auto [last, is_first] = trial.last_time.try_emplace(replicate, time);
  if (!is_first && time < last->second) {
    diagnostics.error(
        cell.span,
        "time goes back from " + format_number(last->second) + " to " + format_number(time),
        "a repetition is another file, or gets a column 'replicate'");
    last->second = time;
    return false;
  }
  last->second = time;
  return true;
}

// A number, or a limit: "<0.1", ">50".
std::optional<double> DataReader::read_value(const TableCell& cell, Censoring& censoring,
                                             TableNumbers& numbers, Diagnostics& diagnostics) {
  censoring = cell.text.starts_with('<')   ? Censoring::below
              : cell.text.starts_with('>') ? Censoring::above
                                           : Censoring::none;
  if (censoring == Censoring::none) return numbers.read(cell);
  std::size_t digits = cell.text.starts_with("<=") || cell.text.starts_with(">=") ? 2 : 1;
  digits = std::min(cell.text.find_first_not_of(' ', digits), cell.text.size());
  TableCell limit{cell.text.substr(digits), cell.span};
  if (!limit.empty()) return numbers.read(limit);
  diagnostics.error(cell.span, "'" + cell.text + "' is no limit, there is no number in it",
                    "a value below or above what can be measured is written <0.1 or >50");
  return std::nullopt;
}

void DataReader::read_row(const TableRow& row, ReadTable& file, TableNumbers& numbers,
                          std::map<std::string, int>& known) {
  Diagnostics& diagnostics = *file.diagnostics;
  auto time = numbers.read(row.cells[0]);
  int experiment = experiment_of(row, file, numbers, known);
  std::string replicate;
  for (std::size_t i = 0; i < file.columns.size(); ++i)
    if (file.columns[i].kind == ColumnKind::replicate) replicate = row.cells[i].text;
  if (experiment < 0) return;
  Trial& trial = trials_[experiment];
  bool timely = time && check_time(*time, row.cells[0], trial, replicate, diagnostics);
  std::string content = replicate + "\n" + row.cells[0].text;
  int line = diagnostics.source().locate(row.span.begin).line;
  for (std::size_t i = 0; i < file.columns.size(); ++i) {
    const Column& column = file.columns[i];
    if (column.kind != ColumnKind::measured) continue;
    const TableCell& cell = row.cells[i];
    content += "\n" + cell.text;
    const TableCell* error = column.errors >= 0 ? &row.cells[column.errors] : nullptr;
    if (cell.empty()) continue;
    Measurement m;
    auto value = read_value(cell, m.censoring, numbers, diagnostics);
    m.observable = column.observable;
    m.experiment = experiment;
    m.place = {file.file, line, file.table.header[i].text};
    m.dataset = problem_.experiments[experiment].id;
    m.replicate = replicate;
    if (error) {
      if (error->empty()) {
        diagnostics.error(cell.span, "the error of this value is missing");
        continue;
      }
      auto sd = numbers.read(*error);
      if (!sd) continue;
      if (*sd <= 0) {
        diagnostics.error(error->span, "an error must be above 0");
        continue;
      }
      m.placeholders.push_back({-1, *sd});
    }
    if (!value || !timely) continue;
    m.time = *time;
    m.value = *value;
    m.row = static_cast<int>(problem_.measurements.size());
    trial.measured.insert(column.observable);
    problem_.measurements.push_back(std::move(m));
  }
  if (!timely) return;
  auto [before, is_first] = trial.rows.try_emplace(content, row.span.begin);
  if (!is_first)
    diagnostics.error(
        row.span,
        "this row repeats line " + std::to_string(diagnostics.source().locate(before->second).line),
        "true repetitions get a column 'replicate'");
}

void DataReader::warn_constant_data(const ReadTable& file, std::size_t first_measurement) {
  struct Seen {
    double value;
    int count = 0;
    bool varies = false;
  };
  std::map<int, Seen> seen;
  for (std::size_t i = first_measurement; i < problem_.measurements.size(); ++i) {
    const Measurement& m = problem_.measurements[i];
    if (m.censoring != Censoring::none) continue;
    Seen& s = seen.try_emplace(m.observable, Seen{m.value}).first->second;
    ++s.count;
    s.varies |= m.value != s.value;
  }
  for (std::size_t i = 0; i < file.columns.size(); ++i) {
    auto found = seen.find(file.columns[i].observable);
    if (file.columns[i].kind != ColumnKind::measured || found == seen.end()) continue;
    if (found->second.count >= 3 && !found->second.varies)
      file.diagnostics->warning(file.table.header[i].span,
                                "all values of '" + file.table.header[i].text + "' are " +
                                    format_number(found->second.value),
                                "they say little about the estimated parameters");
  }
}

}  // namespace stiffit::internal
