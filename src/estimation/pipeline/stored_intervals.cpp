// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/stored_intervals.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/number.h"
#include "io/table/table.h"

namespace stiffit::internal {
namespace {

// The cells of a row by the names of their columns.
class Cells {
 public:
  Cells(const Table& table, const TableRow& row) : table_(table), row_(row) {}

  bool has(std::string_view column) const { return find(column) != nullptr; }
  bool is(std::string_view column, std::initializer_list<std::string_view> values) const {
    const TableCell* cell = find(column);
    return cell && std::find(values.begin(), values.end(), cell->text) != values.end();
  }
  double number(std::string_view column) const {
    const TableCell* cell = find(column);
    return cell ? parse_number(cell->text).value_or(std::nan("")) : std::nan("");
  }

 private:
  const TableCell* find(std::string_view column) const {
    for (std::size_t i = 0; i < table_.header.size(); ++i)
      if (table_.header[i].text == column) return &row_.cells[i];
    return nullptr;
  }

  const Table& table_;
  const TableRow& row_;
};

// None: this side or the other was not followed to an end, or the chains have not converged.
std::optional<ConfidenceInterval> interval_of(const Cells& row, const EstimatedParameter& unknown,
                                              double level) {
  const double stored = row.has("level") ? row.number("level") : 0.95;
  if (!(std::fabs(stored - level) < 1e-9)) return std::nullopt;
  if (row.has("low_stop")) {
    if (!row.is("low_stop", {"threshold", "bound", "flat"}) ||
        !row.is("high_stop", {"threshold", "bound", "flat"}))
      return std::nullopt;
    return ConfidenceInterval{unknown.id, row.number("low"), row.number("high"), "profile", {},
                              unknown};
  }
  // Of all draws, also where those around the best fit are told apart.
  const double low = row.number("low_all"), high = row.number("high_all");
  if (!row.is("converged", {"yes"}) || std::isnan(low) || std::isnan(high)) return std::nullopt;
  return interval_of_ensemble(unknown, low, high);
}

}  // namespace

std::vector<ConfidenceInterval> stored_intervals(const std::string& folder, const FitSummary& fit,
                                                 std::string& message) {
  const std::string path = (std::filesystem::path(folder) / "intervals.tsv").string();
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  Diagnostics diagnostics(
      std::make_shared<Source>(path, std::string(std::istreambuf_iterator<char>(file), {})));
  const Table table = read_table(diagnostics);
  if (diagnostics.has_errors()) {
    message = path + " is damaged and is left out: " + diagnostics.items().front().message;
    return {};
  }
  std::vector<ConfidenceInterval> found;
  for (const TableRow& row : table.rows) {
    const Cells cells(table, row);
    for (std::size_t i = 0; i < fit.statistics.each.size(); ++i) {
      const ParameterStatistics& u = fit.statistics.each[i];
      if (!cells.is("parameterId", {u.id})) continue;
      std::optional<ConfidenceInterval> e = interval_of(cells, fit.unknowns[i], fit.level);
      if (!e) continue;
      if (u.value < e->low || u.value > e->high) {
        message = path + " is of another fit (" + u.id +
                  " lies outside of its interval there) and is left out";
        return {};
      }
      found.push_back(std::move(*e));
    }
  }
  return found;
}

}  // namespace stiffit::internal
