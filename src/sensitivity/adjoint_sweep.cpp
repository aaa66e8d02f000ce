// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/adjoint_sweep.h"

#include <algorithm>

#include "base/interrupt.h"

namespace stiffit::internal {
namespace {

// out += matrix^T * x
void add_transposed(const SparseRows& rows, StageMatrix values, const double* x, double* out) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows.rows()); ++i) {
    if (x[i] == 0) continue;
    for (std::size_t e = rows.row_start[i]; e < static_cast<std::size_t>(rows.row_start[i + 1]);
         ++e)
      out[rows.column[e]] += values[e] * x[i];
  }
}

}  // namespace

AdjointSweep::AdjointSweep(const SensitivityProblem& problem)
    : problem_(problem),
      n_(problem.kernels.states),
      stride_(AlignedArray::padded(n_)),
      start_(n_),
      end_(n_),
      stages_(rodas5p::stages * stride_),
      solved_(n_),
      moved_(n_),
      jacobian_(problem.kernels.state.nonzeros()) {}

void AdjointSweep::clear() {
  start_.fill(0);
  end_.fill(0);
  stages_.fill(0);
}

void AdjointSweep::add_end(const double* weight) {
  for (std::size_t i = 0; i < n_; ++i) end_[i] += weight[i];
}

void AdjointSweep::add_inside(double theta, const double* weight) {
  const double left = 1 - theta;
  for (std::size_t i = 0; i < n_; ++i) {
    start_[i] += left * weight[i];
    end_[i] += theta * weight[i];
  }
  for (int j = 0; j < rodas5p::stages; ++j) {
    const double share =
        theta * left *
        (rodas5p::dense[0][j] + theta * (rodas5p::dense[1][j] + theta * rodas5p::dense[2][j]));
    for (std::size_t i = 0; i < n_; ++i) stage(j)[i] += share * weight[i];
  }
}

void AdjointSweep::add_error(const double* weight) {
  for (std::size_t i = 0; i < n_; ++i) stage(7)[i] += weight[i];
}

bool AdjointSweep::factor(const LinearisedStep& step) {
  if (!solver_) solver_ = problem_.adjoint_linear()->make_solver();
  const double diagonal = 1 / (step.h * rodas5p::gamma);
  // By rows J reads as its transpose by columns.
  for (std::size_t e = 0; e < jacobian_.size(); ++e) jacobian_[e] = step.state(0)[e];
  return !solver_->factor(&diagonal, jacobian_.data());
}

void AdjointSweep::run(const LinearisedStep& step, AdjointSweep& factored, double* state,
                       std::span<double> parameters) {
  check_interrupt();
  const DerivativeKernels& kernels = problem_.kernels;
  const std::vector<double>& mass = problem_.problem.program->mass;
  const double inverse = 1 / step.h;
  // The end is the place of the last stage plus that stage.
  std::copy_n(end_.data(), n_, moved_.data());
  for (std::size_t i = 0; i < n_; ++i) stage(7)[i] += end_[i];
  for (int i = rodas5p::stages; i-- > 0;) {
    std::copy_n(stage(i), n_, solved_.data());
    factored.solver_->solve(solved_.data());
    add_transposed(kernels.state, step.state(i), solved_.data(), moved_.data());
    add_transposed(kernels.bend_state, step.bend(i), solved_.data(), start_.data());
    add_transposed(kernels.parameter, step.parameter(i), solved_.data(), parameters.data());
    if (!mass.empty())
      for (std::size_t k = 0; k < n_; ++k) solved_[k] *= mass[k];
    for (int j = 0; j < i; ++j) {
      const double weight = inverse * rodas5p::c[i][j];
      for (std::size_t k = 0; k < n_; ++k) stage(j)[k] += weight * solved_[k];
    }
    if (i > 5) {  // its place is that of the stage before, plus that stage
      for (std::size_t k = 0; k < n_; ++k) stage(i - 1)[k] += moved_[k];
      continue;
    }
    for (std::size_t k = 0; k < n_; ++k) start_[k] += moved_[k];
    for (int j = 0; j < i; ++j)
      for (std::size_t k = 0; k < n_; ++k) stage(j)[k] += rodas5p::a[i][j] * moved_[k];
    moved_.fill(0);
  }
  std::copy_n(start_.data(), n_, state);
}

}  // namespace stiffit::internal
