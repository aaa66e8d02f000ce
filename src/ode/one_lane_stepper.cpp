// SPDX-License-Identifier: Apache-2.0
#include "ode/one_lane_stepper.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {

void multiply(const Sparsity& pattern, const double* entries, const double* x, double* out) {
  const std::size_t n = pattern.n;
  std::fill_n(out, n, 0.0);
  for (std::size_t column = 0; column < n; ++column) {
    const std::size_t end = pattern.column_start[column + 1];
    for (std::size_t p = pattern.column_start[column]; p < end; ++p)
      out[pattern.row[p]] += entries[p] * x[column];
  }
}

OneLaneStepper::OneLaneStepper(LaneGroup& group)
    : Stepper(group),
      program_(*group.problem.program),
      n_(group.n),
      jacobian_(static_cast<std::size_t>(program_.pattern.nonzeros())),
      slope_(size()),
      slope_new_(size()) {}

void OneLaneStepper::start(LaneMask) {
  evaluate(group_.t[0], group_.y.data(), slope_.data());
  group_.error[0] = finite(slope_.data()) ? 0 : NAN;
}

void OneLaneStepper::accept(LaneMask) {
  group_.y.swap(group_.y_new);
  slope_.swap(slope_new_);
}

void OneLaneStepper::evaluate(double t, const double* y, double* f) {
  if (group_.inputs) group_.inputs->fill(t, y, group_.parameters.data());
  double* arrays[4] = {&t, const_cast<double*>(y), group_.parameters.data(), f};
  program_.rhs(arrays);
  ++group_.counters[0].f;
}

bool OneLaneStepper::differentiate(double t, const double* y) {
  if (group_.inputs) group_.inputs->fill(t, y, group_.parameters.data());
  double* arrays[4] = {&t, const_cast<double*>(y), group_.parameters.data(), jacobian_.data()};
  program_.jacobian(arrays);
  ++group_.counters[0].j;
  double sum = 0;
  for (std::size_t i = 0; i < jacobian_.size(); ++i) sum += 0 * jacobian_[i];
  return sum == 0;
}

void OneLaneStepper::find_drift(double t, const double* y, const double* f, double* out) {
  if (group_.inputs) {
    const double step = 1e-4 * group_.h[0];
    evaluate(t + step, y, out);
    for (std::size_t i = 0; i < size(); ++i) out[i] = (out[i] - f[i]) / step;
  } else if (program_.autonomous) {
    std::fill_n(out, size(), 0.0);
  } else {
    double* arrays[4] = {&t, const_cast<double*>(y), group_.parameters.data(), out};
    program_.time_derivative(arrays);
  }
}

double OneLaneStepper::norm(const double* e) const {
  const LaneGroup& g = group_;
  const double floor = g.relative_floor(), absolute = g.absolute(0), rtol = g.options.rtol;
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const double top = std::max(std::fabs(g.y[i]), std::fabs(g.y_new[i]));
    const double ratio = e[i] / (rtol * (top + floor * g.largest[i]) + absolute);
    sum += ratio * ratio;
  }
  return n_ ? std::sqrt(sum / n_) : 0;
}

bool OneLaneStepper::finite(const double* x) const {
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) sum += x[i] - x[i];
  return sum == 0;
}

void OneLaneStepper::hermite(double theta, double* out) const {
  const double h = group_.h[0];
  for (std::size_t i = 0; i < size(); ++i) {
    const double rise = group_.y_new[i] - group_.y[i], bend = h * slope_[i] - rise;
    const double rest = rise - h * slope_new_[i] - bend;
    out[i] = group_.y[i] + theta * (rise + (1 - theta) * (bend + theta * rest));
  }
}

PastValues::PastValues(std::size_t size) {
  for (AlignedArray& v : values_) v = AlignedArray(size);
}

void PastValues::begin(const double* y) {
  count_ = 0;
  push(0, y);
}

void PastValues::push(double h, const double* y) {
  for (int i = most - 1; i > 0; --i) {
    values_[i].swap(values_[i - 1]);
    step_to_[i] = step_to_[i - 1];
  }
  std::copy_n(y, values_[0].size(), values_[0].data());
  step_to_[0] = h;
  count_ = std::min(count_ + 1, most);
}

double PastValues::deviation(int points, double h, const double* y, double* out) const {
  double distance[most], weight[most], scale = 1;
  distance[0] = h;
  for (int i = 1; i < points; ++i) distance[i] = distance[i - 1] + step_to_[i - 1];
  for (int i = 0; i < points; ++i) {
    weight[i] = 1;
    for (int j = 0; j < points; ++j)
      if (j != i) weight[i] *= distance[j] / (distance[j] - distance[i]);
    scale *= distance[i] / h;
  }
  for (std::size_t k = 0; k < values_[0].size(); ++k) {
    double sum = y[k];
    for (int i = 0; i < points; ++i) sum -= weight[i] * values_[i][k];
    out[k] = sum;
  }
  return scale;
}

double strictness_for(double rtol, int estimated, int order) {
  return std::pow(rtol, 1 - static_cast<double>(estimated) / order);
}

}  // namespace stiffit::internal
