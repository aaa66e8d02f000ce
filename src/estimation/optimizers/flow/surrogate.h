// A polynomial in place of the objective in a box: fitted by weighted least squares to gradients
// (and values) at a few points, so that its own gradient, of degree 2 to 4, stands for the
// objective's; and the flow of that gradient by Taylor series.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "estimation/optimizers/flow/polynomial.h"

namespace stiffit::internal {

struct FlowSample {
  Eigen::VectorXd x, gradient;
  double value = 0;
};

// Half-widths `radius` around `centre`.
struct FlowBox {
  Eigen::VectorXd centre, radius;
  Eigen::VectorXd inside(const Eigen::VectorXd& x) const {
    return (x - centre).cwiseQuotient(radius);
  }
  Eigen::VectorXd outside(const Eigen::VectorXd& u) const {
    return centre + radius.cwiseProduct(u);
  }
};

class Surrogate {
 public:
  // `degree` of the gradient. Samples far outside of the box count little.
  Surrogate(FlowBox box, int degree, std::span<const FlowSample* const> samples);
  // How many coefficients a surrogate of that kind has.
  static int coefficients(int variables, int degree);

  const FlowBox& box() const { return box_; }
  // Of the objective, in the coordinates u of the box.
  Eigen::VectorXd gradient(const Eigen::VectorXd& u) const;
  Eigen::MatrixXd hessian(const Eigen::VectorXd& u) const;

 private:
  friend class SurrogateFlow;
  FlowBox box_;
  std::shared_ptr<const Monomials> monomials_;
  Eigen::VectorXd weights_;  // of the monomials in the potential
};

enum class FlowEnd { left, rest, time };

struct FlowStretch {
  FlowEnd end = FlowEnd::time;
  Eigen::VectorXd u;  // where it ended
  double time = 0;    // since the beginning
  long taylor_steps = 0, implicit_steps = 0;
};

// dx/dtau = - gradient of the surrogate, from u until it leaves the box, comes to rest, or the time
// is over. Variables that are `held` do not move. Taylor series; where their steps are so many that
// the flow is stiff, linearly implicit steps go on.
FlowStretch surrogate_flow(const Surrogate& surrogate, Eigen::VectorXd u,
                           const std::vector<char>& held, double most_time);

}  // namespace stiffit::internal
