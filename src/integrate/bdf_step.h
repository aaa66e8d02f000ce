// One step of the BDF of variable order and step, in Nordsieck form with fixed leading coefficient
// (see bdf_coefficients.h), on one lane. Included once per instruction set; no include guard.
//
// The Nordsieck array is never moved in place: a step reads it, predicts into arrays of its own,
// and writes it when accepted, so a rejected step costs no restoring and no rounding. With a fixed
// step the order rises by one per step until the largest: the first steps are of low order, so on
// problems that do not forget them the result is of order two at most. SPDX-License-Identifier:
// Apache-2.0
#include "integrate/bdf_arrays.h"

namespace stiffit::STIFFIT_ISA_NAMESPACE {

class BdfStepper final : public Stepper {
 public:
  explicit BdfStepper(LaneGroup& group)
      : Stepper(group),
        program_(*group.problem.program),
        n_(group.n),
        count_(chunks<1>(group.n)),
        fixed_(group.options.fixed_step > 0),
        max_order_(group.options.max_order > 0
                       ? std::min(group.options.max_order, bdf::largest_order)
                       : bdf::usual_order),
        policy_(policy_for(group)),
        solver_(group.problem.linear->make_solver()),
        jacobian_(static_cast<std::size_t>(program_.pattern.nonzeros())),
        slope_(static_cast<std::size_t>(n_)),
        a_(static_cast<std::size_t>(n_)) {}

  void start(LaneMask) override {
    begin_again();
    wants_jacobian_ = true;
    biggest_growth_ = first_growth;
    group_.error[0] = finite_lanes<1>(n_, a_.past[1].data()) ? 0 : NAN;
  }

  const double* slope() const override {
    for (std::size_t i = 0; i < static_cast<std::size_t>(n_); ++i)
      slope_[i] = a_.past[1][i] / scaled_to_;
    return slope_.data();
  }

  int control_order() const override { return order_; }

  void attempt(LaneMask) override {
    LaneGroup& g = group_;
    h_ = g.h[0];
    prepare_coefficients();
    predict();
    evaluate(a_.f_predicted.data());
    g.error[0] = NAN;
    bool fresh = false;
    if (wants_jacobian_ || ++jacobian_age_ > policy_.longest_use) fresh = differentiate();
    for (;;) {
      const double d = c_.lambda[1] / h_, drift = d / factored_;
      const bool drifted = !(drift >= policy_.smallest_drift && drift <= policy_.largest_drift);
      if (drifted && !fresh && !policy_.keeps_jacobian) fresh = differentiate();
      if (fresh || drifted) {
        ++g.counters[0].lu;
        factored_ = d;
        rate_ = std::max(rate_, rate_expected);
        if (solver_->factor(&d, jacobian_.data())) {
          factored_ = NAN;
          if (fresh) return;
          fresh = differentiate();
          continue;
        }
      }
      if (solve_equation()) break;
      if (fresh || std::isnan(change_)) return;
      fresh = differentiate();
      std::copy_n(a_.predicted[0].data(), n_, g.y_new.data());
    }
    g.error[0] = c_.error * norm_e_;
    if (g.follower)
      g.follower->tried({order_, h_, h_ / scaled_to_, c_.lambda, c_.error, strictness});
  }

  void interpolate(int, double theta, double* out) override {
    const double s = theta - 1;
    const double* e = a_.e.data();
    double lambda = c_.lambda[order_];
    const double* top = a_.predicted[order_].data();
    for (int i = 0; i < n_; ++i) out[i] = top[i];
    for (int j = order_ - 1; j >= 0; --j) {
      const double* p = a_.predicted[j].data();
      for (int i = 0; i < n_; ++i) out[i] = out[i] * s + p[i];
      lambda = lambda * s + c_.lambda[j];
    }
    for (int i = 0; i < n_; ++i) out[i] += lambda * e[i];
  }

  void accept(LaneMask) override {
    group_.y.swap(group_.y_new);
    with_order([&](auto q) { bdf_correct<q>(a_, count_, c_.lambda); });
    scaled_to_ = h_;
    steps_.push(h_);
  }

  double next_step(int, bool accepted) override {
    return accepted ? after_accept() : after_reject();
  }

 private:
  // Chosen over 19 problems at rtol 1e-4 ... 1e-12 (those of bdf_test.cpp and Robertson), against
  // CVODES with the same weights. In all, CVODES: 142,225 steps, 165,974 f, 2,518 J, 14,553 LU,
  // 3,822 rejected; here with strictness 1:
  //   J kept for 20 steps, new after a Newton of two iterations (as here):
  //                       128,568 steps, 150,416 f,  23,873 J,  27,197 LU, 2,017 rejected
  //   J at every step:    129,394        149,944    131,548    131,548     2,154
  //   J when Newton fails: 134,362       147,668      4,872      9,269     2,965
  // A fresh J saves a quarter of the steps on Robertson and the Oregonator and nothing elsewhere;
  // two iterations are the sign of where it does. Errors are 0.97 times those of CVODES (geometric
  // mean; worst case 2.1), steps 0.90 times.
  //
  // Errors add up over a run: a default tolerance of 1e-6 left 4e-4 on the Oregonator. The
  // tolerance is taken this much stricter, so that 1e-6 means four digits on every problem:
  // 166,691 steps (1.15 times CVODES) for errors 0.21 times its own (worst case 0.72).
  static constexpr double strictness = 6;
  // With many states an LU is dear, and J and LU are kept longer: see matrix_policy.h.
  // Rate of convergence believed until two iterations have measured it. With 1 every new J would
  // cost a second iteration (165,000 f with 0.3).
  static constexpr double rate_expected = 0.2;
  // Growth of the step: less than worth_changing is not used, so that the matrix stays.
  static constexpr double first_growth = 1e4, later_growth = 10, worth_changing = 1.5;
  // Estimated errors are multiplied by these before a step or order is chosen.
  static constexpr double safety = 6, safety_lower = 6, safety_higher = 10;

  static MatrixPolicy policy_for(const LaneGroup& group) {
    const LinearPlan& plan = *group.problem.linear;
    return matrix_policy(iterations_per_factorisation(plan.flops(), plan.fill(),
                                                      group.problem.program->pattern.nonzeros()));
  }

  template <class F>
  void with_order(F&& f) {
    switch (order_) {
      case 1:
        return f(std::integral_constant<int, 1>{});
      case 2:
        return f(std::integral_constant<int, 2>{});
      case 3:
        return f(std::integral_constant<int, 3>{});
      case 4:
        return f(std::integral_constant<int, 4>{});
      case 5:
        return f(std::integral_constant<int, 5>{});
      default:
        return f(std::integral_constant<int, 6>{});
    }
  }

  // c_ is that of the step before if nothing it looks at has changed.
  void prepare_coefficients() {
    bool same = order_ == made_for_.order && h_ == made_for_.h;
    for (int i = 0; i < order_; ++i) same &= steps_.size[i] == made_for_.steps.size[i];
    if (same) return;
    c_ = bdf::step_coefficients(order_, h_, steps_);
    made_for_ = {order_, h_, steps_};
  }

  // Order one from the current state; the past is forgotten.
  void begin_again() {
    order_ = 1;
    wait_ = 2;
    failures_ = 0;
    scaled_to_ = 1;
    steps_ = {};
    call(program_.rhs, group_.t.data(), group_.y.data(), a_.past[1].data());
    ++group_.counters[0].f;
    if (group_.follower) group_.follower->begin_again();
  }

  void call(const Kernel& kernel, double* t, double* y, double* out) {
    if (group_.inputs) group_.inputs->fill(*t, y, group_.parameters.data());
    double* arrays[4] = {t, y, group_.parameters.data(), out};
    kernel(arrays);
  }

  void evaluate(double* f) {
    double t = group_.t[0] + h_;
    call(program_.rhs, &t, group_.y_new.data(), f);
    ++group_.counters[0].f;
  }

  bool differentiate() {
    double t = group_.t[0] + h_;
    call(program_.jacobian, &t, a_.predicted[0].data(), jacobian_.data());
    ++group_.counters[0].j;
    wants_jacobian_ = false;
    jacobian_age_ = 0;
    extra_iterations_ = 0;
    rate_ = rate_expected;
    return true;
  }

  void predict() {
    LaneGroup& g = group_;
    with_order([&](auto q) {
      bdf_predict<q>(a_, g.y.data(), count_, h_ / scaled_to_, g.y_new.data(), g.largest.data(),
                     g.options.rtol / strictness, g.relative_floor(), g.absolute(0));
    });
  }

  // Modified Newton for f(t + h, predicted + e) = (predicted slope + lambda_1 e)/h, from e = 0.
  bool solve_equation() {
    std::fill_n(a_.e.data(), a_.e.size(), 0.0);
    const double lead = c_.lambda[1], inverse_h = 1 / h_;
    const double ratio = factored_ / (lead * inverse_h);
    // A matrix made for another h takes too much in the slow components or too little in the fast.
    const double factor = 2 * ratio / (1 + ratio);
    const double allowed = (fixed_ ? 1e-3 : policy_.newton_share) / c_.error;
    // The rate in slow components or fast ones, if J were still right.
    if (!policy_.keeps_jacobian) rate_ = std::max(rate_, std::fabs(1 - ratio) / (1 + ratio));
    double before = 0;
    const double* f = a_.f_predicted.data();
    const int limit = fixed_ ? 3 * policy_.most_iterations : policy_.most_iterations;
    for (int m = 1; m <= limit; ++m) {
      bdf_residual(a_, count_, f, inverse_h, lead);
      solver_->solve(a_.change.data());
      BdfNorms norms = bdf_update(a_, n_, count_, factor, group_.y_new.data());
      ++group_.counters[0].newton;
      change_ = norms.change;
      norm_e_ = norms.e;
      if (std::isnan(change_)) return false;
      if (m > 1) {
        rate_ = std::max(0.3 * rate_, change_ / before);
        if (rate_ > policy_.slowest) return false;
        ++extra_iterations_;
      }
      if (change_ * left_after_change() <= allowed) {
        wants_jacobian_ = extra_iterations_ > policy_.most_extra;
        return true;
      }
      before = change_;
      if (m < limit) evaluate(a_.f.data());
      f = a_.f.data();
    }
    return false;
  }

  // What is left of the error after a change of size one.
  double left_after_change() const {
    return policy_.keeps_jacobian ? std::min(1.0, rate_) : rate_ / (1 - rate_);
  }

  double after_accept() {
    const double error = group_.error[0], h = h_;
    double growth = 1;
    int order = order_;
    failures_ = 0;
    --wait_;
    if (fixed_) {
      if (order_ < max_order_) change_order(order_ + 1);
    } else if (biggest_growth_ == 1) {  // just failed: no change for two steps
      wait_ = std::max(wait_, 2);
    } else {
      growth = growth_for(safety * error, order_ + 1);
      if (wait_ <= 0) {
        wait_ = 2;
        consider_orders(growth, order);
      }
      growth = std::min(growth, biggest_growth_);
      if (order != order_) change_order(order);
    }
    biggest_growth_ = later_growth;
    growth_before_ = c_.growth;
    a_.e.swap(a_.e_before);
    return h * growth;
  }

  // error^(-1/power), or 1 where that is not worth a change: most steps need no root.
  static double growth_for(double error, int power) {
    double limit = 1;
    for (int k = 0; k < power; ++k) limit *= 1 / worth_changing;
    return error < limit ? 1 / (rough_root(error, power) + 1e-6) : 1;
  }

  // The neighbouring orders, if one of them allows a longer step.
  void consider_orders(double& growth, int& order) {
    double best = growth;
    int choice = order_;
    if (order_ > 1) {
      double norm = bdf_norm(a_, n_, count_, a_.past[order_].data());
      double lower = growth_for(safety_lower * c_.lower * norm, order_);
      if (lower > best) {
        best = lower;
        choice = order_ - 1;
      }
    }
    if (order_ < max_order_ && steps_.size[order_] > 0) {
      double last = steps_.size[1];
      double factor = c_.growth / growth_before_ * power(h_ / last, order_ + 1);
      double norm = bdf_norm_of_difference(a_, n_, count_, a_.e.data(), factor, a_.e_before.data());
      double higher = growth_for(safety_higher * c_.higher * norm, order_ + 2);
      if (higher > best) {
        best = higher;
        choice = order_ + 1;
      }
    }
    growth = best;
    order = choice;
  }

  static double power(double x, int n) {
    double result = 1;
    for (; n > 0; --n) result *= x;
    return result;
  }

  void change_order(int order) {
    double shape[bdf::largest_order + 2];
    const bool up = order > order_;
    const auto top = static_cast<std::size_t>(up ? order : order_);
    bdf::change_shape(up ? order_ - 1 : order_ - 2, scaled_to_, steps_, shape);
    const double factor = up ? 1 / c_.growth : -1;
    if (group_.follower) group_.follower->change_order(up, static_cast<int>(top), shape, factor);
    const double* source = up ? a_.e.data() : a_.past[top].data();
    for (std::size_t j = 2; j < (up ? top + 1 : top); ++j) {
      double* z = a_.past[j].data();
      const double by = shape[j] * factor;
      if (up && j == top)
        for (long c = 0; c < count_; ++c) at(z, c) = by * at(source, c);
      else
        for (long c = 0; c < count_; ++c) at(z, c) += by * at(source, c);
    }
    order_ = order;
    wait_ = order_ + 1;
  }

  double after_reject() {
    const double error = group_.error[0];
    biggest_growth_ = 1;
    wants_jacobian_ = policy_.keeps_jacobian || std::isnan(error);
    if (std::isnan(error)) return 0.25 * h_;
    ++failures_;
    if (failures_ >= 3) {
      // The past misleads: begin again with order one.
      begin_again();
      wait_ = 10;
      return 0.1 * h_;
    }
    double growth = std::max(0.1, 1 / rough_root(safety * error, order_ + 1));
    if (failures_ == 2) growth = std::min(growth, 0.2);
    if (failures_ == 2 && order_ > 1) change_order(order_ - 1);
    return h_ * std::min(growth, 0.9);
  }

  const Program& program_;
  int n_;
  long count_;
  bool fixed_;
  int max_order_;
  const MatrixPolicy policy_;
  std::unique_ptr<LinearSolver> solver_;
  AlignedArray jacobian_;
  mutable AlignedArray slope_;
  BdfArrays a_;

  int order_ = 1, wait_ = 0, failures_ = 0;
  double scaled_to_ = 1;  // the h of the Nordsieck array
  double h_ = 0;          // of the step being tried
  bdf::PastSteps steps_;
  bdf::StepCoefficients c_{};
  struct {
    int order;
    double h;
    bdf::PastSteps steps;
  } made_for_{};
  double growth_before_ = 1;  // c_.growth of the step before
  double biggest_growth_ = 1;

  bool wants_jacobian_ = true;
  int jacobian_age_ = 0;
  int extra_iterations_ = 0;  // with this J, beyond one for each step
  double factored_ = 0;       // the d of the matrix in solver_
  double rate_ = 1;           // of Newton's convergence
  double change_ = 0, norm_e_ = 0;
};

}  // namespace stiffit::STIFFIT_ISA_NAMESPACE
