// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/explicit_rk/extrapolated_midpoint.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {

ExtrapolatedMidpointStepper::ExtrapolatedMidpointStepper(LaneGroup& group, int order)
    : OneLaneStepper(group), columns_((order + 1) / 2), before_(size()), now_(size()), f_(size()) {
  for (int k = 0; k < columns_; ++k) table_.emplace_back(size());
}

void ExtrapolatedMidpointStepper::attempt(LaneMask) {
  LaneGroup& g = group_;
  step(g.h[0], g.y_new.data());
  evaluate(g.t[0] + g.h[0], g.y_new.data(), slope_new_.data());
  g.error[0] = finite(slope_new_.data()) ? 0 : NAN;
}

void ExtrapolatedMidpointStepper::interpolate(int, double theta, double* out) {
  step(theta * group_.h[0], out);
}

// table_[j] is T_{k,j} of Aitken and Neville, row after row.
void ExtrapolatedMidpointStepper::step(double h, double* out) {
  const LaneGroup& g = group_;
  for (int k = 0; k < columns_; ++k) {
    const int parts = 2 * (k + 1);
    const double part = h / parts;
    std::copy_n(g.y.data(), size(), before_.data());
    for (std::size_t i = 0; i < size(); ++i) now_[i] = g.y[i] + part * slope_[i];
    for (int m = 1; m < parts; ++m) {
      evaluate(g.t[0] + m * part, now_.data(), f_.data());
      for (std::size_t i = 0; i < size(); ++i) before_[i] += 2 * part * f_[i];
      before_.swap(now_);
    }
    for (std::size_t i = 0; i < size(); ++i) {
      double value = now_[i];
      for (int j = 0; j < k; ++j) {
        const double ratio = static_cast<double>(k + 1) / (k - j);
        const double better = value + (value - table_[j][i]) / (ratio * ratio - 1);
        table_[j][i] = value;
        value = better;
      }
      table_[k][i] = value;
    }
  }
  std::copy_n(table_.back().data(), size(), out);
}

}  // namespace stiffit::internal
