// One step of a linearly implicit method of order two with an error estimate of order three, which
// stays of order two whatever matrix stands for the Jacobian. In the gradient flow that is the
// Fisher information, which comes with the gradient. Each rate there is a run of the model, and a
// step here costs two; the methods of ode/ lose their order with such a matrix, or iterate with it.
//
// L. Shampine, M. Reichelt, "The MATLAB ODE suite", SIAM J. Sci. Comput. 18 (1997).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>

#include "linear/dense/decompositions.h"

namespace stiffit::internal {

class Rosenbrock23 {
 public:
  using Rate = std::function<Eigen::VectorXd(const Eigen::VectorXd&)>;  // NaN: it failed
  Rosenbrock23(Rate rate, double rtol, double atol)
      : rate_(std::move(rate)), rtol_(rtol), atol_(atol) {}

  struct Step {
    bool accepted = false;
    Eigen::VectorXd y, f;  // at the end
    double taken = 0, next = 0;
  };
  // From y with rate f and Jacobian j.
  Step step(const Eigen::VectorXd& y, const Eigen::VectorXd& f, const Eigen::MatrixXd& j,
            double h) const {
    const double d = 1 / (2 + std::sqrt(2.0)), e32 = 6 + std::sqrt(2.0);
    const Eigen::Index n = y.size();
    const GeneralFactors w(Eigen::MatrixXd::Identity(n, n) - h * d * j);
    const Eigen::VectorXd k1 = w.solve(f);
    const Eigen::VectorXd f1 = rate_(y + 0.5 * h * k1);
    const Eigen::VectorXd k2 = w.solve(f1 - k1) + k1;
    Step s;
    s.y = y + h * k2;
    s.f = rate_(s.y);
    const Eigen::VectorXd k3 = w.solve(s.f - e32 * (k2 - f1) - 2 * (k1 - f));
    const Eigen::VectorXd error = h / 6 * (k1 - 2 * k2 + k3);
    double size = 0;
    for (Eigen::Index i = 0; i < n; ++i)
      size = std::max(size, std::fabs(error(i)) /
                                (atol_ + rtol_ * std::max(std::fabs(y(i)), std::fabs(s.y(i)))));
    s.accepted = size <= 1;  // false for NaN
    s.taken = h;
    const double factor =
        std::isfinite(size) ? 0.8 * std::pow(std::max(size, 1e-10), -1.0 / 3) : 0.1;
    s.next = h * std::clamp(factor, 0.1, 5.0);
    return s;
  }

 private:
  Rate rate_;
  double rtol_, atol_;
};

}  // namespace stiffit::internal
