// One step of the BDF of variable order and step, in Nordsieck form with fixed leading coefficient
// (see bdf_coefficients.h), on every lane; each lane has its own order, step and matrix
// (bdf_lane.h). Included once per instruction set; no include guard.
//
// The Nordsieck array is never moved in place: a step reads it and writes it when accepted, so a
// rejected step costs no restoring and no rounding. J and LU are kept for each lane. With a
// fixed step a Runge-Kutta method takes the first steps (multistep_start.h); where something
// follows the Nordsieck array the order rises by one per step instead, and the result is of order
// two at most on problems that do not forget their start. SPDX-License-Identifier: Apache-2.0
#include "ode/methods/multistep/bdf_arrays.h"

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

template <int W>
class BdfStepper final : public Stepper, public MultistepMethod {
 public:
  explicit BdfStepper(LaneGroup& group)
      : Stepper(group),
        program_(*group.problem.program),
        n_(group.n),
        fixed_(group.options.fixed_step > 0),
        max_order_(group.options.max_order > 0
                       ? std::min(group.options.max_order, bdf::largest_order)
                       : bdf::usual_order),
        policy_(policy_for(group)),
        solver_(solver_for(group, policy_)),
        jacobian_(entries()),
        jacobian_new_(W > 1 ? entries() : 0),
        slope_(size()),
        a_(size()) {}

  void start(LaneMask lanes) override {
    begin_again(lanes);
    const unsigned good = finite_lanes<W>(n_, a_.past[1].data());
    each(lanes, [&](int l) {
      lane_[l].start();
      group_.error[l] = good >> l & 1 ? 0 : NAN;
    });
    taken_ &= ~lanes;
  }

  const double* slope() const override {
    for (std::size_t i = 0; i < size(); ++i) slope_[i] = a_.past[1][i] / lane_[i % W].scaled_to;
    return slope_.data();
  }

  // Of the first step; the others are chosen here.
  int control_order() const override { return 1; }
  bool chooses_steps() const override { return true; }

  void attempt(LaneMask lanes) override {
    remember_e();
    prepare(lanes);
    with_order([&](auto q) { predict<q>(); });
    evaluate(lanes, a_.predicted.data(), a_.f_predicted.data());
    LaneMask stale = 0;
    each(lanes, [&](int l) {
      group_.error[l] = NAN;
      if (lane_[l].wants_jacobian || ++lane_[l].jacobian_age > policy_.longest_use)
        stale |= 1u << l;
    });
    LaneMask fresh = 0;
    for (LaneMask open = lanes; open;) {
      fresh |= stale;
      open = make_matrices(open, stale, fresh);
      const LaneMask solved = solve_equations(open);
      open &= ~solved;
      stale = 0;
      each(open, [&](int l) {  // another try with a new Jacobian, where the old may be to blame
        if (!(fresh >> l & 1) && !std::isnan(lane_[l].change)) stale |= 1u << l;
      });
      open &= stale;
    }
    if (fixed_) solve_from_shorter(lanes);
    if (group_.augmented && group_.error[0] >= 0) tell_augmented();
  }

  void interpolate(int lane, double theta, double* out) override {
    const bdf::Lane& own = lane_[lane];
    const double s = theta * own.h / own.scaled_to, share = correction(own, theta);
    const double *y = group_.y.data() + lane, *e = a_.e.data() + lane;
    const double* z[bdf::largest_order + 1];
    for (int j = 1; j <= own.order; ++j) z[j] = a_.past[j].data() + lane;
    for (int i = 0; i < n_; ++i) {
      double sum = 0;
      for (int j = own.order; j > 0; --j) sum = s * (sum + z[j][i * W]);
      out[i] = y[i * W] + sum + share * e[i * W];
    }
  }

  void interpolate_lanes(LaneMask, const double* theta, double* out) override {
    alignas(64) double s[W], share[W];
    for (int l = 0; l < W; ++l) {
      s[l] = theta[l] * lane_[l].h / lane_[l].scaled_to;
      share[l] = correction(lane_[l], theta[l]);
    }
    const PerLane<W> by(s), shares(share);
    with_order([&](auto q) {
      for (long c = 0; c < chunks<W>(n_); ++c) {
        Vector sum{};
        for (int j = q; j > 0; --j) sum = by.of(c) * (sum + at(a_.past[j].data(), c));
        at(out, c) = at(group_.y.data(), c) + sum + shares.of(c) * at(a_.e.data(), c);
      }
    });
  }

  void accept(LaneMask lanes) override {
    with_order([&](auto q) { bdf_correct<W, q>(a_, n_, numbers_, lanes); });
    if (lanes == all)
      group_.y.swap(group_.y_new);
    else
      copy_lanes<W>(n_, lanes, group_.y.data(), group_.y_new.data());
    each(lanes, [&](int l) { lane_[l].accepted(); });
    taken_ |= lanes;
  }

  std::string trouble(int l) const override {
    return std::isnan(group_.error[l]) && !std::isnan(lane_[l].change) ? newton_failed : "";
  }
  int steps_to_start() const override { return max_order_ - 1; }

  // The polynomial through the values, with the slope of the last.
  void take_past(int l, double h, const std::vector<std::vector<double>>& y,
                 const std::vector<std::vector<double>>& slope) override {
    const int q = max_order_;
    bdf::Lane& own = lane_[l];
    own.order = q;
    own.scaled_to = h;
    for (int k = 0; k < q; ++k) own.steps.size[k] = h;
    own.wait = q + 1;
    for (int i = 0; i < n_; ++i) {
      const std::size_t state = i;
      a_.past[1][state * W + static_cast<std::size_t>(l)] = h * slope[0][state];
      std::vector<double> m, right;  // sum of z_j (-k)^j over j > 1 at k steps ago
      for (int k = 1; k < q; ++k) {
        double power = k * k;
        for (int j = 2; j <= q; ++j, power *= -k) m.push_back(power);
        right.push_back(y[k][state] - y[0][state] + k * h * slope[0][state]);
      }
      small_solve(m, right, right.size());
      for (int j = 2; j <= q; ++j)
        a_.past[j][state * W + static_cast<std::size_t>(l)] = right[j - 2];
    }
  }

  double next_step(int l, bool accepted) override {
    return lane_[l].h * (accepted ? growth_after_accept(l) : growth_after_reject(l));
  }

 private:
  static constexpr LaneMask all = (1u << W) - 1;

  static MatrixPolicy policy_for(const LaneGroup& group) {
    const LinearPlan& plan = *group.problem.linear;
    const Program& p = *group.problem.program;
    return matrix_policy(
        iterations_per_factorisation(plan.flops(), plan.fill(), p.pattern.nonzeros()),
        p.thresholds.jacobian_reuse_threshold);
  }

  // A matrix that is kept long is made for one lane at a time.
  static std::unique_ptr<LaneSolver> solver_for(const LaneGroup& group,
                                                const MatrixPolicy& policy) {
    const LinearPlan& plan = *group.problem.linear;
    const Program& p = *group.problem.program;
    if (W == 1 || policy.keeps_jacobian || plan.kind() != LinearKind::table)
      return make_lane_solver(plan);
    return make_scalar_lanes(
        plan_linear(p.pattern, {LinearKind::automatic, 1, p.isa, p.mass, p.thresholds}), p.pattern,
        W);
  }

  std::size_t size() const { return static_cast<std::size_t>(n_) * W; }
  std::size_t entries() const { return static_cast<std::size_t>(program_.pattern.nonzeros()) * W; }

  template <class F>
  static void each(LaneMask lanes, F&& f) {
    for (int l = 0; l < W; ++l)
      if (lanes >> l & 1) f(l);
  }

  // Lanes run with the largest order there may be: with the largest at hand, which neighbour is of
  // which order would decide how the compiler has rounded.
  template <class F>
  void with_order(F&& f) {
    const int order = W == 1 ? lane_[0].order : std::max(max_order_, bdf::usual_order);
    switch (order) {
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

  void call(const Kernel& kernel, double* t, double* y, double* out) {
    if (group_.inputs) group_.inputs->fill(*t, y, group_.parameters.data());
    double* arrays[4] = {t, y, group_.parameters.data(), out};
    kernel(arrays);
  }

  // At the ends of the steps.
  void evaluate(LaneMask lanes, double* y, double* f) {
    call(program_.rhs, time_, y, f);
    each(lanes, [&](int l) { ++group_.counters[l].f; });
  }

  // Order one from the current state.
  void begin_again(LaneMask lanes) {
    call(program_.rhs, group_.t.data(), group_.y.data(), a_.f.data());
    copy_lanes<W>(n_, lanes, a_.past[1].data(), a_.f.data());
    const ChosenLanes<W> chosen(lanes);
    for (int j = 2; j <= BdfArrays::top; ++j)
      for (long c = 0; c < chunks<W>(n_); ++c) {
        Vector& z = at(a_.past[j].data(), c);
        z = chosen.pick(c, Vector{}, z);
      }
    each(lanes, [&](int l) {
      lane_[l].begin_again();
      ++group_.counters[l].f;
    });
    if (group_.augmented) group_.augmented->begin_again();
  }

  // The e of steps that were taken is what the next e is compared with.
  void remember_e() {
    if (taken_ == all)
      a_.e.swap(a_.e_before);
    else if (taken_)
      copy_lanes<W>(n_, taken_, a_.e_before.data(), a_.e.data());
    taken_ = 0;
  }

  void prepare(LaneMask lanes) {
    each(lanes, [&](int l) { lane_[l].prepare(group_.h[l]); });
    for (int l = 0; l < W; ++l) {
      const bdf::Lane& own = lane_[l];
      const double ratio = own.h / own.scaled_to;
      double power = 1;
      for (int j = 0; j < BdfNumbers<W>::rows; ++j, power *= ratio) {
        numbers_.power[j][l] = power;
        numbers_.lambda[j][l] = j <= own.order ? own.c.lambda[j] : 0;
      }
      numbers_.inverse_h[l] = 1 / own.h;
      time_[l] = group_.t[l] + own.h;
    }
  }

  template <int Q>
  void predict() {
    const LaneGroup& g = group_;
    alignas(64) double slack[W];
    for (int l = 0; l < W; ++l) slack[l] = g.absolute(l);
    bdf_predict<W, Q>(a_, g.y.data(), n_, numbers_, g.largest.data(),
                      g.options.rtol / bdf::Lane::strictness, g.relative_floor(), slack);
  }

  void differentiate(LaneMask lanes) {
    double* out = W > 1 ? jacobian_new_.data() : jacobian_.data();
    call(program_.jacobian, time_, a_.predicted.data(), out);
    if (W > 1) copy_lanes<W>(program_.pattern.nonzeros(), lanes, jacobian_.data(), out);
    each(lanes, [&](int l) {
      ++group_.counters[l].j;
      lane_[l].new_jacobian();
    });
  }

  // New Jacobians for the lanes `stale`, new matrices for those that need one; `fresh` are those
  // whose Jacobian is of this step. Returns the lanes that have a matrix.
  LaneMask make_matrices(LaneMask lanes, LaneMask stale, LaneMask& fresh) {
    LaneMask wanted = 0;
    each(lanes, [&](int l) {
      if (fresh >> l & 1 || lane_[l].drifted(policy_)) wanted |= 1u << l;
    });
    if (!policy_.keeps_jacobian) stale |= wanted & ~fresh;
    while (wanted) {
      if (stale) differentiate(stale);
      fresh |= stale;
      each(wanted, [&](int l) {
        ++group_.counters[l].lu;
        lane_[l].matrix = lane_[l].diagonal();
        lane_[l].rate = std::max(lane_[l].rate, bdf::Lane::rate_expected);
      });
      const LaneMask failed = factor(wanted);
      each(wanted, [&](int l) { lane_[l].factored = !(failed >> l & 1); });
      lanes &= ~(failed & fresh);
      stale = wanted = failed & ~fresh;
    }
    return lanes;
  }

  LaneMask factor(LaneMask lanes) {
    alignas(64) double d[W];
    for (int l = 0; l < W; ++l) d[l] = lane_[l].matrix;
    return solver_->factor_lanes(d, jacobian_.data(), lanes);
  }

  // Modified Newton for f(t + h, predicted + e) = (predicted slope + lambda_1 e)/h, from e = 0.
  // Returns the lanes where it has converged.
  LaneMask solve_equations(LaneMask open) {
    LaneMask solved = 0;
    double allowed[W], before[W], change[W], norm_e[W];
    for (int l = 0; l < W; ++l) {
      bdf::Lane& own = lane_[l];
      numbers_.relaxation[l] = own.relaxation();
      allowed[l] = (fixed_ ? 1e-3 : policy_.newton_share) / own.c.error;
      before[l] = 0;
    }
    each(open, [&](int l) { lane_[l].begin_newton(policy_); });
    const double* f = a_.f_predicted.data();
    const int limit = fixed_ ? 3 * policy_.most_iterations : policy_.most_iterations;
    for (int m = 1; open && m <= limit; ++m) {
      bdf_residual<W>(a_, n_, f, numbers_, m == 1);
      solver_->solve(a_.change.data());
      if (m == 1)
        bdf_update<W, true>(a_, n_, numbers_, open, group_.y_new.data(), change, norm_e);
      else
        bdf_update<W, false>(a_, n_, numbers_, open, group_.y_new.data(), change, norm_e);
      each(open, [&](int l) {
        bdf::Lane& own = lane_[l];
        ++group_.counters[l].newton;
        own.change = change[l];
        const auto verdict = own.judge(m, before[l], allowed[l], policy_);
        before[l] = change[l];
        if (verdict == bdf::Lane::Newton::goes_on) return;
        open &= ~(1u << l);
        if (verdict == bdf::Lane::Newton::failed) return;
        solved |= 1u << l;
        group_.error[l] = own.c.error * norm_e[l];
      });
      if (open && m < limit) evaluate(open, group_.y_new.data(), a_.f.data());
      f = a_.f.data();
    }
    return solved;
  }

  // A fixed step that Newton fails on: e for steps that grow up to it. In one lane.
  void solve_from_shorter(LaneMask lanes) {
    if constexpr (W == 1) {
      if (!(lanes & 1) || !std::isnan(group_.error[0]) || std::isnan(lane_[0].change)) return;
      bdf::Lane& own = lane_[0];
      const double lambda = own.c.lambda[1];
      AlignedArray kept(size());
      auto set_e = [&](auto&& value) {
        for (std::size_t i = 0; i < size(); ++i) {
          a_.e[i] = value(i);
          group_.y_new[i] = a_.predicted[i] + a_.e[i];
        }
      };
      set_e([&](std::size_t i) { return -a_.predicted_slope[i] / lambda; });
      const bool solved =
          solve_by_homotopy([&](double share) { return solve_with_step(share * own.h, lambda); },
                            [&] { std::copy_n(a_.e.data(), size(), kept.data()); },
                            [&] { set_e([&](std::size_t i) { return kept[i]; }); });
      own.factored = false;
      own.wants_jacobian = true;
      if (solved) group_.error[0] = own.c.error * bdf_norm<W>(a_, n_, a_.e.data(), 0);
    }
  }

  // Newton with a new matrix in every iteration, from the e at hand.
  bool solve_with_step(double h, double lambda) {
    double before = INFINITY;
    for (int m = 0; m < 20; ++m) {
      evaluate(1, group_.y_new.data(), a_.f.data());
      for (std::size_t i = 0; i < size(); ++i)
        a_.change[i] = a_.f[i] - (a_.predicted_slope[i] + lambda * a_.e[i]) / h;
      call(program_.jacobian, time_, group_.y_new.data(), jacobian_.data());
      ++group_.counters[0].j;
      ++group_.counters[0].lu;
      ++group_.counters[0].newton;
      const double d = lambda / h;
      if (solver_->factor_lanes(&d, jacobian_.data(), 1)) return false;
      solver_->solve(a_.change.data());
      for (std::size_t i = 0; i < size(); ++i) {
        a_.e[i] += a_.change[i];
        group_.y_new[i] = a_.predicted[i] + a_.e[i];
      }
      const double change = bdf_norm<W>(a_, n_, a_.change.data(), 0);
      if (!(change <= (m > 1 ? before : INFINITY))) return false;
      if (change <= 1e-3 / lane_[0].c.error) return true;
      before = change;
    }
    return false;
  }

  void tell_augmented() {
    const bdf::Lane& own = lane_[0];
    group_.augmented->tried({own.order, own.h, own.h / own.scaled_to, own.c.lambda, own.c.error,
                             bdf::Lane::strictness});
  }

  // What the step has added to the polynomial of the past, at theta, in units of e.
  static double correction(const bdf::Lane& own, double theta) {
    double sum = 0;
    for (int j = own.order; j >= 0; --j) sum = sum * (theta - 1) + own.c.lambda[j];
    return sum;
  }

  double growth_after_accept(int l) {
    bdf::Lane& own = lane_[l];
    bdf::Lane::Choice choice{own.order, 1};
    if (fixed_) {
      if (own.order < max_order_) ++choice.order;
    } else {
      double lower = 0, higher = 0;
      const bool look = own.considers_orders();
      const bool down = look && own.order > 1, up = look && own.considers_higher(max_order_);
      if (down) lower = bdf_norm<W>(a_, n_, a_.past[own.order].data(), l);
      if (up)
        higher = bdf_norm_of_difference<W>(a_, n_, a_.e.data(), own.higher_factor(),
                                           a_.e_before.data(), l);
      choice = own.choose(group_.error[l], down ? &lower : nullptr, up ? &higher : nullptr);
    }
    if (choice.order != own.order) change_order(l, choice.order);
    own.settled();
    return choice.growth;
  }

  double growth_after_reject(int l) {
    bdf::Lane& own = lane_[l];
    bdf::Lane::Remedy remedy;
    const double growth = own.shrink(group_.error[l], policy_.keeps_jacobian, remedy);
    if (remedy == bdf::Lane::Remedy::lower_order) change_order(l, own.order - 1);
    if (remedy == bdf::Lane::Remedy::begin_again) {
      begin_again(1u << l);
      own.wait = 10;
    }
    return growth;
  }

  void change_order(int l, int order) {
    bdf::Lane& own = lane_[l];
    double shape[bdf::largest_order + 2];
    const bool up = order > own.order;
    const int top = up ? order : own.order;
    bdf::change_shape(up ? own.order - 1 : own.order - 2, own.scaled_to, own.steps, shape);
    const double factor = up ? 1 / own.c.growth : -1;
    if (group_.augmented) group_.augmented->change_order(up, top, shape, factor);
    const ChosenLanes<W> chosen(1u << l);
    const double* source = up ? a_.e.data() : a_.past[top].data();
    for (int j = 2; j <= top; ++j) {
      double* z = a_.past[j].data();
      const double by = shape[j] * factor;
      const bool clear = j == top;  // z_top is new, or goes
      if (clear && !up)
        for (long c = 0; c < chunks<W>(n_); ++c) at(z, c) = chosen.pick(c, Vector{}, at(z, c));
      else
        for (long c = 0; c < chunks<W>(n_); ++c) {
          const Vector sum = by * at(source, c);
          at(z, c) = chosen.pick(c, clear ? sum : at(z, c) + sum, at(z, c));
        }
    }
    own.changed_order(order);
  }

  const Program& program_;
  int n_;
  bool fixed_;
  int max_order_;
  const MatrixPolicy policy_;
  std::unique_ptr<LaneSolver> solver_;
  AlignedArray jacobian_, jacobian_new_;
  mutable AlignedArray slope_;
  BdfArrays a_;
  bdf::Lane lane_[W];
  BdfNumbers<W> numbers_{};
  alignas(64) double time_[W] = {};  // at the ends of the steps being tried
  LaneMask taken_ = 0;               // lanes whose e is that of a step taken
};

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
