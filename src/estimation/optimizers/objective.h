// What a fit minimises: a function of the unknowns theta on their estimation scales. The optimisers
// know nothing else of the problem.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/scale.h"

namespace stiffit::internal {

// One unknown, as an optimiser and a report see it. Bounds are of theta.
struct EstimatedParameter {
  std::string id;
  double lower, upper;
  double start;              // nominal or given; NaN: none
  Scale scale = Scale::lin;  // for reports: the value is from_theta(theta, scale)
  bool noise = false;        // only the noise depends on it, no prediction
};

enum class Need { value, gradient, fisher };  // each includes the ones before

struct Evaluation {
  double value = 0;              // minus log posterior; NaN: it failed
  double llh = 0, chi2 = 0;      // log-likelihood without priors; sum of squared residuals
  std::vector<double> gradient;  // d value / d theta
  std::vector<double> fisher;    // [i][j], positive semi-definite approximation of the Hessian
  // Of a least-squares problem (value = 1/2 |r|^2 + constant): r and, with the Fisher information,
  // dr/dtheta [residual][theta].
  std::vector<double> residuals, jacobian;
  std::string failure;  // in words, if it failed: which experiment, when, why

  bool ok() const { return failure.empty(); }
};

class Objective {
 public:
  virtual ~Objective() = default;
  virtual const std::vector<EstimatedParameter>& unknowns() const = 0;
  virtual int data_count() const = 0;
  // True if the noise is known up to a common factor: residuals and jacobian are filled.
  virtual bool least_squares() const = 0;
  // True if that factor is unknown: then value = 1/2 |r|^2, and the common variance is estimated
  // from the residuals.
  virtual bool unknown_noise() const { return false; }
  // May be called from several threads at once; the answer is the same for the same theta.
  virtual Evaluation evaluate(std::span<const double> theta, Need need) const = 0;
  // Values alone at many points, on so many threads; the answer does not depend on their number.
  virtual std::vector<Evaluation> values(std::span<const std::vector<double>> thetas,
                                         int threads) const;
};

}  // namespace stiffit::internal
