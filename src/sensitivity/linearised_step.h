// A step of Rodas5P as a linear map of what goes into it. With s the derivative of y, d of the
// parameters, and U_i, Y_i the stages and where they are evaluated, the step sizes held fixed:
//   dY_i = s + sum a_ij dU_j
//   (M/(h gamma) - J(y)) dU_i = J(Y_i) dY_i + A_i s + G_i d + M sum c_ij dU_j / h
// where J(Y_i), A_i = d/dx (J(y) U_i + u_i df/dt) and G_i, the same by p plus df/dp(Y_i), are
// evaluated here, once for all directions. u_i is h times the stage's weight of df/dt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "linear/aligned_array.h"
#include "ode/methods/rosenbrock/rodas5p_tableau.h"
#include "sensitivity/problem.h"

namespace stiffit::internal {

// A matrix of a stage: its entries, some distance apart.
struct StageMatrix {
  const double* data;
  std::size_t stride;
  double operator[](std::size_t entry) const { return data[entry * stride]; }
};

class LinearisedStep {
 public:
  explicit LinearisedStep(const SensitivityProblem& problem);

  // The parameters and modes from now on, as the program has them.
  void set_parameters(const double* parameters_and_modes);
  // What f's derivatives are anywhere.
  void differentiate(double t, const double* y, double* by_state, double* by_parameter);
  void evaluate(double t, double h, const double* y, const double* stages, std::size_t stride);

  double* parameters() { return parameters_.data(); }  // of the derivative kernels
  double h = 0;
  StageMatrix state(int stage) const { return of(state_, stage); }
  StageMatrix bend(int stage) const { return of(bend_, stage); }
  StageMatrix parameter(int stage) const { return of(parameter_, stage); }

 private:
  // Stages go side by side into groups of as many as there are lanes.
  StageMatrix of(const AlignedArray& all, int stage) const {
    const std::size_t i = stage;
    return {all.data() + i / lanes_ * (all.size() / groups_) + i % lanes_, lanes_};
  }
  void place_stages(const double* y, const double* stages, std::size_t stride);
  void evaluate_group(std::size_t group, double t);
  void add_bends(std::size_t group);

  const DerivativeKernels& kernels_;
  std::size_t n_, lanes_, groups_;
  AlignedArray parameters_, lane_parameters_;
  AlignedArray state_, bend_, parameter_;  // [group][entry][lane]
  AlignedArray bend_parameter_, times_, y_;
  AlignedArray places_, values_;  // Y_i and U_i, [group][state][lane]
};

}  // namespace stiffit::internal
