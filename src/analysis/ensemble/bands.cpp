// SPDX-License-Identifier: Apache-2.0
#include "analysis/ensemble/bands.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"
#include "base/thresholds.h"

namespace stiffit::internal {

void Bands::Cell::add(double value) {
  if (!std::isfinite(value)) return;
  sketch.add(value);
  const double off = value - mean;
  mean += off / static_cast<double>(sketch.total());
  squares += off * (value - mean);
}

void Bands::add(std::span<const double> table) { add({&table, 1}, 1); }

void Bands::add(std::span<const std::span<const double>> tables, int threads) {
  const bool few =
      static_cast<double>(tables.size() * cells_.size()) < thresholds::numbers_for_threads;
  const std::size_t workers = few ? 1 : std::max(1, threads);
  on_threads(workers, [&](std::size_t k) {
    add(tables, cells_.size() * k / workers, cells_.size() * (k + 1) / workers);
  });
}

void Bands::add(std::span<const std::span<const double>> tables, std::size_t first,
                std::size_t end) {
  for (const std::span<const double>& table : tables)
    for (std::size_t i = first; i < end; ++i) cells_[i].add(table[i]);
}

double Bands::mean(std::size_t cell) const {
  return cells_[cell].sketch.total() ? cells_[cell].mean : NAN;
}

double Bands::deviation(std::size_t cell) const {
  const auto count = static_cast<double>(cells_[cell].sketch.total());
  return count < 2 ? NAN : std::sqrt(cells_[cell].squares / (count - 1));
}

double Bands::quantile(std::size_t cell, double share) const {
  return cells_[cell].sketch.quantile(share);
}

void Bands::save(RecordWriter& out) const {
  out.whole(cells_.size());
  for (const Cell& cell : cells_) {
    out.number(cell.mean);
    out.number(cell.squares);
    cell.sketch.save(out);
  }
}

void Bands::restore(RecordReader& from) {
  if (from.whole() != static_cast<std::int64_t>(cells_.size()))
    throw BadRecord("the stored table has another shape");
  for (Cell& cell : cells_) {
    cell.mean = from.number();
    cell.squares = from.number();
    cell.sketch.restore(from);
  }
}

}  // namespace stiffit::internal
