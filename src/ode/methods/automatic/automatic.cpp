// The default method: explicit where the solution allows it, implicit where stiffness would hold an
// explicit method back, and back again. Which implicit one is decided once, by operation counts.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ode/driver/spectral_radius.h"
#include "ode/method_registry.h"
#include "ode/methods/automatic/automatic_choice.h"
#include "ode/one_lane_stepper.h"

namespace stiffit::internal {
namespace {

class AutomaticStepper final : public Stepper {
 public:
  AutomaticStepper(LaneGroup& group, const AutomaticChoice& choice)
      : Stepper(group),
        program_(*group.problem.program),
        choice_(choice),
        implicit_(choice.multistep ? make_bdf(group) : make_rodas5p(group)),
        current_(implicit_.get()),
        radius_(static_cast<std::size_t>(group.n)),
        jacobian_(static_cast<std::size_t>(program_.pattern.nonzeros())),
        scale_(static_cast<std::size_t>(group.n)),
        scaled_(static_cast<std::size_t>(group.n)) {}

  void start(LaneMask lanes) override {
    const Counters& c = group_.counters[0];
    if (c.steps + c.rejected == 0) forget();
    current_->start(lanes);
  }
  std::string used(int) const override {
    const long all = group_.counters[0].steps;
    std::string text = choice_.multistep ? "bdf " : "rodas5p ";
    text += std::to_string(all - explicit_steps_) + " steps";
    if (explicit_steps_ > 0)
      text +=
          std::string(", ") + name_of_explicit() + " " + std::to_string(explicit_steps_) + " steps";
    return text;
  }
  const double* slope() const override { return current_->slope(); }
  void attempt(LaneMask lanes) override {
    current_->attempt(lanes);
    if (is_explicit() && choice_.explicit_method != ExplicitMethod::taylor)
      group_.error[0] *= explicit_strictness;
  }
  void interpolate(int lane, double theta, double* out) override {
    current_->interpolate(lane, theta, out);
  }
  void row(int lane, double theta, double* out) override { current_->row(lane, theta, out); }
  void accept(LaneMask lanes) override {
    current_->accept(lanes);
    explicit_steps_ += is_explicit();
  }
  int control_order() const override { return current_->control_order(); }
  bool hides_between() const override { return current_->hides_between(); }

  double next_step(int lane, bool accepted) override {
    double h = current_->next_step(lane, accepted);
    if (is_explicit() && choice_.explicit_method == ExplicitMethod::taylor) h *= series_caution;
    if (!accepted) {
      // An explicit method that meets a wall of rejections need not wait for the next look.
      if (is_explicit() && ++rejected_ >= most_rejected) until_look_ = 1;
      return h;
    }
    rejected_ = 0;
    // Where higher derivatives do not exist the series crawls: back with the step it came with.
    crawled_ = is_explicit() && h > 0 && h < crawling * h_entered_ ? crawled_ + 1 : 0;
    if (crawled_ >= steps_to_crawl) {
      crawled_ = 0;
      const double before = h_entered_;
      change_over();
      return before;
    }
    if (--until_look_ == steps_between_looks / 2) h_before_ = group_.h[0];
    if (until_look_ > 0) return h;
    return look() ? change_over() : h;
  }

 private:
  // A look costs about as much as a step. Most runs are over before a change could pay, so the
  // first is late.
  static constexpr int steps_between_looks = 16, steps_to_confirm = 4, most_rejected = 3;
  static constexpr int looks_to_believe = 2;
  // The series chooses its own steps, and its errors are what the tolerance allows, where pairs
  // stay below; with order 13 steps this much shorter leave a fortieth.
  static constexpr double series_caution = 0.75;
  static constexpr double crawling = 0.05;  // of the step at which the series took over
  static constexpr int steps_to_crawl = 8;

  // Another trajectory begins: what the last one taught must not matter to it.
  void forget() {
    current_ = implicit_.get();
    radius_ = SpectralRadius(static_cast<std::size_t>(group_.n));
    until_look_ = steps_between_looks;
    agreed_ = changes_ = rejected_ = crawled_ = 0;
    patience_ = 1;
    explicit_steps_ = 0;
    h_before_ = 0;
  }

  bool is_explicit() const { return current_ != implicit_.get(); }
  const char* name_of_explicit() const {
    switch (choice_.explicit_method) {
      case ExplicitMethod::dopri5:
        return "dopri5";
      case ExplicitMethod::dop853:
        return "dop853";
      case ExplicitMethod::taylor:
        return "taylor";
    }
    return "";
  }
  std::unique_ptr<Stepper> make_explicit() const {
    switch (choice_.explicit_method) {
      case ExplicitMethod::dopri5:
        return make_dopri5(group_);
      case ExplicitMethod::dop853:
        return make_dop853(group_);
      case ExplicitMethod::taylor:
        return make_taylor(group_);
    }
    return nullptr;
  }

  // Whether the other kind should take over. `hold` is how far an explicit step could reach.
  bool look() {
    const double h = group_.h[0], hold = choice_.reach / spectral_radius();
    // Steps that still grow are those of a transient, which soon are beyond an explicit method.
    const bool other =
        is_explicit() ? h > 0.75 * hold : h < 0.6 * choice_.worth * hold && h < 1.5 * h_before_;
    agreed_ = other ? agreed_ + 1 : 0;
    until_look_ = is_explicit() && other ? steps_to_confirm : steps_between_looks;
    return agreed_ >= (is_explicit() ? looks_to_believe : patience_);
  }

  double change_over() {
    agreed_ = 0;
    const double h = group_.h[0], error = group_.error[0];
    if (is_explicit()) {
      // Each return costs more patience, so that a model between the two settles.
      if (changes_++ > 0) patience_ = std::min(2 * patience_, 256);
      current_ = implicit_.get();
    } else {
      if (!explicit_) explicit_ = make_explicit();
      current_ = explicit_.get();
      h_entered_ = h;
    }
    current_->start(1);
    group_.error[0] = error;
    return is_explicit() ? std::min(h, 0.5 * choice_.reach / last_radius_) : h;
  }

  double spectral_radius() {
    double* arrays[4] = {group_.t.data(), group_.y.data(), group_.parameters.data(),
                         jacobian_.data()};
    program_.jacobian(arrays);
    ++group_.counters[0].j;
    // In units of what each state may be wrong by: an estimate that no unit changes.
    for (std::size_t i = 0; i < scale_.size(); ++i)
      scale_[i] = group_.weight(static_cast<int>(i), 0);
    last_radius_ = radius_.quick([this](const double* x, double* out) {
      for (std::size_t i = 0; i < scale_.size(); ++i) scaled_[i] = scale_[i] * x[i];
      multiply(program_.pattern, jacobian_.data(), scaled_.data(), out);
      for (std::size_t i = 0; i < scale_.size(); ++i) out[i] /= scale_[i];
    });
    return last_radius_ = std::max(last_radius_, 1e-300);
  }

  const Program& program_;
  const AutomaticChoice choice_;
  std::unique_ptr<Stepper> explicit_, implicit_;
  Stepper* current_;
  SpectralRadius radius_;
  AlignedArray jacobian_, scale_, scaled_;
  double last_radius_ = 0, h_before_ = 0, h_entered_ = 0;
  long explicit_steps_ = 0;
  int until_look_ = 0, agreed_ = 0, patience_ = 1, changes_ = 0, rejected_ = 0, crawled_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_automatic(LaneGroup& group) {
  const AutomaticChoice choice = choose(group.problem, group.options);
  if (choice.switches) return std::make_unique<AutomaticStepper>(group, choice);
  return choice.multistep ? make_bdf(group) : make_rodas5p(group);
}

}  // namespace stiffit::internal
