// Runge-Kutta-Chebyshev of order two: stability along the negative real axis grows with the square
// of the stages. B.P. Sommeijer, L.F. Shampine, J.G. Verwer, J. Comp. Appl. Math. 88 (1997) 315.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "ode/method_registry.h"
#include "ode/methods/stabilised/stabilised_step.h"

namespace stiffit::internal {
namespace {

constexpr double damping = 2.0 / 13;
constexpr int most_stages = 300;

// The method with s stages, in the letters of the paper.
struct Chebyshev {
  explicit Chebyshev(int s)
      : b(at(s) + 1),
        mu(at(s) + 1),
        nu(at(s) + 1),
        mu_f(at(s) + 1),
        gamma(at(s) + 1),
        c(at(s) + 1) {
    // T_j and its derivatives at w0.
    std::vector<double> t(at(s) + 1), d(at(s) + 1), dd(at(s) + 1);
    const double w0 = 1 + damping / (double(s) * s);
    t[0] = 1;
    t[1] = w0;
    d[1] = 1;
    for (std::size_t j = 2; j <= at(s); ++j) {
      t[j] = 2 * w0 * t[j - 1] - t[j - 2];
      d[j] = 2 * t[j - 1] + 2 * w0 * d[j - 1] - d[j - 2];
      dd[j] = 4 * d[j - 1] + 2 * w0 * dd[j - 1] - dd[j - 2];
    }
    const double w1 = d[at(s)] / dd[at(s)];
    for (std::size_t j = 2; j <= at(s); ++j) {
      b[j] = dd[j] / (d[j] * d[j]);
      c[j] = w1 * dd[j] / d[j];
    }
    b[0] = b[1] = b[2];
    c[1] = c[2] / d[2];
    mu_f[1] = b[1] * w1;
    for (std::size_t j = 2; j <= at(s); ++j) {
      mu[j] = 2 * b[j] * w0 / b[j - 1];
      nu[j] = -b[j] / b[j - 2];
      mu_f[j] = 2 * b[j] * w1 / b[j - 1];
      gamma[j] = -(1 - b[j - 1] * t[j - 1]) * mu_f[j];
    }
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::vector<double> b, mu, nu, mu_f, gamma, c;
};

class RkcStepper final : public StabilisedStepper {
 public:
  explicit RkcStepper(LaneGroup& group)
      : StabilisedStepper(group), before_(size()), now_(size()), next_(size()), f_(size()) {}

 private:
  int stages_for(double z) const override {
    return std::max(2, static_cast<int>(std::ceil(std::sqrt(1 + 1.54 * z))));
  }
  double longest() const override { return (double(most_stages) * most_stages - 1) / 1.54; }

  void run(int s) override {
    if (s != stages_) {
      method_ = Chebyshev(s);
      stages_ = s;
    }
    const Chebyshev& m = method_;
    const double* y = group_.y.data();
    const double h = group_.h[0], t = group_.t[0];
    for (std::size_t i = 0; i < size(); ++i) {
      before_[i] = y[i];
      now_[i] = y[i] + m.mu_f[1] * h * slope_[i];
    }
    for (std::size_t j = 2; j <= Chebyshev::at(s); ++j) {
      evaluate(t + m.c[j - 1] * h, now_.data(), f_.data());
      const double own = 1 - m.mu[j] - m.nu[j];
      for (std::size_t i = 0; i < size(); ++i)
        next_[i] = own * y[i] + m.mu[j] * now_[i] + m.nu[j] * before_[i] + m.mu_f[j] * h * f_[i] +
                   m.gamma[j] * h * slope_[i];
      before_.swap(now_);
      now_.swap(next_);
    }
    std::copy_n(now_.data(), size(), group_.y_new.data());
  }

  AlignedArray before_, now_, next_, f_;
  int stages_ = 2;
  Chebyshev method_{2};
};

}  // namespace

std::unique_ptr<Stepper> make_rkc(LaneGroup& group) { return std::make_unique<RkcStepper>(group); }

}  // namespace stiffit::internal
