// Exponential Rosenbrock method of order three with an estimate of order two. With J at y0 and
// g(y) = f(y) - J y:
//   U = y0 + h phi_1(hJ) f0,  y1 = U + 2 h phi_3(hJ) (g(U) - g(y0)).
// M. Hochbruck, A. Ostermann, J. Schweitzer, SIAM J. Numer. Anal. 47 (2009) 786. Time is one more
// state. The matrix functions come from a Krylov space, which for small systems is all of it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ode/method_registry.h"
#include "ode/methods/rosenbrock/matrix_functions.h"
#include "ode/one_lane_stepper.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t most_vectors = 60;
constexpr double care = 1;

class ExponentialRosenbrockStepper final : public OneLaneStepper {
 public:
  explicit ExponentialRosenbrockStepper(LaneGroup& group)
      : OneLaneStepper(group),
        krylov_(size() + 1, most_vectors),
        drift_(size()),
        scale_(size()),
        unscaled_(size()),
        image_(size()),
        first_(size()),
        f_(size()),
        right_(size() + 1),
        result_(size() + 1) {}

  void start(LaneMask lanes) override {
    OneLaneStepper::start(lanes);
    jacobian_known_ = false;
  }
  int control_order() const override { return 3; }
  // The method itself with a part of the step: slopes at the ends would magnify what is fast.
  void interpolate(int, double theta, double* out) override {
    if (theta == 1)
      std::copy_n(group_.y_new.data(), size(), out);
    else if (theta == 0)
      std::copy_n(group_.y.data(), size(), out);
    else if (!step(theta * group_.h[0], out))
      std::fill_n(out, size(), NAN);  // the whole step could be taken, a part of it not: no value
  }
  void accept(LaneMask lanes) override {
    OneLaneStepper::accept(lanes);
    jacobian_known_ = false;
  }

  void attempt(LaneMask) override {
    LaneGroup& g = group_;
    g.error[0] = NAN;
    if (!jacobian_known_) {
      if (!differentiate(g.t[0], g.y.data())) return;
      find_drift(g.t[0], g.y.data(), slope_.data(), drift_.data());
      jacobian_known_ = true;
    }
    find_scale();
    if (!step(g.h[0], g.y_new.data())) return;
    evaluate(g.t[0] + g.h[0], g.y_new.data(), slope_new_.data());
    if (finite(slope_new_.data())) g.error[0] = care * norm(first_.data());
  }

 private:
  // A step of size h into `out`; first_ is the part beyond order two.
  bool step(double h, double* out) {
    const LaneGroup& g = group_;
    // Time is measured so that its entry is as large as the others: rounding of either would
    // otherwise be all that is left of the other.
    double most = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      right_[i] = h * slope_[i] / scale_[i];
      most = std::max(most, std::fabs(right_[i]));
    }
    right_[size()] = most > 0 ? most : 1;
    clock_ = h / right_[size()];
    if (!apply(1, h)) return false;
    for (std::size_t i = 0; i < size(); ++i) {
      first_[i] = scale_[i] * result_[i];
      out[i] = g.y[i] + first_[i];
    }
    // g(U) - g(y0) with time: f(U) - f0 - J (U - y0) - h df/dt.
    evaluate(g.t[0] + h, out, f_.data());
    multiply(first_.data(), image_.data());
    for (std::size_t i = 0; i < size(); ++i)
      right_[i] = 2 * h * (f_[i] - slope_[i] - image_[i] - h * drift_[i]) / scale_[i];
    right_[size()] = 0;
    if (!finite(f_.data()) || !apply(3, h)) return false;
    for (std::size_t i = 0; i < size(); ++i) {
      first_[i] = scale_[i] * result_[i];
      out[i] += first_[i];
    }
    return true;
  }

  // In units of what each state may be wrong by, no state is special to the Krylov space. A state
  // that has been zero so far is as large as this step makes it.
  void find_scale() {
    const LaneGroup& g = group_;
    auto is_fresh = [&](std::size_t i) { return g.largest[i] == 0 && g.y[i] == 0; };
    auto made = [&](std::size_t i) {
      return g.h[0] * std::max(std::fabs(slope_[i]), std::fabs(g.h[0] * drift_[i]));
    };
    // With steps of a given size nobody says what states will become: beside the largest of all,
    // what has been nothing so far is not nothing.
    double top = 0;
    for (std::size_t i = 0; fixed() && i < size(); ++i)
      top = std::max({top, g.largest[i], std::fabs(g.y[i]), is_fresh(i) ? made(i) : 0});
    for (std::size_t i = 0; i < size(); ++i) {
      scale_[i] =
          std::max({std::fabs(g.y[i]),
                    is_fresh(i)            ? made(i)
                    : g.scaled_tolerance() ? 1e-3 * g.largest[i]
                                           : 0,
                    g.options.atol > 0 ? g.options.atol / g.options.rtol : 0, 1e-9 * top, 1e-100});
    }
  }

  bool apply(int k, double h) {
    auto times = [&](const double* x, double* out) {
      for (std::size_t i = 0; i < size(); ++i) unscaled_[i] = scale_[i] * x[i];
      multiply(unscaled_.data(), image_.data());
      for (std::size_t i = 0; i < size(); ++i)
        out[i] = h * (image_[i] + drift_[i] * clock_ * x[size()]) / scale_[i];
      out[size()] = 0;
    };
    const double tolerance =
        (fixed() ? 1e-14 : 0.05 * group_.options.rtol) * std::sqrt(double(n_) + 1);
    return krylov_.apply(k, times, right_.data(), tolerance, result_.data());
  }

  KrylovPhi krylov_;
  AlignedArray drift_, scale_, unscaled_, image_, first_, f_;
  std::vector<double> right_, result_;
  double clock_ = 1;  // the unit of time in the Krylov space
  bool jacobian_known_ = false;
};

}  // namespace

std::unique_ptr<Stepper> make_exponential_rosenbrock(LaneGroup& group) {
  return std::make_unique<ExponentialRosenbrockStepper>(group);
}

}  // namespace stiffit::internal
