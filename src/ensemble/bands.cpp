// SPDX-License-Identifier: Apache-2.0
#include "ensemble/bands.h"

#include <cmath>

namespace stiffit {

void Bands::add(std::span<const double> table) {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const double value = table[i];
    if (!std::isfinite(value)) continue;
    Cell& cell = cells_[i];
    cell.sketch.add(value);
    const double off = value - cell.mean;
    cell.mean += off / static_cast<double>(cell.sketch.total());
    cell.squares += off * (value - cell.mean);
  }
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
  out.whole(static_cast<std::int64_t>(cells_.size()));
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

}  // namespace stiffit
