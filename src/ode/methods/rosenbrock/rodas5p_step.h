// One step of Rodas5P on every lane. Included once per instruction set; no include guard.
// SPDX-License-Identifier: Apache-2.0

#include "ode/lanes/one_step.h"

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

template <int W>
class Rodas5pStepper final : public Stepper {
 public:
  explicit Rodas5pStepper(LaneGroup& group)
      : Stepper(group),
        program_(*group.problem.program),
        n_(group.n),
        solver_(group.problem.linear->make_solver()),
        jacobian_(static_cast<std::size_t>(program_.pattern.nonzeros()) * W),
        slope_(size()),
        slope_new_(size()),
        drift_(size()),
        stage_(size()),
        time_(W),
        inverse_(W),
        mass_(program_.mass.empty() ? 0 : size()),
        dense_(3 * stride()),
        stages_(rodas5p::stages * stride()),
        row_(size()),
        row_change_(size()),
        row_slow_(size()),
        tolerance_(3 * W),
        whole_(group.problem.steps ? group.problem.steps->rodas5p() : nullptr) {
    for (std::size_t i = 0; i < program_.mass.size(); ++i)
      for (std::size_t l = 0; l < W; ++l) mass_[i * W + l] = program_.mass[i];
  }

  void start(LaneMask lanes) override {
    set_tolerances<W>(group_, tolerance_);
    evaluate(group_.t.data(), group_.y.data(), slope_new_.data());
    begin_lanes<W>(group_, lanes, slope_, slope_new_);
    stale_ |= lanes;
  }

  const double* slope() const override { return slope_.data(); }
  int control_order() const override { return 5; }
  bool hides_between() const override { return true; }
  const double* stages() const override { return stages_.data(); }
  std::size_t stage_stride() const override { return stride(); }

  void attempt(LaneMask lanes) override {
    LaneGroup& g = group_;
    dense_known_ = factored_ = false;
    if (whole_ && fused_step(lanes)) return;
    if (stale_ & lanes) {
      differentiate(lanes);
      stale_ = 0;
    }
    alignas(64) double diagonal[W];
    for (int l = 0; l < W; ++l) {
      inverse_[l] = 1 / g.h[l];
      diagonal[l] = inverse_[l] / rodas5p::gamma;
      if (lanes >> l & 1) ++g.counters[l].lu;
    }
    unsigned singular = solver_->factor(diagonal, jacobian_.data());
    factored_ = true;
    run_stages();
    judge(lanes, singular);
  }

  void interpolate(int lane, double theta, double* out) override {
    if (!dense_known_) find_dense();
    const double* y = group_.y.data() + lane;
    const double* y_new = group_.y_new.data() + lane;
    const double* d0 = dense_.data() + lane;
    const double* d1 = d0 + stride();
    const double* d2 = d1 + stride();
    for (int i = 0; i < n_; ++i) {
      const int at = i * W;
      out[i] = shape(theta, y[at], y_new[at], d0[at], d1[at], d2[at]);
    }
  }

  void interpolate_lanes(LaneMask, const double* theta, double* out) override {
    if (!dense_known_) find_dense();
    const PerLane<W> share(theta);
    const double* d0 = dense_.data();
    const double* d1 = d0 + stride();
    const double* d2 = d1 + stride();
    for (long c = 0; c < chunks<W>(n_); ++c)
      at(out, c) = shape(share.of(c), at(group_.y.data(), c), at(group_.y_new.data(), c), at(d0, c),
                         at(d1, c), at(d2, c));
  }

  void row(int lane, double theta, double* out) override {
    if (!mends_rows()) return interpolate(lane, theta, out);
    alignas(64) double same[W];
    for (double& share : same) share = theta;
    row_lanes(1u << lane, same, row_.data());
    for (int i = 0; i < n_; ++i) out[i] = row_[i * W + lane];
  }

  // A state that follows the others within much less than a step is what they make it, not what a
  // polynomial in time says: one Newton iteration towards y' = f with the matrix A = 1 - gamma h J
  // of the step, less what A makes of it once more, which leaves its fast part. Sums that f keeps
  // stay kept.
  void row_lanes(LaneMask lanes, const double* theta, double* out) override {
    if (!mends_rows()) return interpolate_lanes(lanes, theta, out);
    double *slope = stage_.data(), *change = row_change_.data();
    value_and_slope(theta, out, slope);
    const PerLane<W> inverse(inverse_.data());
    const bool algebraic = !program_.mass.empty();
    const long count = chunks<W>(n_);
    for (int l = 0; l < W; ++l) time_[l] = group_.t[l] + theta[l] * group_.h[l];
    evaluate(time_.data(), out, change);
    for (long c = 0; c < count; ++c) at(change, c) -= at(slope, c);
    solver_->solve(change);
    double* slow = row_slow_.data();
    for (long c = 0; c < count; ++c) {
      at(slow, c) = at(change, c) * (inverse.of(c) * (1 / rodas5p::gamma));
      if (algebraic) at(slow, c) *= at(mass_.data(), c);
    }
    solver_->solve(slow);
    for (long c = 0; c < count; ++c) at(out, c) += at(change, c) - at(slow, c);
    for (int l = 0; l < W; ++l)
      if (lanes >> l & 1) ++group_.counters[l].f;
  }

  void accept(LaneMask lanes) override {
    accept_lanes<W>(group_, lanes, slope_, slope_new_);
    stale_ |= lanes;
  }

 private:
  template <class V>
  static V shape(V theta, V y, V y_new, V d0, V d1, V d2) {
    // What does not move at all does not move by a rounding error either.
    const V left = 1 - theta, bend = d0 + theta * (d1 + theta * d2);
    return (y == y_new) & (d0 == 0) ? y : left * y + theta * (y_new + left * bend);
  }

  // The interpolant and its slope in time (multiplied by the mass) at a place of each lane,
  // straight from the stages: cheaper than find_dense() for the one or two rows that most steps
  // have.
  void value_and_slope(const double* theta, double* value, double* slope) {
    constexpr int parts = PerLane<W>::count;
    const PerLane<W> share(theta), inverse(inverse_.data());
    const bool algebraic = !program_.mass.empty();
    Vector by[parts][rodas5p::stages], rate[parts][rodas5p::stages];
    for (int p = 0; p < parts; ++p) {
      const Vector x = share.of(p), left = 1 - x;
      for (int j = 0; j < rodas5p::stages; ++j) {
        const double *d0 = rodas5p::dense[0], *d1 = rodas5p::dense[1], *d2 = rodas5p::dense[2];
        const Vector inner = d1[j] + x * d2[j], outer = d0[j] + x * inner;
        by[p][j] = x * left * outer;
        rate[p][j] = (left - x) * outer + x * left * (inner + x * d2[j]);
      }
    }
    for (long c = 0; c < chunks<W>(n_); ++c) {
      const int p = parts == 1 ? 0 : static_cast<int>(c % parts);
      const Vector x = share.of(c), begin = at(group_.y.data(), c),
                   end = at(group_.y_new.data(), c);
      Vector bend{}, turn = end - begin;
      for (int j = 0; j < rodas5p::stages; ++j) {
        bend += by[p][j] * at(k(j), c);
        turn += rate[p][j] * at(k(j), c);
      }
      at(value, c) = (begin == end) & (bend == 0) ? begin : (1 - x) * begin + x * end + bend;
      if (algebraic) turn *= at(mass_.data(), c);
      at(slope, c) = turn * inverse.of(c);
    }
  }

  bool mends_rows() const {
    return n_ >= thresholds::states_for_corrected_output && factored_ && !group_.inputs;
  }

  std::size_t size() const { return static_cast<std::size_t>(n_) * W; }
  std::size_t stride() const { return AlignedArray::padded(size()); }
  double* k(int stage) { return stages_.data() + static_cast<std::size_t>(stage) * stride(); }

  void evaluate(const double* t, const double* y, double* f) {
    if (group_.inputs) group_.inputs->fill(*t, y, group_.parameters.data());
    double* arrays[4] = {const_cast<double*>(t), const_cast<double*>(y), group_.parameters.data(),
                         f};
    program_.rhs(arrays);
  }

  void differentiate(LaneMask lanes) {
    LaneGroup& g = group_;
    if (g.inputs) g.inputs->fill(g.t[0], g.y.data(), g.parameters.data());
    double* arrays[4] = {g.t.data(), g.y.data(), g.parameters.data(), jacobian_.data()};
    program_.jacobian(arrays);
    if (g.inputs) {
      drift_by_differences();
    } else if (!program_.autonomous) {
      arrays[3] = drift_.data();
      program_.time_derivative(arrays);
    }
    for (int l = 0; l < W; ++l)
      if (lanes >> l & 1) ++g.counters[l].j;
  }

  // df/dt with what delays bring along: a second-order difference forward, since there may be a
  // kink behind. Exact enough: it enters the step multiplied by h^2.
  void drift_by_differences() {
    const double step = 1e-3 * group_.h[0], t = group_.t[0];
    for (int ahead = 1; ahead <= 2; ++ahead) {
      time_[0] = t + ahead * step;
      evaluate(time_.data(), group_.y.data(), k(ahead));
      ++group_.counters[0].f;
    }
    for (int i = 0; i < n_ * W; ++i)
      drift_[i] = (4 * k(1)[i] - k(2)[i] - 3 * slope_[i]) / (2 * step);
  }

  // k_i from stage_ = the right-hand side f(...) of the stage.
  template <int I>
  void finish_stage(const double* f) {
    double* out = k(I);
    const long count = chunks<W>(n_);
    PerLane<W> inverse(inverse_.data());
    const bool drift = (!program_.autonomous || group_.inputs) && rodas5p::slope[I] != 0;
    const bool algebraic = !program_.mass.empty();
    PerLane<W> h(group_.h.data());
    for (long c = 0; c < count; ++c) {
      Vector sum{};
      for (int j = 0; j < I; ++j) sum += rodas5p::c[I][j] * at(k(j), c);
      if (algebraic) sum *= at(mass_.data(), c);
      Vector right = at(f, c) + sum * inverse.of(c);
      if (drift) right += rodas5p::slope[I] * h.of(c) * at(drift_.data(), c);
      at(out, c) = right;
    }
    solver_->solve(out);
  }

  template <int I>
  void stage_at(const double* y) {
    for (int l = 0; l < W; ++l) time_[l] = group_.t[l] + rodas5p::node[I] * group_.h[l];
    evaluate(time_.data(), y, k(I));
    finish_stage<I>(k(I));
  }

  template <int I>
  void stage() {
    const double* terms[I];
    for (int j = 0; j < I; ++j) terms[j] = k(j);
    combine<I>(chunks<W>(n_), stage_.data(), group_.y.data(), terms, rodas5p::a[I]);
    stage_at<I>(stage_.data());
  }

  void add(double* out, const double* x, const double* last) {
    for (long c = 0; c < chunks<W>(n_); ++c) at(out, c) = at(x, c) + at(last, c);
  }

  void run_stages() {
    finish_stage<0>(slope_.data());
    stage<1>();
    stage<2>();
    stage<3>();
    stage<4>();
    stage<5>();
    double* next = group_.y_new.data();
    add(next, stage_.data(), k(5));
    stage_at<6>(next);
    add(next, next, k(6));
    stage_at<7>(next);
    add(next, next, k(7));
  }

  // All of it in one kernel. False: the pivots of a lane are no good, nothing has happened.
  bool fused_step(LaneMask lanes) {
    LaneGroup& g = group_;
    alignas(64) double verdict[FusedStep::verdicts * W];
    double* const arrays[FusedStep::arrays] = {
        g.t.data(),     g.h.data(),        g.y.data(),       g.parameters.data(),
        slope_.data(),  tolerance_.data(), g.largest.data(), stages_.data(),
        g.y_new.data(), slope_new_.data(), verdict};
    (*whole_)(arrays);
    constexpr double limit = PivotRatios::largest * PivotRatios::largest;
    bool good = true;
    for (int l = 0; l < W; ++l)
      if (lanes >> l & 1)
        good &= verdict[FusedStep::pivot_sum * W + l] < limit &&
                verdict[FusedStep::pivot_minimum * W + l] > 1 / limit;
    if (!good) return false;
    copy_per_lane<W>(g.error.data(), verdict + FusedStep::error * W);
    for (int l = 0; l < W; ++l) {
      if (!(lanes >> l & 1)) continue;
      g.counters[l].f += 8;
      ++g.counters[l].lu;
      ++g.counters[l].j;
    }
    return true;
  }

  void find_dense() {
    double *d0 = dense_.data(), *d1 = d0 + stride(), *d2 = d1 + stride();
    const long count = chunks<W>(n_);
    for (long c = 0; c < count; ++c) {
      Vector sum[3]{};
      for (int j = 0; j < rodas5p::stages; ++j)
        for (int m = 0; m < 3; ++m) sum[m] += rodas5p::dense[m][j] * at(k(j), c);
      at(d0, c) = sum[0];
      at(d1, c) = sum[1];
      at(d2, c) = sum[2];
    }
    dense_known_ = true;
  }

  void judge(LaneMask lanes, unsigned singular) {
    LaneGroup& g = group_;
    alignas(64) double slack[W];
    for (int l = 0; l < W; ++l) slack[l] = g.absolute(l);
    error_norm<W>(n_, k(7), g.y.data(), g.y_new.data(), g.largest.data(), g.options.rtol,
                  g.relative_floor(), slack, g.error.data());
    unsigned passed = 0;
    const bool fixed = g.options.fixed_step > 0;
    for (int l = 0; l < W; ++l) {
      if (singular >> l & 1) g.error[l] = NAN;
      if (lanes >> l & 1) g.counters[l].f += 7;
      if (g.error[l] <= 1 || fixed) passed |= 1u << l;
    }
    if (!(passed & lanes)) return;
    for (int l = 0; l < W; ++l) time_[l] = g.t[l] + g.h[l];
    evaluate(time_.data(), g.y_new.data(), slope_new_.data());
    unsigned good = finite_lanes<W>(n_, slope_new_.data());
    for (int l = 0; l < W; ++l) {
      // A rejected lane keeps its error: whether others passed must not matter to it.
      if (passed & ~good & (1u << l)) g.error[l] = NAN;
      if (passed & lanes & (1u << l)) ++g.counters[l].f;
    }
  }

  const Program& program_;
  int n_;
  std::unique_ptr<LinearSolver> solver_;
  AlignedArray jacobian_, slope_, slope_new_, drift_, stage_, time_, inverse_, mass_;
  AlignedArray dense_, stages_;
  AlignedArray row_, row_change_, row_slow_;
  AlignedArray tolerance_;  // of the whole step
  const Kernel* whole_;     // null: not for this program
  bool dense_known_ = false;
  bool factored_ = false;  // the solver has the matrix of the step just tried
  unsigned stale_ = 0;     // lanes whose Jacobian is of an older state
};

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
