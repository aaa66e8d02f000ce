// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/linearised_step.h"

#include <algorithm>

namespace stiffit::internal {
namespace {

// A group's array begins on a whole line.
AlignedArray grouped(std::size_t groups, std::size_t size) {
  return AlignedArray(groups * AlignedArray::padded(size));
}

// Of whole lines, looked at without a branch for each: most often it is true.
bool all_finite(const double* values, std::size_t count) {
  double nothing[8] = {};
  for (std::size_t k = 0; k < count; k += 8)
    for (std::size_t l = 0; l < 8; ++l) nothing[l] += values[k + l] - values[k + l];
  return std::all_of(nothing, nothing + 8, [](double x) { return x == 0; });
}

}  // namespace

LinearisedStep::LinearisedStep(const SensitivityProblem& problem)
    : kernels_(problem.kernels),
      n_(kernels_.states),
      lanes_(kernels_.lanes),
      groups_(rodas5p::stages / lanes_),
      parameters_(kernels_.slots),
      lane_parameters_(parameters_.size() * lanes_),
      state_(grouped(groups_, kernels_.state.nonzeros() * lanes_)),
      bend_(grouped(groups_, kernels_.bend_state.nonzeros() * lanes_)),
      parameter_(grouped(groups_, kernels_.parameter.nonzeros() * lanes_)),
      bend_parameter_(kernels_.bend_parameter.nonzeros() * lanes_),
      times_(lanes_),
      y_(n_ * lanes_),
      places_(grouped(groups_, n_ * lanes_)),
      values_(grouped(groups_, n_ * lanes_)) {}

void LinearisedStep::set_parameters(const double* values) {
  std::copy_n(values, kernels_.first_input, parameters_.data());
  double* arrays[1] = {parameters_.data()};
  kernels_.prepare(arrays);
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    std::fill_n(lane_parameters_.data() + i * lanes_, lanes_, parameters_[i]);
}

void LinearisedStep::differentiate(double t, const double* y, double* by_state,
                                   double* by_parameter) {
  double* arrays[5] = {&t, const_cast<double*>(y), parameters_.data(), by_state, by_parameter};
  kernels_.stage(arrays);
}

// Where the stages of each state are evaluated, and their values, go side by side.
void LinearisedStep::place_stages(const double* y, const double* stages, std::size_t stride) {
  const std::size_t size = places_.size() / groups_;
  for (std::size_t k = 0; k < n_; ++k) {
    double value[rodas5p::stages], place[rodas5p::stages];
    for (std::size_t i = 0; i < rodas5p::stages; ++i) value[i] = stages[i * stride + k];
#pragma GCC unroll 8
    for (int i = 0; i < 6; ++i) {
      place[i] = y[k];
#pragma GCC unroll 8
      for (int j = 0; j < i; ++j) place[i] += rodas5p::a[i][j] * value[j];
    }
    for (std::size_t i = 6; i < rodas5p::stages; ++i) place[i] = place[i - 1] + value[i - 1];
    for (std::size_t i = 0; i < rodas5p::stages; ++i) {
      const std::size_t at = i / lanes_ * size + k * lanes_ + i % lanes_;
      places_[at] = place[i];
      values_[at] = value[i];
    }
  }
}

// A second derivative may be infinite where the first is not (x^1.5 at 0). It is met there by a
// zero, or stands for a kink of the step itself that the solution does not have: it is left out.
void LinearisedStep::add_bends(std::size_t group) {
  const auto finite = [](double x) { return x - x == 0 ? x : 0; };
  const std::size_t size = bend_.size() / groups_;
  double* bend = bend_.data() + group * size;
  if (!all_finite(bend, size))
    for (std::size_t k = 0; k < size; ++k) bend[k] = finite(bend[k]);
  double* parameter = parameter_.data() + group * (parameter_.size() / groups_);
  double* added = bend_parameter_.data();
  if (!all_finite(added, AlignedArray::padded(bend_parameter_.size())))
    for (std::size_t k = 0; k < bend_parameter_.size(); ++k) added[k] = finite(added[k]);
  for (std::size_t k = 0; k < kernels_.bend_place.size(); ++k) {
    double* to = parameter + kernels_.bend_place[k] * lanes_;
    for (std::size_t l = 0; l < lanes_; ++l) to[l] += added[k * lanes_ + l];
  }
}

void LinearisedStep::evaluate_group(std::size_t group, double t) {
  double* inputs = lane_parameters_.data() + kernels_.first_input * lanes_;
  const std::size_t size = places_.size() / groups_;
  std::copy_n(values_.data() + group * size, n_ * lanes_, inputs);
  for (std::size_t l = 0; l < lanes_; ++l) {
    const std::size_t stage = group * lanes_ + l;
    times_[l] = t + rodas5p::node[stage] * h;
    inputs[n_ * lanes_ + l] = rodas5p::slope[stage] * h;
  }
  double* parameter = parameter_.data() + group * (parameter_.size() / groups_);
  double* at_stages[5] = {times_.data(), places_.data() + group * size, lane_parameters_.data(),
                          state_.data() + group * (state_.size() / groups_), parameter};
  kernels_.stages(at_stages);
  times_.fill(t);
  double* at_start[5] = {times_.data(), y_.data(), lane_parameters_.data(),
                         bend_.data() + group * (bend_.size() / groups_), bend_parameter_.data()};
  kernels_.bends(at_start);
  add_bends(group);
}

void LinearisedStep::evaluate(double t, double size, const double* y, const double* stages,
                              std::size_t stride) {
  h = size;
  place_stages(y, stages, stride);
  for (std::size_t k = 0; k < n_; ++k) std::fill_n(y_.data() + k * lanes_, lanes_, y[k]);
  for (std::size_t group = 0; group < groups_; ++group) evaluate_group(group, t);
}

}  // namespace stiffit::internal
