// One step of DOP853 on every lane. Included once per instruction set; no include guard.
// SPDX-License-Identifier: Apache-2.0

#include "ode/lanes/one_step.h"

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

template <int W>
class Dop853Stepper final : public Stepper {
  static constexpr int stages = dop853::stages;
  // With steps of this size the interpolant and the edge of stability matter before the estimate
  // sees them; at order eight ten times the care costs a third more steps.
  static constexpr double strictness = 20;

 public:
  explicit Dop853Stepper(LaneGroup& group)
      : Stepper(group),
        program_(*group.problem.program),
        n_(group.n),
        slope_new_(size()),
        slope_(size()),
        stage_(size()),
        estimate_(size()),
        time_(W),
        error3_(W),
        stages_(dop853::all_stages * stride()),
        dense_(7 * stride()) {}

  void start(LaneMask lanes) override {
    evaluate(group_.t.data(), group_.y.data(), slope_new_.data());
    begin_lanes<W>(group_, lanes, slope_, slope_new_);
  }

  const double* slope() const override { return slope_.data(); }
  int control_order() const override { return 8; }

  void attempt(LaneMask lanes) override {
    dense_known_ = false;
    run_stages(std::make_integer_sequence<int, stages - 1>());
    advance_by<stages>(group_.y_new.data(), dop853::a[stages]);
    judge(lanes);
  }

  void interpolate(int lane, double theta, double* out) override {
    if (!dense_known_) find_dense();
    const double left = 1 - theta;
    for (int i = 0; i < n_; ++i) {
      const int at = i * W + lane;
      auto d = [&](int m) { return dense_[static_cast<std::size_t>(m) * stride() + at]; };
      double sum = d(6);
      sum = d(5) + theta * sum;
      sum = d(4) + left * sum;
      sum = d(3) + theta * sum;
      sum = d(2) + left * sum;
      sum = d(1) + theta * sum;
      sum = d(0) + left * sum;
      out[i] = group_.y[at] + theta * sum;
    }
  }

  void accept(LaneMask lanes) override { accept_lanes<W>(group_, lanes, slope_, slope_new_); }

 private:
  std::size_t size() const { return static_cast<std::size_t>(n_) * W; }
  std::size_t stride() const { return AlignedArray::padded(size()); }
  double* k(int stage) {
    if (stage == 0) return slope_.data();
    if (stage == stages) return slope_new_.data();
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
    for (long c = 0; c < chunks<W>(n_); ++c) {
      Vector sum{};
      for (int j = 0; j < S; ++j)
        if (a[j] != 0) sum += a[j] * at(k(j), c);
      at(out, c) = at(group_.y.data(), c) + h.of(c) * sum;
    }
  }

  template <int I>
  void run_stage() {
    advance_by<I>(stage_.data(), dop853::a[I]);
    for (int l = 0; l < W; ++l) time_[l] = group_.t[l] + dop853::node[I] * group_.h[l];
    evaluate(time_.data(), stage_.data(), k(I));
  }
  template <int... I>
  void run_stages(std::integer_sequence<int, I...>) {
    (run_stage<I + 1>(), ...);
  }

  void estimate(const double* weight, double* result) {
    LaneGroup& g = group_;
    PerLane<W> h(g.h.data());
    for (long c = 0; c < chunks<W>(n_); ++c) {
      Vector sum{};
      for (int j = 0; j < stages; ++j) sum += weight[j] * at(k(j), c);
      at(estimate_.data(), c) = h.of(c) * sum;
    }
    alignas(64) double slack[W];
    for (int l = 0; l < W; ++l) slack[l] = g.absolute(l);
    error_norm<W>(n_, estimate_.data(), g.y.data(), g.y_new.data(), g.largest.data(),
                  g.options.rtol, g.relative_floor(), slack, result);
  }

  // The estimate of order five, made smaller where that of order three says it is too careful:
  // Hairer, Norsett, Wanner I, II.10 (10.17).
  void judge(LaneMask lanes) {
    LaneGroup& g = group_;
    estimate(dop853::error5, g.error.data());
    estimate(dop853::error3, error3_.data());
    const bool fixed = g.options.fixed_step > 0;
    unsigned passed = 0;
    for (int l = 0; l < W; ++l) {
      const double five = g.error[l], three = error3_[l];
      const double both = five * five + 0.01 * three * three;
      if (both > 0) g.error[l] = strictness * five * five / __builtin_sqrt(both);
      if (__builtin_isnan(both)) g.error[l] = NAN;
      if (lanes >> l & 1) g.counters[l].f += stages - 1;
      if (g.error[l] <= 1 || fixed) passed |= 1u << l;
    }
    if (!(passed & lanes)) return;
    for (int l = 0; l < W; ++l) time_[l] = g.t[l] + g.h[l];
    evaluate(time_.data(), g.y_new.data(), slope_new_.data());
    const unsigned good = finite_lanes<W>(n_, slope_new_.data());
    for (int l = 0; l < W; ++l) {
      // A rejected lane keeps its error: whether others passed must not matter to it.
      if (passed & ~good & (1u << l)) g.error[l] = NAN;
      if (passed & lanes & (1u << l)) ++g.counters[l].f;
    }
  }

  // Three more stages, when first asked.
  void find_dense() {
    dense_known_ = true;
    run_stage<13>();
    run_stage<14>();
    run_stage<15>();
    for (int l = 0; l < W; ++l) group_.counters[l].f += 3;
    PerLane<W> h(group_.h.data());
    auto d = [&](int m, long c) -> Vector& {
      return at(dense_.data() + static_cast<std::size_t>(m) * stride(), c);
    };
    for (long c = 0; c < chunks<W>(n_); ++c) {
      const Vector rise = at(group_.y_new.data(), c) - at(group_.y.data(), c);
      const Vector bend = h.of(c) * at(k(0), c) - rise;
      d(0, c) = rise;
      d(1, c) = bend;
      d(2, c) = rise - h.of(c) * at(k(stages), c) - bend;
      for (int m = 0; m < 4; ++m) {
        Vector sum{};
        for (int j = 0; j < dop853::all_stages; ++j) sum += dop853::dense[m][j] * at(k(j), c);
        d(3 + m, c) = h.of(c) * sum;
      }
    }
  }

  const Program& program_;
  int n_;
  AlignedArray slope_new_, slope_, stage_, estimate_, time_, error3_;
  AlignedArray stages_, dense_;
  bool dense_known_ = false;
};

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
