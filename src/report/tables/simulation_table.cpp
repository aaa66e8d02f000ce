// SPDX-License-Identifier: Apache-2.0
#include "report/tables/simulation_table.h"

#include <algorithm>
#include <map>

#include "base/diagnostic.h"
#include "base/files/read_file.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (char c : text)
    if (c == separator)
      parts.emplace_back();
    else if (c != '\r')
      parts.back() += c;
  return parts;
}

struct Table {
  std::vector<std::string> header;
  std::vector<std::string> lines;
};

struct Row {
  const FitProblem* part;
  const Measurement* measurement;
};

std::vector<Row> rows_of(const FitProblem& problem) {
  std::vector<Row> rows;
  auto add = [&](const FitProblem& part) {
    for (const Measurement& m : part.measurements) rows.push_back({&part, &m});
  };
  add(problem);
  for (const FitProblem& part : problem.parts) add(part);
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.measurement->row < b.measurement->row;
  });
  return rows;
}

std::string own_table(const std::vector<Row>& rows, const std::vector<Prediction>& predictions) {
  std::string text = "observableId\texperimentId\ttime\tsimulation\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Measurement& m = *rows[i].measurement;
    const std::size_t at = m.row >= 0 ? m.row : static_cast<int>(i);
    text += rows[i].part->observables[m.observable].id + "\t" +
            rows[i].part->experiments[m.experiment].id + "\t" + format_number(m.time) + "\t" +
            format_number(predictions[at].value) + "\n";
  }
  return text;
}

}  // namespace

std::string simulation_table(const FitProblem& problem,
                             const std::vector<Prediction>& predictions) {
  const std::vector<Row> rows = rows_of(problem);
  std::map<std::string, Table> tables;
  std::vector<std::string> header;
  for (const Row& row : rows) {
    const TablePlace& place = row.measurement->place;
    if (place.file.empty() || place.line < 2) return own_table(rows, predictions);
    if (tables.contains(place.file)) continue;
    Table table;
    try {
      table.lines = split(read_file(place.file), '\n');
    } catch (const InputError&) {
      return own_table(rows, predictions);
    }
    table.header = split(table.lines.front(), '\t');
    if (std::find(table.header.begin(), table.header.end(), "measurement") == table.header.end())
      return own_table(rows, predictions);
    for (const std::string& name : table.header)
      if (std::find(header.begin(), header.end(), name) == header.end()) header.push_back(name);
    tables.emplace(place.file, std::move(table));
  }
  std::string text;
  for (const std::string& name : header)
    text += (&name == &header.front() ? "" : "\t") +
            (name == "measurement" ? std::string("simulation") : name);
  text += "\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Measurement& m = *rows[i].measurement;
    const Table& table = tables.at(m.place.file);
    const std::vector<std::string> cells = split(table.lines[m.place.line - 1], '\t');
    const std::size_t at = m.row >= 0 ? m.row : static_cast<int>(i);
    for (const std::string& name : header) {
      if (&name != &header.front()) text += "\t";
      const std::size_t column =
          std::find(table.header.begin(), table.header.end(), name) - table.header.begin();
      if (name == "measurement")
        text += format_number(predictions[at].value);
      else if (column < cells.size())
        text += cells[column];
    }
    text += "\n";
  }
  return text;
}

}  // namespace stiffit::internal
