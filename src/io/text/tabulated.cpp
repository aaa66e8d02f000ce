// SPDX-License-Identifier: Apache-2.0
#include "io/text/tabulated.h"

#include <cmath>
#include <optional>

#include "base/number.h"
#include "io/table/table.h"
#include "io/text/syntax/lexer.h"

namespace stiffit::internal {
namespace {

// From `begin` on: c0 + s (c1 + s (c2 + s c3)) with s = time - begin.
struct Piece {
  double begin;
  double c0, c1 = 0, c2 = 0, c3 = 0;
};

// Slopes at the points for a cubic that never leaves the range of its two neighbours: Fritsch and
// Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300; zero at extremes and at both ends of a run
// without a second secant.
std::vector<double> monotone_slopes(const std::vector<TabulatedPoint>& p) {
  std::size_t n = p.size();
  std::vector<double> slopes(n, 0.0);
  auto width = [&](std::size_t i) { return p[i + 1].time - p[i].time; };
  auto secant = [&](std::size_t i) { return (p[i + 1].value - p[i].value) / width(i); };
  for (std::size_t i = 1; i + 1 < n; ++i) {
    if (width(i - 1) <= 0 || width(i) <= 0) continue;  // beside a jump
    double left = secant(i - 1), right = secant(i);
    if (left * right <= 0) continue;
    double wl = 2 * width(i) + width(i - 1), wr = width(i) + 2 * width(i - 1);
    slopes[i] = (wl + wr) / (wl / left + wr / right);
  }
  return slopes;
}

std::vector<Piece> pieces_of(const std::vector<TabulatedPoint>& p, Tabulation kind) {
  std::vector<Piece> pieces;
  std::vector<double> slopes;
  if (kind == Tabulation::cubic) slopes = monotone_slopes(p);
  if (kind != Tabulation::steps) pieces.push_back({p.front().time, p.front().value});
  for (std::size_t i = 0; i < p.size(); ++i) {
    Piece piece{p[i].time, p[i].value};
    double h = i + 1 < p.size() ? p[i + 1].time - p[i].time : 1;
    if (h <= 0) continue;  // a jump: the next piece begins here
    if (i + 1 < p.size() && kind != Tabulation::steps) {
      double secant = (p[i + 1].value - p[i].value) / h;
      piece.c1 = secant;
      if (kind == Tabulation::cubic) {
        piece.c1 = slopes[i];
        piece.c2 = (3 * secant - 2 * slopes[i] - slopes[i + 1]) / h;
        piece.c3 = (slopes[i] + slopes[i + 1] - 2 * secant) / (h * h);
      }
    }
    pieces.push_back(piece);
  }
  // Neighbours that say the same are one: no reason to stop between them.
  std::vector<Piece> joined;
  for (const Piece& piece : pieces) {
    bool flat = piece.c1 == 0 && piece.c2 == 0 && piece.c3 == 0;
    if (!joined.empty() && flat && joined.back().c0 == piece.c0 && joined.back().c1 == 0 &&
        joined.back().c2 == 0 && joined.back().c3 == 0)
      continue;
    joined.push_back(piece);
  }
  return joined;
}

class PieceTree {
 public:
  PieceTree(std::vector<Piece> pieces, Expressions& expressions, Span span)
      : pieces_(std::move(pieces)),
        e_(expressions),
        span_(span),
        time_(e_.symbol({SymbolKind::time, 0}, span)) {}

  ExprId build() { return between(0, pieces_.size() - 1); }

 private:
  ExprId between(std::size_t first, std::size_t last) {
    if (first == last) return piece(pieces_[first]);
    std::size_t middle = first + (last - first) / 2;
    ExprId before = between(first, middle), after = between(middle + 1, last);
    ExprId condition =
        e_.apply(Op::lt, time_, e_.number(pieces_[middle + 1].begin, span_), no_expr, span_);
    return e_.apply(Op::select, before, condition, after, span_);
  }

  ExprId piece(const Piece& p) {
    ExprId result = no_expr;
    ExprId shift = no_expr;
    for (double c : {p.c3, p.c2, p.c1, p.c0}) {
      if (result == no_expr && c == 0) continue;
      if (result == no_expr) {
        result = e_.number(c, span_);
        continue;
      }
      if (shift == no_expr)
        shift = e_.apply(Op::sub, time_, e_.number(p.begin, span_), no_expr, span_);
      result = e_.apply(Op::mul, result, shift, no_expr, span_);
      result = e_.apply(Op::add, e_.number(c, span_), result, no_expr, span_);
    }
    return result == no_expr ? e_.number(0, span_) : result;
  }

  std::vector<Piece> pieces_;
  Expressions& e_;
  Span span_;
  ExprId time_;
};

std::optional<Tabulation> tabulation_named(std::string_view name) {
  if (name.empty() || name == "linear") return Tabulation::linear;
  if (name == "steps") return Tabulation::steps;
  if (name == "cubic") return Tabulation::cubic;
  return std::nullopt;
}

}  // namespace

ExprId tabulated_function(const std::vector<TabulatedPoint>& points, Tabulation kind,
                          Expressions& expressions, Span span) {
  return PieceTree(pieces_of(points, kind), expressions, span).build();
}

void TabulatedInputs::read(File& file, Diagnostics& of_table) {
  Table table = read_table(of_table);
  if (of_table.has_errors()) return;
  TableNumbers numbers(table.separator, of_table);
  if (table.header[0].text != "time")
    of_table.error(table.header[0].span,
                   "the first column is called 'time', not '" + table.header[0].text + "'");
  for (std::size_t i = 1; i < table.header.size(); ++i)
    if (!file.columns.try_emplace(table.header[i].text).second)
      of_table.error(table.header[i].span, "a second column '" + table.header[i].text + "'");
  std::optional<double> last;
  for (const TableRow& row : table.rows) {
    auto time = numbers.read(row.cells[0]);
    if (!time) continue;
    if (last && *time < *last)
      of_table.error(row.cells[0].span,
                     "time goes back from " + format_number(*last) + " to " + format_number(*time));
    last = time;
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
      if (row.cells[i].empty()) continue;
      auto value = numbers.read(row.cells[i]);
      if (!value) continue;
      auto& points = file.columns[table.header[i].text];
      if (points.size() > 1 && points[points.size() - 2].time == *time)
        of_table.error(row.cells[0].span, "time " + format_number(*time) + " a third time",
                       "two values at one time are a jump, three are too many");
      points.push_back({*time, *value});
    }
  }
}

const TabulatedInputs::File& TabulatedInputs::file_named(const Word& name) {
  auto [place, is_new] = known_.try_emplace(std::string(name.text));
  File& file = place->second;
  if (!is_new) return file;
  std::string text;
  try {
    if (!files_) throw InputError("there is no file beside this model");
    text = files_(place->first);
  } catch (const InputError& error) {
    std::string why = error.what();
    if (why.starts_with("error: ")) why.erase(0, 7);
    while (why.ends_with("\n")) why.pop_back();
    diagnostics_.error(name.span, "the table " + quoted(name.text) + " cannot be read", why);
    return file;
  }
  Diagnostics of_table(std::make_shared<Source>(place->first, std::move(text)));
  read(file, of_table);
  file.good = !of_table.has_errors();
  for (const Diagnostic& d : of_table.items()) {
    LineColumn at = of_table.source().locate(d.span.begin);
    diagnostics_.error(name.span,
                       place->first + ":" + std::to_string(at.line) + ":" +
                           std::to_string(at.column) + ": " + d.message,
                       d.hint);
  }
  return file;
}

ExprId TabulatedInputs::build(const TableSyntax& table, Expressions& expressions, Span span) {
  auto kind = tabulation_named(table.kind.text);
  if (!kind)
    diagnostics_.error(table.kind.span, "unknown interpolation " + quoted(table.kind.text),
                       "linear, steps or cubic");
  const File& file = file_named(table.file);
  if (!file.good || !kind) return no_expr;
  auto column = file.columns.find(table.column.text);
  if (column == file.columns.end()) {
    std::vector<std::string> names;
    for (auto& [name, points] : file.columns) names.push_back(name);
    std::string nearest = nearest_name(table.column.text, names);
    std::string hint = nearest.empty() ? "" : "did you mean '" + nearest + "'?";
    if (nearest.empty()) {
      hint = "it has";
      for (std::size_t i = 0; i < names.size() && i < 8; ++i)
        hint += (i ? ", '" : " '") + names[i] + "'";
    }
    diagnostics_.error(table.column.span,
                       quoted(table.file.text) + " has no column " + quoted(table.column.text),
                       hint);
    return no_expr;
  }
  if (column->second.empty()) {
    diagnostics_.error(table.column.span, "column " + quoted(table.column.text) + " of " +
                                              quoted(table.file.text) + " is empty");
    return no_expr;
  }
  return tabulated_function(column->second, *kind, expressions, span);
}

}  // namespace stiffit::internal
