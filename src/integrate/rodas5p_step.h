// One step of Rodas5P on every lane. Included once per instruction set; no include guard.
// SPDX-License-Identifier: Apache-2.0

namespace stiffit::STIFFIT_ISA_NAMESPACE {

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
        mass_(program_.mass.empty() ? 0 : size()) {
    for (auto& k : k_) k = AlignedArray(size());
    for (std::size_t i = 0; i < program_.mass.size(); ++i)
      for (std::size_t l = 0; l < W; ++l) mass_[i * W + l] = program_.mass[i];
  }

  void start(LaneMask lanes) override {
    evaluate(group_.t.data(), group_.y.data(), slope_new_.data());
    unsigned good = finite_lanes<W>(n_, slope_new_.data());
    copy_lanes<W>(n_, lanes, slope_.data(), slope_new_.data());
    for (int l = 0; l < W; ++l)
      if (lanes >> l & 1) {
        group_.error[l] = good >> l & 1 ? 0 : NAN;
        ++group_.counters[l].f;
      }
    stale_ |= lanes;
  }

  const double* slope() const override { return slope_.data(); }
  int control_order() const override { return 5; }

  void attempt(LaneMask lanes) override {
    LaneGroup& g = group_;
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
    run_stages();
    judge(lanes, singular);
  }

  void interpolate(int lane, double theta, double* out) override {
    const double* y = group_.y.data();
    const double* y_new = group_.y_new.data();
    for (int i = 0; i < n_; ++i) {
      int at = i * W + lane;
      double d[3] = {0, 0, 0};
      for (int m = 0; m < 3; ++m)
        for (int j = 0; j < rodas5p::stages; ++j) d[m] += rodas5p::dense[m][j] * k_[j][at];
      out[i] = (1 - theta) * y[at] +
               theta * (y_new[at] + (1 - theta) * (d[0] + theta * (d[1] + theta * d[2])));
    }
  }

  void accept(LaneMask lanes) override {
    if (lanes == (1u << W) - 1) {
      group_.y.swap(group_.y_new);
      slope_.swap(slope_new_);
    } else {
      copy_lanes<W>(n_, lanes, group_.y.data(), group_.y_new.data());
      copy_lanes<W>(n_, lanes, slope_.data(), slope_new_.data());
    }
    stale_ |= lanes;
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(n_) * W; }

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
    for (int k = 1; k <= 2; ++k) {
      time_[0] = t + k * step;
      evaluate(time_.data(), group_.y.data(), k_[k].data());
      ++group_.counters[0].f;
    }
    for (int i = 0; i < n_ * W; ++i)
      drift_[i] = (4 * k_[1][i] - k_[2][i] - 3 * slope_[i]) / (2 * step);
  }

  // k_i from stage_ = the right-hand side f(...) of the stage.
  template <int I>
  void finish_stage(const double* f) {
    double* k = k_[I].data();
    const long count = chunks<W>(n_);
    PerLane<W> inverse(inverse_.data());
    const bool drift = (!program_.autonomous || group_.inputs) && rodas5p::slope[I] != 0;
    const bool algebraic = !program_.mass.empty();
    PerLane<W> h(group_.h.data());
    for (long c = 0; c < count; ++c) {
      Vector sum{};
      for (int j = 0; j < I; ++j) sum += rodas5p::c[I][j] * at(k_[j].data(), c);
      if (algebraic) sum *= at(mass_.data(), c);
      Vector right = at(f, c) + sum * inverse.of(c);
      if (drift) right += rodas5p::slope[I] * h.of(c) * at(drift_.data(), c);
      at(k, c) = right;
    }
    solver_->solve(k);
  }

  template <int I>
  void stage_at(const double* y) {
    for (int l = 0; l < W; ++l) time_[l] = group_.t[l] + rodas5p::node[I] * group_.h[l];
    evaluate(time_.data(), y, k_[I].data());
    finish_stage<I>(k_[I].data());
  }

  template <int I>
  void stage() {
    const double* k[I];
    for (int j = 0; j < I; ++j) k[j] = k_[j].data();
    combine<I>(chunks<W>(n_), stage_.data(), group_.y.data(), k, rodas5p::a[I]);
    stage_at<I>(stage_.data());
  }

  void add(double* out, const double* x, const double* k) {
    for (long c = 0; c < chunks<W>(n_); ++c) at(out, c) = at(x, c) + at(k, c);
  }

  void run_stages() {
    finish_stage<0>(slope_.data());
    stage<1>();
    stage<2>();
    stage<3>();
    stage<4>();
    stage<5>();
    double* next = group_.y_new.data();
    add(next, stage_.data(), k_[5].data());
    stage_at<6>(next);
    add(next, next, k_[6].data());
    stage_at<7>(next);
    add(next, next, k_[7].data());
  }

  void judge(LaneMask lanes, unsigned singular) {
    LaneGroup& g = group_;
    alignas(64) double slack[W];
    for (int l = 0; l < W; ++l) slack[l] = g.absolute(l);
    error_norm<W>(n_, k_[7].data(), g.y.data(), g.y_new.data(), g.largest.data(), g.options.rtol,
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
  AlignedArray k_[rodas5p::stages];
  unsigned stale_ = 0;  // lanes whose Jacobian is of an older state
};

}  // namespace stiffit::STIFFIT_ISA_NAMESPACE
