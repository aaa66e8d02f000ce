// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/secant.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {

void update_structured_secant(Eigen::MatrixXd& s_matrix, const Eigen::VectorXd& s,
                              const Eigen::VectorXd& y, const Eigen::MatrixXd& fisher) {
  double ys = y.dot(s);
  if (!(std::abs(ys) > 1e-8 * y.norm() * s.norm())) return;
  Eigen::VectorXd wanted = y - fisher * s;  // S s, were the Hessian constant
  double sized = s.dot(s_matrix * s);
  if (sized != 0) s_matrix *= std::min(1.0, std::abs(s.dot(wanted) / sized));
  Eigen::VectorXd w = wanted - s_matrix * s;
  s_matrix +=
      (w * y.transpose() + y * w.transpose()) / ys - (w.dot(s) / (ys * ys)) * (y * y.transpose());
}

void update_bfgs(Eigen::MatrixXd& b, const Eigen::VectorXd& s, Eigen::VectorXd y) {
  Eigen::VectorXd bs = b * s;
  double sbs = s.dot(bs), ys = y.dot(s);
  if (!(sbs > 0)) return;
  if (ys < 0.2 * sbs) {
    double keep = 0.8 * sbs / (sbs - ys);
    y = keep * y + (1 - keep) * bs;
    ys = y.dot(s);
  }
  b += y * y.transpose() / ys - bs * bs.transpose() / sbs;
}

}  // namespace stiffit::internal
