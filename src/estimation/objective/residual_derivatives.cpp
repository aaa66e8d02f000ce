// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/interrupt.h"
#include "estimation/objective/problem_objective_impl.h"

namespace stiffit::internal {

ResidualDerivatives ProblemObjective::residual_derivatives(std::span<const double> theta,
                                                           std::string& failure) const {
  LikelihoodAccumulator taken = impl_->accumulator_for(Need::fisher);
  taken.residuals_wanted = taken.places_wanted = true;
  if (!unless_interrupted([&] { failure = impl_->run(theta, true, taken); }))
    failure = "interrupted";
  ResidualDerivatives result;
  if (!failure.empty()) return result;
  const std::size_t n = impl_->unknown.size();
  result.residual.resize(impl_->measurements);
  result.jacobian.resize(impl_->measurements * n);
  result.noise_unknowns.resize(impl_->measurements);
  for (std::size_t k = 0; k < taken.residual_rows.size(); ++k) {
    const std::size_t row = taken.residual_rows[k];
    result.residual[row] = taken.residuals[k];
    std::copy_n(taken.jacobian.begin() + k * n, n, result.jacobian.begin() + row * n);
    result.noise_unknowns[row] = std::move(taken.noise_unknowns[k]);
  }
  return result;
}

}  // namespace stiffit::internal
