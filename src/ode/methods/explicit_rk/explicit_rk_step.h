// One step of an explicit Runge-Kutta method on every lane. STIFFIT_TABLEAU names its coefficients,
// STIFFIT_STEPPER the class for a number of lanes. Included once per instruction set; no include
// guard. SPDX-License-Identifier: Apache-2.0

#include "ode/lanes/one_step.h"

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

// The step as one kernel, of the methods that have one (FusedSteps).
template <class Tableau>
const Kernel* whole_of(const Problem& problem) {
  if (!problem.steps) return nullptr;
  if constexpr (std::is_same_v<Tableau, Dopri5Tableau>) return problem.steps->dopri5();
  if constexpr (std::is_same_v<Tableau, Tsit5Tableau>) return problem.steps->tsit5();
  return nullptr;
}

template <class Tableau, int W>
class ExplicitRkStepper final : public Stepper {
  static constexpr int stages = Tableau::stages;

 public:
  explicit ExplicitRkStepper(LaneGroup& group)
      : Stepper(group),
        program_(*group.problem.program),
        n_(group.n),
        slope_new_(size()),
        estimate_(size()),
        stage_(size()),
        inner_(size()),
        time_(W),
        slope_(size()),
        last_(size()),
        stages_(stages * stride()),
        tolerance_(3 * W),
        whole_(whole_of<Tableau>(group.problem)) {}

  void start(LaneMask lanes) override {
    set_tolerances<W>(group_, tolerance_);
    evaluate(group_.t.data(), group_.y.data(), slope_new_.data());
    begin_lanes<W>(group_, lanes, slope_, slope_new_);
  }

  const double* slope() const override { return slope_.data(); }
  int control_order() const override { return Tableau::order; }

  void attempt(LaneMask lanes) override {
    LaneGroup& g = group_;
    inner_known_ = false;
    if (whole_) return fused_step(lanes);
    run_stages(std::make_integer_sequence<int, stages - 1>());
    if constexpr (!Tableau::first_same_as_last) advance(g.y_new.data(), Tableau::weight);
    judge(lanes);
  }

  void interpolate(int lane, double theta, double* out) override {
    const double h = group_.h[lane];
    if constexpr (Tableau::interpolation == Interpolation::inner_slope) find_inner_slope();
    for (int i = 0; i < n_; ++i) {
      const int e = i * W + lane;
      out[i] = shape<double>(theta, h, [&](const double* base) { return base[e]; });
    }
  }

  void interpolate_lanes(LaneMask, const double* theta, double* out) override {
    if constexpr (Tableau::interpolation == Interpolation::inner_slope) find_inner_slope();
    const PerLane<W> share(theta), h(group_.h.data());
    for (long c = 0; c < chunks<W>(n_); ++c)
      at(out, c) =
          shape<Vector>(share.of(c), h.of(c), [&](const double* base) { return at(base, c); });
  }

  void accept(LaneMask lanes) override { accept_lanes<W>(group_, lanes, slope_, slope_new_); }

 private:
  // The state at a share of the step; `of` takes an array's element, or its elements of all lanes.
  template <class V, class Of>
  V shape(V theta, V h, Of of) {
    const V y0 = of(group_.y.data()), y1 = of(group_.y_new.data());
    const V f0 = h * of(slope_.data()), f1 = h * of(slope_new_.data());
    const V rise = y1 - y0, bend = f0 - rise, rest = rise - f1 - bend;
    V top{};  // weight of theta^2 (1-theta)^2
    if constexpr (Tableau::interpolation == Interpolation::own_weights) {
      static_assert(Tableau::first_same_as_last);
      for (int j = 0; j < stages - 1; ++j) top += Tableau::dense[j] * of(k(j));
      top = h * (top + Tableau::dense[stages - 1] * of(slope_new_.data()));
    }
    if constexpr (Tableau::interpolation == Interpolation::inner_slope)
      top = (h * of(inner_.data()) -
             (rise + (1 - 2 * inner) * bend + inner * (2 - 3 * inner) * rest)) /
            (2 * inner * (1 - inner) * (1 - 2 * inner));
    return y0 + theta * (rise + (1 - theta) * (bend + theta * (rest + (1 - theta) * top)));
  }

  std::size_t size() const { return static_cast<std::size_t>(n_) * W; }
  std::size_t stride() const { return AlignedArray::padded(size()); }
  double* k(int stage) {
    if (stage == 0) return slope_.data();
    if (Tableau::first_same_as_last && stage == stages - 1) return last_.data();
    return stages_.data() + static_cast<std::size_t>(stage) * stride();
  }

  void evaluate(const double* t, const double* y, double* f) {
    if (group_.inputs) group_.inputs->fill(*t, y, group_.parameters.data());
    double* arrays[4] = {const_cast<double*>(t), const_cast<double*>(y), group_.parameters.data(),
                         f};
    program_.rhs(arrays);
  }

  // out = y + h * sum of a[j] k_j over the first S stages.
  template <int S>
  void advance_by(double* out, const double* a) {
    PerLane<W> h(group_.h.data());
    const long count = chunks<W>(n_);
    for (long c = 0; c < count; ++c) {
      Vector sum{};
      for (int j = 0; j < S; ++j) sum += a[j] * at(k(j), c);
      at(out, c) = at(group_.y.data(), c) + h.of(c) * sum;
    }
  }
  void advance(double* out, const double* weight) { advance_by<stages>(out, weight); }

  template <int I>
  void run_stage() {
    constexpr bool last = Tableau::first_same_as_last && I == stages - 1;
    double* y = last ? group_.y_new.data() : stage_.data();
    advance_by<I>(y, Tableau::a[I]);
    for (int l = 0; l < W; ++l) time_[l] = group_.t[l] + Tableau::node[I] * group_.h[l];
    evaluate(time_.data(), y, k(I));
  }
  template <int... I>
  void run_stages(std::integer_sequence<int, I...>) {
    (run_stage<I + 1>(), ...);
  }

  // All of it in one kernel.
  void fused_step(LaneMask lanes) {
    LaneGroup& g = group_;
    alignas(64) double verdict[FusedStep::verdicts * W];
    double* const arrays[FusedStep::arrays] = {
        g.t.data(),     g.h.data(),        g.y.data(),       g.parameters.data(),
        slope_.data(),  tolerance_.data(), g.largest.data(), stages_.data(),
        g.y_new.data(), slope_new_.data(), verdict};
    (*whole_)(arrays);
    copy_per_lane<W>(g.error.data(), verdict + FusedStep::error * W);
    for (int l = 0; l < W; ++l) {
      if (!(lanes >> l & 1)) continue;
      g.counters[l].f += stages - 1;
    }
  }

  // The cubic through both ends gives an inner state to fourth order; the slope there makes the
  // interpolant a quartic. The point is where theta^2 (1-theta)^2, what a cubic cannot follow, is
  // steepest.
  static constexpr double inner = 0.21132486540518711775;  // (3 - sqrt 3)/6
  void find_inner_slope() {
    if (inner_known_) return;
    inner_known_ = true;
    PerLane<W> h(group_.h.data());
    for (long c = 0; c < chunks<W>(n_); ++c) {
      const Vector y0 = at(group_.y.data(), c), rise = at(group_.y_new.data(), c) - y0;
      const Vector bend = h.of(c) * at(slope_.data(), c) - rise;
      const Vector rest = rise - h.of(c) * at(slope_new_.data(), c) - bend;
      at(stage_.data(), c) = y0 + inner * (rise + (1 - inner) * (bend + inner * rest));
    }
    for (int l = 0; l < W; ++l) time_[l] = group_.t[l] + inner * group_.h[l];
    evaluate(time_.data(), stage_.data(), inner_.data());
    for (int l = 0; l < W; ++l) ++group_.counters[l].f;
  }

  void judge(LaneMask lanes) {
    LaneGroup& g = group_;
    if constexpr (Tableau::pair) {
      PerLane<W> h(g.h.data());
      for (long c = 0; c < chunks<W>(n_); ++c) {
        Vector sum{};
        for (int j = 0; j < stages; ++j) sum += Tableau::error[j] * at(k(j), c);
        at(estimate_.data(), c) = h.of(c) * sum;
      }
      alignas(64) double slack[W];
      for (int l = 0; l < W; ++l) slack[l] = g.absolute(l);
      error_norm<W>(n_, estimate_.data(), g.y.data(), g.y_new.data(), g.largest.data(),
                    g.options.rtol, g.relative_floor(), slack, g.error.data());
    } else {
      for (int l = 0; l < W; ++l) g.error[l] = 0;
    }
    const bool fixed = g.options.fixed_step > 0;
    unsigned passed = 0;
    for (int l = 0; l < W; ++l) {
      if (lanes >> l & 1) g.counters[l].f += stages - 1;
      if (g.error[l] <= 1 || fixed) passed |= 1u << l;
    }
    if (!(passed & lanes)) return;
    if constexpr (Tableau::first_same_as_last) {
      slope_new_.swap(last_);
    } else {
      for (int l = 0; l < W; ++l) time_[l] = g.t[l] + g.h[l];
      evaluate(time_.data(), g.y_new.data(), slope_new_.data());
      for (int l = 0; l < W; ++l)
        if (passed & lanes & (1u << l)) ++g.counters[l].f;
    }
    unsigned good = finite_lanes<W>(n_, slope_new_.data());
    // A rejected lane keeps its error: whether others passed must not matter to it.
    for (int l = 0; l < W; ++l)
      if (passed & ~good & (1u << l)) g.error[l] = NAN;
  }

  const Program& program_;
  int n_;
  AlignedArray slope_new_, estimate_, stage_, inner_, time_;
  AlignedArray slope_, last_;  // the first and the last stage, which take each other's place
  AlignedArray stages_;        // the others, and their places
  AlignedArray tolerance_;     // of the whole step
  const Kernel* whole_;        // null: not for this method or program
  bool inner_known_ = false;
};

template <int W>
using STIFFIT_STEPPER = ExplicitRkStepper<STIFFIT_TABLEAU, W>;

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
