// Marching squares: each cell of the grid gives at most two pieces of the border, which are then
// joined end to end.
// SPDX-License-Identifier: Apache-2.0
#include "report/plots/contour.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stiffit::internal {
namespace {

class Contour {
 public:
  Contour(const std::vector<double>& xs, const std::vector<double>& ys,
          const std::vector<double>& values)
      : xs_(xs), ys_(ys), values_(values), nx_(xs.size()) {}

  std::vector<std::vector<PlotPoint>> rings() {
    const long ny = ys_.size();
    // With a ring of cells around the grid, whose outer corners are never inside.
    for (long j = -1; j < ny; ++j)
      for (long i = -1; i < nx_; ++i) cell(i, j);
    std::vector<std::vector<PlotPoint>> list;
    while (!next_.empty()) {
      std::vector<PlotPoint> ring;
      Edge edge = next_.begin()->first;
      for (auto at = next_.find(edge); at != next_.end(); at = next_.find(edge)) {
        ring.push_back(crossing(edge));
        edge = at->second;
        next_.erase(at);
      }
      list.push_back(std::move(ring));
    }
    return list;
  }

 private:
  // From the corner (i, j) to the right or upwards.
  struct Edge {
    long i, j;
    bool up;
    auto operator<=>(const Edge&) const = default;
  };

  double value(long i, long j) const {
    if (i < 0 || j < 0 || i >= nx_ || j >= static_cast<long>(ys_.size())) return INFINITY;
    const double v = values_[j * nx_ + i];
    return std::isnan(v) ? INFINITY : v;
  }
  bool inside(long i, long j) const { return value(i, j) < 0; }
  double x(long i) const { return xs_[std::clamp(i, 0L, nx_ - 1)]; }
  double y(long j) const {
    return ys_[static_cast<std::size_t>(std::clamp(j, 0L, static_cast<long>(ys_.size()) - 1))];
  }

  PlotPoint crossing(const Edge& e) const {
    const long i2 = e.up ? e.i : e.i + 1, j2 = e.up ? e.j + 1 : e.j;
    const double a = value(e.i, e.j), b = value(i2, j2);
    double share = 0.5;
    if (std::isfinite(a) && std::isfinite(b))
      share = a / (a - b);
    else if (std::isfinite(a) || std::isfinite(b))
      share = std::isfinite(a) ? 0 : 1;  // next to what is infinite, as at the border
    return {x(e.i) + share * (x(i2) - x(e.i)), y(e.j) + share * (y(j2) - y(e.j))};
  }

  // Pieces lead with the inside on their left.
  void cell(long i, long j) {
    const Edge low{i, j, false}, high{i, j + 1, false}, left{i, j, true}, right{i + 1, j, true};
    const bool a = inside(i, j), b = inside(i + 1, j), c = inside(i + 1, j + 1),
               d = inside(i, j + 1);
    switch (a + 2 * b + 4 * c + 8 * d) {
      case 1:
        return join(low, left);
      case 2:
        return join(right, low);
      case 3:
        return join(right, left);
      case 4:
        return join(high, right);
      case 5:
        join(low, left);
        return join(high, right);
      case 6:
        return join(high, low);
      case 7:
        return join(high, left);
      case 8:
        return join(left, high);
      case 9:
        return join(low, high);
      case 10:
        join(right, low);
        return join(left, high);
      case 11:
        return join(right, high);
      case 12:
        return join(left, right);
      case 13:
        return join(low, right);
      case 14:
        return join(left, low);
      default:
        return;
    }
  }
  void join(const Edge& from, const Edge& to) { next_.emplace(from, to); }

  const std::vector<double>&xs_, &ys_, &values_;
  long nx_;
  std::map<Edge, Edge> next_;
};

}  // namespace

std::vector<std::vector<PlotPoint>> rings_below_zero(const std::vector<double>& xs,
                                                     const std::vector<double>& ys,
                                                     const std::vector<double>& values) {
  return Contour(xs, ys, values).rings();
}

}  // namespace stiffit::internal
