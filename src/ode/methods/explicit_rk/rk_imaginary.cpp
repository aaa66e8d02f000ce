// Explicit Runge-Kutta methods of order two with the longest stability along the imaginary axis
// there can be: s - 1 with s stages, s odd. P.J. van der Houwen, Construction of Integration
// Formulas for Initial Value Problems (1977), 2.6; I.P.E. Kinnmark, W.G. Gray, Math. Comp. Simul.
// 26 (1984) 181; P. Sonneveld, B. van Leer, Nieuw Arch. Wisk. 3 (1985) 19.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "ode/method_registry.h"
#include "ode/methods/stabilised/stabilised_step.h"

namespace stiffit::internal {
namespace {

constexpr int most_stages = 15;  // beyond, rounding inside the step is felt

// R(z) = V_{s-1} + (V_s + V_{s-2})/2, V_0 = 1, V_1 = z/(s-1), V_{k+1} = 2 z/(s-1) V_k + V_{k-1}:
// on the imaginary axis V_k is i^k T_k(z/(i (s-1))), and |R|^2 = 1 - sin^2 cos^2 of an angle.
std::vector<double> polynomial(int stages) {
  const std::size_t s = stages;
  std::vector<std::vector<double>> v{{1}, {0, 1.0 / (stages - 1)}};
  for (std::size_t k = 2; k <= s; ++k) {
    std::vector<double> next(k + 1, 0.0);
    for (std::size_t j = 0; j < v[k - 1].size(); ++j)
      next[j + 1] += 2.0 / (stages - 1) * v[k - 1][j];
    for (std::size_t j = 0; j < v[k - 2].size(); ++j) next[j] += v[k - 2][j];
    v.push_back(std::move(next));
  }
  std::vector<double> r(s + 1, 0.0);
  for (std::size_t j = 0; j < v[s - 1].size(); ++j) r[j] += v[s - 1][j];
  for (std::size_t j = 0; j < v[s].size(); ++j) r[j] += v[s][j] / 2;
  for (std::size_t j = 0; j < v[s - 2].size(); ++j) r[j] += v[s - 2][j] / 2;
  return r;
}

class ImaginaryRkStepper final : public StabilisedStepper {
 public:
  explicit ImaginaryRkStepper(LaneGroup& group)
      : StabilisedStepper(group), stage_(size()), f_(size()) {}

 private:
  int stages_for(double z) const override {
    const int s = std::max(3, static_cast<int>(std::ceil(z)) + 1);
    return std::min(most_stages, s % 2 ? s : s + 1);
  }
  double longest() const override { return most_stages - 1; }

  // Each stage starts from y: y + h r_s/r_{s-1} f(...), up to y + h r_1 f(...).
  void run(int s) override {
    if (s != stages_) {
      r_ = polynomial(s);
      stages_ = s;
    }
    const double h = group_.h[0];
    const double* f = slope_.data();
    for (std::size_t j = s; j > 0; --j) {
      const double share = r_[j] / r_[j - 1];
      double* out = j == 1 ? group_.y_new.data() : stage_.data();
      for (std::size_t i = 0; i < size(); ++i) out[i] = group_.y[i] + share * h * f[i];
      if (j == 1) break;
      evaluate(group_.t[0] + share * h, stage_.data(), f_.data());
      f = f_.data();
    }
  }

  AlignedArray stage_, f_;
  int stages_ = 0;
  std::vector<double> r_;
};

}  // namespace

std::unique_ptr<Stepper> make_rk_imaginary(LaneGroup& group) {
  return std::make_unique<ImaginaryRkStepper>(group);
}

}  // namespace stiffit::internal
