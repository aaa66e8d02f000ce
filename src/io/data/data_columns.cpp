// Files, their headers and their lines `# key = value`.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "base/number.h"
#include "io/data/data_reader.h"

namespace stiffit::internal {
namespace {

// "data/curve1.csv" -> "curve1"
std::string stem_of(const std::string& file) {
  std::size_t slash = file.find_last_of("/\\");
  std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// The x of "prefix(x)" or "x(0)".
std::optional<std::string> inside(const std::string& text, std::string_view before,
                                  std::string_view after) {
  if (text.size() <= before.size() + after.size() || !text.starts_with(before) ||
      !text.ends_with(after))
    return std::nullopt;
  return text.substr(before.size(), text.size() - before.size() - after.size());
}

}  // namespace

void DataReader::read_files() {
  for (const DataFile& file : request_.files) {
    Diagnostics& diagnostics = diagnostics_about(file.name, file.text);
    ReadTable read{read_table(diagnostics), &diagnostics, file.name, stem_of(file.name), {}, {}};
    for (const ReadTable& other : files_) {
      if (other.file == file.name) diagnostics.error({}, "this file is given twice");
      if (other.stem == read.stem) read.stem = file.name;
    }
    files_.push_back(std::move(read));
    ReadTable& here = files_.back();
    if (here.table.broken) continue;
    TableNumbers numbers(here.table.separator, diagnostics);
    read_settings(here, numbers);
    read_columns(here);
    if (!here.table.header.empty()) read_rows(here, numbers);
  }
  if (files_.empty()) diagnostics_about("--data", "").error({}, "there are no data");
}

void DataReader::read_columns(ReadTable& file) {
  Diagnostics& diagnostics = *file.diagnostics;
  const std::vector<TableCell>& header = file.table.header;
  for (std::size_t i = 0; i < header.size(); ++i) {
    auto first = std::find_if(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(i),
                              [&](const TableCell& c) { return c.text == header[i].text; });
    if (first != header.begin() + static_cast<std::ptrdiff_t>(i)) {
      diagnostics.error(header[i].span, "a second column '" + header[i].text + "'",
                        "replicates are further rows of the same time");
      file.columns.emplace_back();
    } else if (i == 0) {
      if (lower_case(header[0].text) != "time")
        diagnostics.error(header[0].span,
                          "the first column is called 'time', not '" + header[0].text + "'");
      file.columns.push_back({ColumnKind::time, {}, {}, -1, -1});
    } else {
      file.columns.push_back(classify(header[i], file));
    }
  }
  pair_errors(file);
  if (std::none_of(file.columns.begin(), file.columns.end(),
                   [](const Column& c) { return c.kind == ColumnKind::measured; }) &&
      !has_errors())
    diagnostics.error({}, "the table has no column of measurements");
}

DataReader::Column DataReader::classify(const TableCell& cell, ReadTable& file) {
  Column column;
  const std::string& name = cell.text;
  bool named_so = model_.find(name).kind != SymbolKind::none;
  if (name == "experiment" && !named_so) {
    column.kind = ColumnKind::experiment;
  } else if (name == "replicate" && !named_so) {
    column.kind = ColumnKind::replicate;
  } else if (inside(name, "sd(", ")")) {
    column.kind = ColumnKind::error;  // paired when all columns are known
  } else if (auto target = inside(name, "", "(0)"); target && !named_so) {
    if (auto ref = settable(*target, cell, *file.diagnostics)) {
      column.kind = ColumnKind::start_value;
      column.target = *ref;
      column.name = *target;
      for (const StartValue& s : file.settings)
        if (s.target == *ref)
          file.diagnostics->error(cell.span, "'" + *target + "' is set twice",
                                  "also by the line '# " + *target + " = ...'");
    }
  } else {
    column.observable = observable_of(name, cell, *file.diagnostics);
    if (column.observable >= 0) column.kind = ColumnKind::measured;
  }
  return column;
}

void DataReader::pair_errors(ReadTable& file) {
  const std::vector<TableCell>& header = file.table.header;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (file.columns[i].kind != ColumnKind::error) continue;
    std::string name = *inside(header[i].text, "sd(", ")");
    auto of = std::find_if(header.begin(), header.end(),
                           [&](const TableCell& c) { return c.text == name; });
    if (of != header.end()) {
      file.columns[of - header.begin()].errors = static_cast<int>(i);
      continue;
    }
    std::vector<std::string> names;
    for (const TableCell& c : header) names.push_back(c.text);
    std::string nearest = name.size() < 2 ? "" : nearest_name(name, names);
    file.diagnostics->error(header[i].span, "errors of '" + name + "', which is not a column",
                            nearest.empty() ? "" : "did you mean 'sd(" + nearest + ")'?");
  }
}

std::optional<Ref> DataReader::settable(const std::string& name, const TableCell& cell,
                                        Diagnostics& diagnostics) {
  Ref ref = model_.find(name);
  std::string why;
  switch (ref.kind) {
    case SymbolKind::none:
      diagnostics.error(cell.span, "the model has nothing called '" + name + "'",
                        suggestion(name, false));
      return std::nullopt;
    case SymbolKind::species:
    case SymbolKind::parameter:
    case SymbolKind::compartment:
      if (!computed(ref)) return ref;
      why = "a rule computes it";
      break;
    case SymbolKind::reaction:
      why = "it is a reaction";
      break;
    default:
      why = "it is computed";
  }
  diagnostics.error(cell.span, "'" + name + "' cannot be set", why);
  return std::nullopt;
}

void DataReader::read_settings(ReadTable& file, TableNumbers& numbers) {
  for (const TableSetting& setting : file.table.settings) {
    std::string name = setting.key.text;
    if (auto bare = inside(name, "", "(0)"); bare && model_.find(name).kind == SymbolKind::none)
      name = *bare;
    bool unknown = setting.value.text == "?";
    std::string digits = setting.value.text;
    std::replace(digits.begin(), digits.end(), ',', '.');
    bool known_name = model_.find(name).kind != SymbolKind::none;
    // "# instrument = Cary 60" is a remark; "# temperature = 25" might be a misspelt name.
    if (!known_name && !unknown && !parse_number(digits)) continue;
    if (!known_name) {
      std::string hint = suggestion(name, false);
      file.diagnostics->error(setting.key.span, "the model has nothing called '" + name + "'",
                              hint.empty() ? "a remark is written without '='" : hint);
      continue;
    }
    auto ref = settable(name, setting.key, *file.diagnostics);
    if (!ref) continue;
    auto before = std::find_if(file.settings.begin(), file.settings.end(),
                               [&](const StartValue& s) { return s.target == *ref; });
    if (before != file.settings.end()) {
      file.diagnostics->error(
          setting.key.span, "'" + name + "' is set twice",
          "also on line " +
              std::to_string(file.diagnostics->source().locate(before->cell.span.begin).line));
      continue;
    }
    StartValue value{*ref, name, std::nullopt, setting.value};
    if (!unknown) {
      value.number = numbers.read(setting.value);
      if (!value.number) continue;
    }
    file.settings.push_back(std::move(value));
  }
}

}  // namespace stiffit::internal
