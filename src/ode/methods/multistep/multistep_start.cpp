// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/multistep/multistep_start.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {
namespace {

class StartedStepper final : public Stepper {
 public:
  StartedStepper(LaneGroup& group, std::unique_ptr<Stepper> method, MakeStepper make_starter)
      : Stepper(group),
        method_(std::move(method)),
        starter_(make_starter(group)),
        memory_(dynamic_cast<MultistepMethod&>(*method_)),
        past_(static_cast<std::size_t>(group.lanes)),
        slope_(group.y.size()),
        kept_(group.y.size()) {}

  void start(LaneMask lanes) override {
    method_->start(lanes);
    own_ |= lanes;
    // What goes along with the method's memory must see all of it grow.
    if (group_.augmented || memory_.steps_to_start() == 0) return;
    starter_->start(lanes);
    own_ &= ~lanes;
    each(lanes, [&](std::size_t l) { past_[l] = {}; });
  }

  const double* slope() const override {
    const double *own = method_->slope(), *other = starter_->slope();
    for (std::size_t i = 0; i < slope_.size(); ++i)
      slope_[i] = own_ >> i % width() & 1 ? own[i] : other[i];
    return slope_.data();
  }

  void attempt(LaneMask lanes) override {
    if (lanes & ~own_) starter_->attempt(lanes & ~own_);
    // Where the other method fails, the one that was asked for begins by itself.
    LaneMask failed = 0;
    each(lanes & ~own_, [&](std::size_t l) {
      if (std::isnan(group_.error[l])) failed |= 1u << l;
    });
    if (failed) method_->start(failed);
    own_ |= failed;
    tried_ = own_;
    const LaneMask starting = lanes & ~own_;
    if (!(lanes & own_)) return;
    // A method may write what it likes into the lanes that it was not asked for.
    std::copy_n(group_.y_new.data(), kept_.size(), kept_.data());
    double errors[8];
    each(starting, [&](std::size_t l) { errors[l] = group_.error[l]; });
    method_->attempt(lanes & own_);
    each(starting, [&](std::size_t l) {
      group_.error[l] = errors[l];
      for (std::size_t i = l; i < kept_.size(); i += width()) group_.y_new[i] = kept_[i];
    });
  }

  void interpolate(int lane, double theta, double* out) override {
    (tried_ >> lane & 1 ? *method_ : *starter_).interpolate(lane, theta, out);
  }
  void row(int lane, double theta, double* out) override {
    (tried_ >> lane & 1 ? *method_ : *starter_).row(lane, theta, out);
  }

  void accept(LaneMask lanes) override {
    const LaneMask starting = lanes & ~own_;
    if (starting) {
      const double* slope = starter_->slope();
      each(starting, [&](std::size_t l) { remember(l, slope); });
      starter_->accept(starting);
    }
    if (lanes & own_) method_->accept(lanes & own_);
    each(starting, [&](std::size_t l) {
      if (static_cast<int>(past_[l].y.size()) < memory_.steps_to_start()) return;
      remember(l, starter_->slope());
      memory_.take_past(static_cast<int>(l), group_.h[l], past_[l].y, past_[l].slope);
      own_ |= 1u << l;
    });
  }

  int control_order() const override { return method_->control_order(); }
  double next_step(int lane, bool accepted) override {
    return tried_ >> lane & 1 ? method_->next_step(lane, accepted) : 0;
  }
  bool chooses_steps() const override { return method_->chooses_steps(); }
  std::string trouble(int lane) const override {
    return (tried_ >> lane & 1 ? *method_ : *starter_).trouble(lane);
  }

 private:
  struct Past {
    std::vector<std::vector<double>> y, slope;  // the latest first
  };

  std::size_t width() const { return static_cast<std::size_t>(group_.lanes); }
  template <class F>
  void each(LaneMask lanes, F&& f) const {
    for (std::size_t l = 0; l < width(); ++l)
      if (lanes >> l & 1) f(l);
  }

  void remember(std::size_t l, const double* slope) {
    std::vector<double> y, f;
    for (std::size_t i = l; i < slope_.size(); i += width()) {
      y.push_back(group_.y[i]);
      f.push_back(slope[i]);
    }
    past_[l].y.insert(past_[l].y.begin(), std::move(y));
    past_[l].slope.insert(past_[l].slope.begin(), std::move(f));
  }

  std::unique_ptr<Stepper> method_, starter_;
  MultistepMethod& memory_;
  std::vector<Past> past_;  // per lane
  mutable AlignedArray slope_;
  AlignedArray kept_;
  LaneMask own_ = 0;    // lanes that have their memory
  LaneMask tried_ = 0;  // lanes whose last step was the method's
};

}  // namespace

std::unique_ptr<Stepper> with_started_memory(LaneGroup& group, std::unique_ptr<Stepper> method,
                                             MakeStepper make_starter) {
  if (!(group.options.fixed_step > 0)) return method;
  return std::make_unique<StartedStepper>(group, std::move(method), make_starter);
}

}  // namespace stiffit::internal
