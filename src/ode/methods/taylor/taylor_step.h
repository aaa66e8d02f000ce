// One step of the Taylor series method on every lane. Included once per instruction set; no
// include guard. The series at the current state is made when a step is accepted; the step is then
// chosen from its last two terms, and dense output is the series itself.
// SPDX-License-Identifier: Apache-2.0

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

template <int W>
class TaylorStepper final : public Stepper {
  // The step from the last terms, and how much it may grow.
  static constexpr double safety = 0.97, largest_growth = 20;
  // Of h(y' - f) at the end of a step, in units of the tolerance.
  static constexpr double largest_defect = 1000;

 public:
  explicit TaylorStepper(LaneGroup& group)
      : Stepper(group),
        program_(*group.problem.program),
        n_(group.n),
        stride_(AlignedArray::padded(static_cast<std::size_t>(group.n) * W)),
        slope_(stride_),
        ahead_(stride_),
        defect_(stride_),
        time_(W),
        scale_(W),
        last_(W),
        before_last_(W) {
    for (int l = 0; l < W; ++l) scale_[l] = 1;
    set_order();
    if (group.options.method != "taylor-guaranteed") return;
    allowed_ = AlignedArray(n_);
    for (int l = 0; l < W; ++l) majorants_.emplace_back(program_);
    bounds_.resize(W);
  }

  void start(LaneMask lanes) override {
    if (order_ != taylor_order(group_.options)) set_order();
    evaluate_slope(group_.t.data(), group_.y.data(), slope_.data());
    for (int l = 0; l < W; ++l) {
      time_[l] = group_.t[l];
      if (lanes >> l & 1) {
        scale_[l] = first_scale(l);
        if (guaranteed()) majorants_[l].set_parameters(group_.parameters.data() + l, W);
        ++group_.counters[l].f;
      }
    }
    expand(lanes);
    // Where nothing changes at first the scale is too long to make numbers of: a shorter one.
    for (int tries = 0; tries < 12 && shorten_scales(lanes); ++tries) expand(lanes);
    fresh_ |= lanes;
    for (int l = 0; l < W; ++l)
      if (lanes >> l & 1) group_.error[l] = failed_ >> l & 1 ? NAN : 0;
  }

  const double* slope() const override { return slope_.data(); }
  int control_order() const override { return order_; }

  void attempt(LaneMask lanes) override {
    LaneGroup& g = group_;
    const bool fixed = g.options.fixed_step > 0;
    alignas(64) double ratio[W];
    for (int l = 0; l < W; ++l) {
      if (fresh_ & lanes & (1u << l) && !fixed) {
        double h = natural_step(l);
        h = h < g.options.max_step ? h : g.options.max_step;
        if (g.t[l] + h > g.bound[l]) h = g.bound[l] - g.t[l];
        g.h[l] = h;
      }
      ratio[l] = g.h[l] / scale_[l];
    }
    fresh_ &= ~lanes;
    PerLane<W> r(ratio);
    for (long c = 0; c < chunks<W>(n_); ++c) {
      Vector sum = at(row(order_), c), rise{};  // rise: d sum/d ratio
      for (int k = order_; k-- > 0;) {
        rise = sum + r.of(c) * rise;
        sum = at(row(k), c) + r.of(c) * sum;
      }
      at(g.y_new.data(), c) = sum;
      at(defect_.data(), c) = r.of(c) * rise;
    }
    // A series may go on where its equation does not: (1 - t)^2 solves x' = -2 sqrt(x) up to 1. So
    // the slope at the end must be that of the equation.
    for (int l = 0; l < W; ++l) time_[l] = g.t[l] + g.h[l];
    evaluate_slope(time_.data(), g.y_new.data(), ahead_.data());
    PerLane<W> h(g.h.data());
    for (long c = 0; c < chunks<W>(n_); ++c)
      at(defect_.data(), c) -= h.of(c) * at(ahead_.data(), c);
    const unsigned good = finite_lanes<W>(n_, defect_.data());
    alignas(64) double last[W], before[W], defect[W];
    measure(defect_.data(), g.y_new.data(), g.relative_floor(), defect);
    measure(row(order_), g.y_new.data(), small_floor(), last);
    measure(row(order_ - 1), g.y_new.data(), small_floor(), before);
    for (int l = 0; l < W; ++l) {
      if (cut_ >> l & 1) before[l] = before_last_[l];
      double power = 1;
      for (int k = 1; k < order_; ++k) power *= ratio[l];
      const double one = before[l] * power, other = last[l] * power * ratio[l];
      g.error[l] = one > other ? one : other;
      if (guaranteed()) g.error[l] = needed_[l] * bounds_[l].share(g.h[l], order_);
      if (defect[l] > largest_defect && !fixed) g.error[l] = defect[l];
      if (lanes >> l & 1) ++g.counters[l].f;
      if (!(good & ~failed_ & (1u << l))) g.error[l] = NAN;
    }
  }

  void interpolate(int lane, double theta, double* out) override {
    const double r = theta * group_.h[lane] / scale_[lane];
    for (int i = 0; i < n_; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * W + static_cast<std::size_t>(lane);
      double sum = row(order_)[at];
      for (int k = order_; k-- > 0;) sum = row(k)[at] + r * sum;
      out[i] = sum;
    }
  }

  void accept(LaneMask lanes) override {
    if (lanes == (1u << W) - 1)
      group_.y.swap(group_.y_new);
    else
      copy_lanes<W>(n_, lanes, group_.y.data(), group_.y_new.data());
    for (int l = 0; l < W; ++l) {
      time_[l] = group_.t[l];
      if (!(lanes >> l & 1)) continue;
      time_[l] += group_.h[l];
      scale_[l] = group_.h[l];
    }
    expand(lanes);
  }

  double next_step(int lane, bool accepted) override {
    if (!accepted || group_.options.fixed_step > 0) return 0;
    return failed_ >> lane & 1 ? group_.h[lane] : natural_step(lane);
  }

 private:
  double* row(int k) { return jet_.data() + static_cast<std::size_t>(k) * stride_; }

  void set_order() {
    order_ = taylor_order(group_.options);
    kernel_ = taylor_jet(group_.problem.program, order_);
    jet_ = AlignedArray(static_cast<std::size_t>(order_ + 1) * stride_);
  }

  void evaluate_slope(double* t, double* y, double* f) {
    double* arrays[4] = {t, y, group_.parameters.data(), f};
    program_.rhs(arrays);
  }

  // The time in which a state would change by its own size.
  double first_scale(int lane) const {
    double size = 0, rate = 0;
    for (int i = 0; i < n_; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * W + static_cast<std::size_t>(lane);
      const double w = group_.weight(i, lane);
      size += group_.y[at] / w * (group_.y[at] / w);
      rate += slope_[at] / w * (slope_[at] / w);
    }
    const double scale = __builtin_sqrt(size / rate);
    return scale > 1e-100 && scale < 1e100 ? scale : 1;
  }

  bool shorten_scales(LaneMask lanes) {
    bool any = false;
    for (int l = 0; l < W; ++l) {
      const double size = last_[l] + before_last_[l];
      if (!(lanes >> l & 1) || failed_ >> l & 1 || size - size == 0) continue;
      scale_[l] *= 1e-3;
      any = true;
    }
    return any;
  }

  // The series at the states of all lanes; only those of `lanes` have changed.
  void expand(LaneMask lanes) {
    LaneGroup& g = group_;
    double* arrays[TaylorJet::arrays] = {time_.data(), g.y.data(), g.parameters.data(),
                                         scale_.data(), jet_.data()};
    kernel_(arrays);
    unsigned good = (1u << W) - 1;
    for (int k = 1; k <= order_; ++k) good &= finite_lanes<W>(n_, row(k));
    failed_ &= ~lanes;
    cut_ &= ~lanes;
    for (int l = 0; l < W; ++l) {
      if (lanes >> l & 1) g.counters[l].f += order_;
      if (!(good >> l & 1)) keep_finite_part(l);
    }
    alignas(64) double inverse[W];
    for (int l = 0; l < W; ++l) inverse[l] = 1 / scale_[l];
    PerLane<W> per_time(inverse);
    for (long c = 0; c < chunks<W>(n_); ++c) at(slope_.data(), c) = at(row(1), c) * per_time.of(c);
    // The state may be near zero now: what counts is its size over the step.
    for (long c = 0; c < chunks<W>(n_); ++c) at(ahead_.data(), c) = at(row(0), c) + at(row(1), c);
    measure(row(order_), ahead_.data(), small_floor(), last_.data());
    measure(row(order_ - 1), ahead_.data(), small_floor(), before_last_.data());
    for (int l = 0; l < W; ++l)
      if (cut_ >> l & 1) before_last_[l] = cut_term_[l];
    if (guaranteed())
      for (int l = 0; l < W; ++l)
        if (lanes >> l & 1) find_bound(l);
  }

  bool guaranteed() const { return !bounds_.empty(); }
  void find_bound(int lane) {
    // The state may be zero now: then what it comes to within the scale is its size.
    for (int i = 0; i < n_; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * W + static_cast<std::size_t>(lane);
      const double change = ahead_[at] - group_.y[at];
      allowed_[i] = group_.weight(i, lane) + group_.options.rtol * 1e-3 * __builtin_fabs(change);
    }
    TaylorBound& bound = bounds_[lane];
    longest_[lane] =
        majorants_[lane].find(group_.y.data() + lane, W, allowed_.data(), order_, bound);
    needed_[lane] = 0;
    for (int i = 0; i < n_; ++i) {
      const double share = bound.size[i] / allowed_[i];
      needed_[lane] = share > needed_[lane] ? share : needed_[lane];
    }
  }

  // Of a state far below its largest value the steps are long enough to lose it, if it is judged by
  // that value; a thousandth of it costs little, as far as rounding allows.
  double small_floor() const {
    const double floor = group_.relative_floor(), least = 1e-17 / group_.options.rtol;
    const double small = 1e-3 * floor > least ? 1e-3 * floor : least;
    return small < floor ? small : floor;
  }

  void measure(const double* term, const double* y_new, double floor, double* result) {
    LaneGroup& g = group_;
    alignas(64) double slack[W];
    for (int l = 0; l < W; ++l) slack[l] = g.absolute(l);
    error_norm<W>(n_, term, g.y.data(), y_new, g.largest.data(), g.options.rtol, floor, slack,
                  result);
  }

  // At a point where higher derivatives do not exist (x^1.5 at 0) the terms before them serve for
  // a short step away from it.
  void keep_finite_part(int lane) {
    auto finite = [&](int k) {
      for (int i = 0; i < n_; ++i) {
        const double x = row(k)[i * W + lane];
        if (!(x - x == 0)) return false;
      }
      return true;
    };
    int top = 0;
    while (top < order_ && finite(top + 1)) ++top;
    if (top == 0) {
      failed_ |= 1u << lane;
      return;
    }
    double sum = 0;
    for (int i = 0; i < n_; ++i) {
      const double e = row(top)[i * W + lane] / group_.weight(i, lane);
      sum += e * e;
    }
    // As if it were the term before the last: then the step keeps its size below the tolerance.
    double share = __builtin_sqrt(sum / n_), power = share;
    for (int k = top; k < order_ - 1; ++k) power *= share > 1 ? share : 1;
    cut_ |= 1u << lane;
    cut_term_[lane] = power;
    for (int k = top + 1; k <= order_; ++k)
      for (int i = 0; i < n_; ++i) row(k)[i * W + lane] = 0;
  }

  // Where the last two terms come to the tolerance.
  double natural_step(int lane) const {
    if (guaranteed()) {
      const double most = largest_growth * scale_[lane];
      return longest_[lane] < most ? longest_[lane] : most;
    }
    const double one = rough_root(before_last_[lane], order_ - 1),
                 other = rough_root(last_[lane], order_);
    const double larger = one > other ? one : other;
    const double growth = larger * largest_growth > 1 ? safety / larger : largest_growth;
    return scale_[lane] * growth;
  }

  const Program& program_;
  int n_;
  std::size_t stride_;
  int order_ = 0;
  Kernel kernel_;
  AlignedArray jet_;
  AlignedArray slope_, ahead_, defect_, time_, scale_;
  AlignedArray last_, before_last_;  // [lane] the last terms at h = scale, over the tolerance
  double cut_term_[W] = {};
  LaneMask cut_ = 0;  // lanes with part of the series only
  // With guaranteed bounds, per lane:
  std::vector<TaylorMajorant> majorants_;
  std::vector<TaylorBound> bounds_;
  AlignedArray allowed_;
  double longest_[W] = {};  // step
  double needed_[W] = {};   // largest size over what is allowed
  LaneMask fresh_ = 0;      // lanes whose step is not chosen yet
  LaneMask failed_ = 0;     // lanes where f is not finite
};

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
