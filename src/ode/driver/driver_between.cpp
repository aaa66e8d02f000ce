// Between the ends of a step. A fast state follows what drives it: at the end of a long step it is
// there again, and error estimates of stiff methods are damped as it is; what it did meanwhile
// nobody has seen. The interpolant's defect in the middle, over the rate at which the equations
// take it back, is how far the rows there are off.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ode/driver/driver.h"

namespace stiffit::internal {
namespace {

constexpr double off_the_middle = 0.05;  // of the step: for the slope of the interpolant
constexpr double fast = 10;              // rates in units of 1/h: slower ones are the method's own
constexpr double errors_between = 20;    // times the tolerance
constexpr int steps_of_calm = 4;         // without a look after one that found nothing fast

}  // namespace

bool Driver::may_hide_between() const {
  const Program& program = *problem_.program;
  return !program.autonomous && program.mass.empty() && program.inputs == 0 && group_.n > 0 &&
         options_.fixed_step <= 0 && stepper_->hides_between();
}

void Driver::look_between() {
  const Program& program = *problem_.program;
  const std::size_t n = group_.n, width = group_.lanes;
  if (between_.middle.size() == 0)
    for (AlignedArray* a : {&between_.middle, &between_.slope, &between_.rate, &between_.moved,
                            &between_.moved_rate, &between_.early, &between_.late})
      *a = AlignedArray(n * width);
  Between& b = between_;
  LaneMask looked = 0;
  for (std::size_t l = 0; l < width; ++l) {
    trial_time_[l] = group_.t[l] + 0.5 * group_.h[l];
    if (!(active_ >> l & 1) || !(group_.error[l] <= 1)) continue;
    if (lanes_[l].calm > 0) {
      --lanes_[l].calm;
      continue;
    }
    if (!looked) {
      std::copy_n(group_.y_new.data(), group_.y_new.size(), b.middle.data());
      std::copy_n(group_.y_new.data(), group_.y_new.size(), b.moved.data());
    }
    looked |= 1u << l;
    const int lane = static_cast<int>(l);
    stepper_->interpolate(lane, 0.5 - off_the_middle, b.early.data());
    stepper_->interpolate(lane, 0.5 + off_the_middle, b.late.data());
    for (std::size_t i = 0; i < n; ++i)
      b.slope[i * width + l] = (b.late[i] - b.early[i]) / (2 * off_the_middle * group_.h[l]);
    stepper_->interpolate(lane, 0.5, b.early.data());
    for (std::size_t i = 0; i < n; ++i) b.middle[i * width + l] = b.early[i];
  }
  if (!looked) return;
  double* arrays[4] = {trial_time_.data(), b.middle.data(), group_.parameters.data(),
                       b.rate.data()};
  program.rhs(arrays);
  auto allowed = [&](std::size_t at) {
    const double size =
        std::max({std::fabs(group_.y[at]), std::fabs(group_.y_new[at]), std::fabs(b.middle[at])});
    return options_.rtol * (size + group_.relative_floor() * group_.largest[at]) +
           group_.absolute(0);
  };
  // How fast the defect is taken back: from a state that lies one tolerance along it.
  double along[8] = {};
  for (std::size_t l = 0; l < width; ++l) {
    if (!(looked >> l & 1)) continue;
    ++group_.counters[l].f;
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = i * width + l;
      most = std::max(most, std::fabs(b.rate[at] - b.slope[at]) / allowed(at));
    }
    if (!(most > 0) || !std::isfinite(most)) {
      looked &= ~(1u << l);
      continue;
    }
    along[l] = 1 / most;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = i * width + l;
      b.moved[at] = b.middle[at] + along[l] * (b.rate[at] - b.slope[at]);
    }
  }
  if (!looked) return;
  arrays[1] = b.moved.data();
  arrays[3] = b.moved_rate.data();
  program.rhs(arrays);
  for (std::size_t l = 0; l < width; ++l) {
    if (!(looked >> l & 1)) continue;
    ++group_.counters[l].f;
    double error = 0;
    bool any_fast = false;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = i * width + l;
      const double defect = b.rate[at] - b.slope[at];
      if (defect == 0) continue;
      const double back = (b.rate[at] - b.moved_rate[at]) / (along[l] * defect);
      if (!(group_.h[l] * back > fast) || !std::isfinite(back)) continue;
      any_fast = true;
      error = std::max(error, std::fabs(defect) / back / (errors_between * allowed(at)));
    }
    lanes_[l].calm = any_fast ? 0 : steps_of_calm;
    if (std::isfinite(error)) group_.error[l] = std::max(group_.error[l], error);
  }
}

}  // namespace stiffit::internal
