// CVODES of SUNDIALS as one of the methods. It controls its own error and step: an attempt is one
// step of CVODES, which passes unless CVODES gives up; what the driver wants is told as a bound.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ode/method_registry.h"
#include "ode/methods/cvodes/cvodes_runner.h"

namespace stiffit::internal {
namespace {

// A matrix larger than this and sparser than a quarter goes to KLU.
constexpr int largest_dense = 20;

class CvodesStepper final : public Stepper {
 public:
  explicit CvodesStepper(LaneGroup& group)
      : Stepper(group),
        program_(*group.problem.program),
        slope_(static_cast<std::size_t>(group.n)),
        unit_(static_cast<std::size_t>(group.n)),
        state_(static_cast<std::size_t>(group.n)),
        runner_(make_runner()) {
    unit_.fill(1);
  }

  void start(LaneMask) override {
    slope_is_current_ = false;
    const double* f = slope();
    const bool finite = std::all_of(f, f + group_.n, [](double x) { return std::isfinite(x); });
    group_.error[0] = finite ? 0 : NAN;
    begin(group_.t[0], group_.y.data());
  }

  const double* slope() const override {
    if (!slope_is_current_) evaluate(group_.t[0], group_.y.data(), slope_.data(), false);
    slope_is_current_ = true;
    return slope_.data();
  }

  void attempt(LaneMask) override {
    const double t = group_.t[0];
    const double stop = std::min(group_.bound[0], group_.end[0]);
    hop_ = !runner_ || stop - t <= nearby * std::fabs(t);
    if (hop_) {  // CVODES refuses to start so near to an end, and without equations
      group_.h[0] = stop - t;
      interpolate(0, 1, group_.y_new.data());
      group_.error[0] = 0;
      return;
    }
    double reached = t;
    const CvodesStatus status =
        runner_->step(group_.bound[0], group_.end[0], &reached, group_.y_new.data());
    from_units(group_.y_new.data());
    count();
    if (status != CvodesStatus::done) {
      group_.error[0] = status == CvodesStatus::rhs_failure ? NAN : unacceptable;
      return;
    }
    group_.error[0] = 0;
    group_.h[0] = reached - t;
  }

  void interpolate(int, double theta, double* out) override {
    if (hop_) {
      const double* f = slope();
      for (int i = 0; i < group_.n; ++i) out[i] = group_.y[i] + theta * group_.h[0] * f[i];
      return;
    }
    runner_->interpolate(group_.t[0] + theta * group_.h[0], out);
    from_units(out);
  }

  void accept(LaneMask) override {
    group_.y.swap(group_.y_new);
    slope_is_current_ = false;
    if (!hop_ || !runner_) return;
    begin(group_.t[0] + group_.h[0], group_.y.data());
  }

  bool retries() const override { return false; }
  int control_order() const override { return 1; }

  double next_step(int, bool accepted) override {
    return !accepted ? -1 : runner_ ? runner_->next_size() : 0;
  }

 private:
  static constexpr double unacceptable = 2;  // an error above 1
  static constexpr double nothing = 1e-280;  // of a tolerance: the state has no scale yet
  // Times as exact where a power of a state may vanish: a step beyond that cannot be taken back.
  static constexpr double without_retry = 10;
  static constexpr double units_apart = 1e8;
  static constexpr double nearby = 1e-13;  // of the time: a few hundred roundings

  std::unique_ptr<CvodesRunner> make_runner() {
    if (program_.states == 0) return nullptr;
    CvodesProblem p;
    p.n = program_.states;
    p.pattern = &program_.pattern;
    p.context = this;
    p.rhs = [](void* self, double t, const double* y, double* f) {
      static_cast<CvodesStepper*>(self)->rhs_in_units(t, y, f);
    };
    p.jacobian = [](void* self, double t, const double* y, double* values) {
      static_cast<CvodesStepper*>(self)->jacobian_in_units(t, y, values);
    };
    CvodesOptions o;
    const double n = program_.states;
    const bool sparse =
        program_.states > largest_dense && program_.pattern.nonzeros() < 0.25 * n * n;
    o.linear = sparse ? CvodesLinear::klu : CvodesLinear::dense;
    o.rtol = group_.options.rtol;
    o.weights = [](void* self, const double*, double* w) {
      static_cast<CvodesStepper*>(self)->weigh(w);
    };
    o.initial_step = group_.options.initial_step;
    o.max_step = std::isfinite(group_.options.max_step) ? group_.options.max_step : 0;
    o.max_order = group_.options.max_order;
    return make_cvodes_runner(p, o);
  }

  // CVODES is given states that differ much in size each in a unit of its own, a power of two near
  // its tolerance: the pivots of its matrices are chosen by size.
  void begin(double t, const double* y) {
    counted_ = {};
    if (!runner_) return;
    double least = INFINITY, most = 0;
    for (std::size_t i = 0; i < unit_.size(); ++i)
      if (const double w = group_.weight(static_cast<int>(i), 0); w > nothing) {
        least = std::min(least, w);
        most = std::max(most, w);
      }
    const bool alike = !(most > units_apart * least);
    for (std::size_t i = 0; i < unit_.size(); ++i) {
      const double w = group_.weight(static_cast<int>(i), 0);
      unit_[i] = !alike && w > nothing ? std::scalbn(1.0, std::ilogb(w)) : 1;
      state_[i] = y[i] / unit_[i];
    }
    runner_->begin(t, state_.data());
  }
  void from_units(double* y) const {
    for (std::size_t i = 0; i < unit_.size(); ++i) y[i] *= unit_[i];
  }
  void to_states(const double* y) const {
    for (std::size_t i = 0; i < unit_.size(); ++i) state_[i] = y[i] * unit_[i];
  }
  void rhs_in_units(double t, const double* y, double* f) const {
    to_states(y);
    evaluate(t, state_.data(), f, false);
    for (std::size_t i = 0; i < unit_.size(); ++i) f[i] /= unit_[i];
  }
  void jacobian_in_units(double t, const double* y, double* values) const {
    to_states(y);
    evaluate(t, state_.data(), values, true);
    const Sparsity& pattern = program_.pattern;
    for (std::size_t j = 0; j < unit_.size(); ++j)
      for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
        const std::size_t e = p;
        values[e] *= unit_[j] / unit_[pattern.row[e]];
      }
  }

  void evaluate(double t, const double* y, double* out, bool jacobian) const {
    LaneGroup& g = group_;
    if (g.inputs) g.inputs->fill(t, y, g.parameters.data());
    double* arrays[4] = {&t, const_cast<double*>(y), g.parameters.data(), out};
    jacobian ? program_.jacobian(arrays) : program_.rhs(arrays);
    ++(jacobian ? g.counters[0].j : g.counters[0].f);
  }

  // The same error weights as our own methods use. CVODES asks for them where it stands before a
  // step: at the lane's y.
  void weigh(double* w) const {
    const double times = program_.vanishing.empty() ? 1 : without_retry;
    for (std::size_t i = 0; i < unit_.size(); ++i)
      w[i] = times * unit_[i] / group_.weight(static_cast<int>(i), 0);
  }

  // What only CVODES knows; it counts from the last start.
  void count() {
    const CvodesCounters now = runner_->counters();
    Counters& c = group_.counters[0];
    c.rejected += now.rejected - counted_.rejected;
    c.lu += now.factorisations - counted_.factorisations;
    c.newton += now.newton_iterations - counted_.newton_iterations;
    counted_ = now;
  }

  const Program& program_;
  mutable AlignedArray slope_;  // f at the lane's state, if current
  mutable bool slope_is_current_ = false;
  AlignedArray unit_;
  mutable AlignedArray state_;
  std::unique_ptr<CvodesRunner> runner_;  // null: there is nothing to integrate
  CvodesCounters counted_;
  bool hop_ = false;  // the step just tried is a straight line to an end within rounding
};

}  // namespace

std::unique_ptr<Stepper> make_cvodes(LaneGroup& group) {
  return std::make_unique<CvodesStepper>(group);
}

}  // namespace stiffit::internal
