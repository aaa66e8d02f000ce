// Mean, spread and quantiles of every cell of a table (a time and a column) over many tables of the
// same shape, in memory that does not grow with their number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analysis/ensemble/sketch.h"

namespace stiffit::internal {

class Bands {
 public:
  explicit Bands(std::size_t cells) : cells_(cells) {}
  std::size_t size() const { return cells_.size(); }
  // One table. Cells that are not finite are left out and counted.
  void add(std::span<const double> table);
  // Many, in their order; each thread has cells of its own.
  void add(std::span<const std::span<const double>> tables, int threads);
  // The same for the cells from `first` to before `end`; other threads may add to others.
  void add(std::span<const std::span<const double>> tables, std::size_t first, std::size_t end);

  double mean(std::size_t cell) const;
  double deviation(std::size_t cell) const;  // standard, of the sample; NaN for fewer than two
  double quantile(std::size_t cell, double share) const;
  std::uint64_t count(std::size_t cell) const { return cells_[cell].sketch.total(); }

  double share_below(std::size_t cell, double value) const {
    return cells_[cell].sketch.share_below(value);
  }

  void save(RecordWriter& out) const;
  void restore(RecordReader& from);  // throws BadRecord, also for another number of cells

 private:
  struct Cell {
    double mean = 0, squares = 0;  // Welford's running values
    Sketch sketch;
    void add(double value);
  };
  std::vector<Cell> cells_;
};

}  // namespace stiffit::internal
