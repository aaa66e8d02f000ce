// SPDX-License-Identifier: Apache-2.0
#include "cvodes_gradients.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ode/events/event_handler.h"
#include "sensitivity/linearised_step.h"

namespace stiffit::internal::benchmark {
namespace {

// One experiment's period: callbacks, and memory of CVODES for its directions.
class Period {
 public:
  Period(const SensitivityProblem& problem, const SensitivityRequest& request,
         const std::vector<double>& largest, const CvodesGradientOptions& options)
      : problem_(problem),
        program_(*problem.problem.program),
        n_(std::size_t(program_.states)),
        count_(request.directions.size()),
        parameters_(std::size_t(program_.parameter_slots)),
        derivatives_(problem),
        by_state_(problem.kernels.state.nonzeros()),
        by_parameter_(problem.kernels.parameter.nonzeros()),
        start_(n_ * count_),
        forces_(count_),
        atol_(n_),
        options_(options) {
    if (program_.hybrid) {
      if (!program_.hybrid->events.empty() || !program_.mass.empty())
        throw std::invalid_argument("switches of the clock only");
      for (const Mode& mode : program_.hybrid->modes)
        if (!mode.clock) throw std::invalid_argument("switches of the clock only");
      switching_ = std::make_unique<Switching>(program_, 1);
    }
    const double top = *std::max_element(largest.begin(), largest.end());
    for (std::size_t i = 0; i < n_; ++i)
      atol_[i] = options.scale * options.rtol * (largest[i] > 0 ? largest[i] : top);
  }

  bool run(const SensitivityRequest& request, SensitivityTrajectory& result, long& steps) {
    load(request);
    if (!runner_) make_runner();
    const std::vector<double>& times = request.run.times;
    result.trajectory.states.resize(times.size() * n_);
    result.sensitivities.resize(times.size() * n_ * count_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t d = 0; d < count_; ++d)
        start_[d * n_ + i] = request.initial.empty() ? 0 : request.initial[i * count_ + d];
    result_ = &result;
    first_ = 0;
    y_ = request.run.initial;
    double t = request.run.start;
    if (switching_) begin_switching(t, times.back());
    for (;;) {
      // Up to the next switch, whose moment does not move with the unknowns.
      const double stop = switching_ ? switching_->stop() : INFINITY;
      std::size_t last = first_;
      while (last < times.size() && times[last] <= stop) ++last;
      stretch_.assign(times.begin() + std::ptrdiff_t(first_), times.begin() + std::ptrdiff_t(last));
      rows_ = stretch_.size();
      const bool goes_on = last < times.size();
      if (goes_on && (stretch_.empty() || stretch_.back() < stop)) stretch_.push_back(stop);
      if (stretch_.empty()) return true;
      runner_->set_sensitivities(start_.data());
      const CvodesOutcome outcome = runner_->run(
          t, y_.data(), stretch_.data(), stretch_.size(),
          [](void* self, std::size_t row, double, const double* y) {
            static_cast<Period*>(self)->take(row, y);
          },
          this);
      steps += outcome.counters.steps;
      if (outcome.status != CvodesStatus::done) {
        result.trajectory.outcome.status = Status::step_too_small;
        result.trajectory.outcome.detail = outcome.message;
        return false;
      }
      if (!goes_on) break;
      first_ = last;
      t = stop;
      pass_switch(t);
    }
    result.trajectory.outcome.status = Status::done;
    result.trajectory.rows_reached = times.size();
    return true;
  }

 private:
  struct Force {
    int row, entry;
    double shift;
  };

  void load(const SensitivityRequest& request) {
    std::copy(request.run.parameters.begin(), request.run.parameters.end(), parameters_.data());
    double* prepare[1] = {parameters_.data()};
    program_.prepare(prepare);
    derivatives_.set_parameters(parameters_.data());
    if (!by_column_.empty() || count_ == 0) {
      for (std::size_t d = 0; d < count_; ++d) {
        std::size_t k = 0;
        for (auto& [parameter, shift] : request.directions[d].parameters)
          for (std::size_t e = 0; e < by_column_[std::size_t(parameter)].size(); ++e)
            forces_[d][k++].shift = shift;
      }
      return;
    }
    by_column_.resize(problem_.wanted.size());
    const SparseRows& rows = problem_.kernels.parameter;
    for (int i = 0; i < rows.rows(); ++i)
      for (int e = rows.row_start[std::size_t(i)]; e < rows.row_start[std::size_t(i) + 1]; ++e)
        by_column_[std::size_t(rows.column[std::size_t(e)])].push_back({i, e, 0});
    sizes_.assign(count_, INFINITY);
    for (std::size_t d = 0; d < count_; ++d) {
      for (auto& [parameter, shift] : request.directions[d].parameters) {
        const double value = request.run.parameters[std::size_t(parameter)];
        if (value != 0 && shift != 0) sizes_[d] = std::min(sizes_[d], std::fabs(value / shift));
        for (Force force : by_column_[std::size_t(parameter)]) {
          force.shift = shift;
          forces_[d].push_back(force);
        }
      }
      if (std::isinf(sizes_[d])) sizes_[d] = 1;
    }
  }

  void make_runner() {
    CvodesProblem p;
    p.n = int(n_);
    p.pattern = &program_.pattern;
    p.context = this;
    p.rhs = [](void* self, double t, const double* y, double* f) {
      auto* me = static_cast<Period*>(self);
      double* arrays[4] = {&t, const_cast<double*>(y), me->parameters_.data(), f};
      me->program_.rhs(arrays);
    };
    p.jacobian = [](void* self, double t, const double* y, double* values) {
      auto* me = static_cast<Period*>(self);
      double* arrays[4] = {&t, const_cast<double*>(y), me->parameters_.data(), values};
      me->program_.jacobian(arrays);
    };
    p.directions = int(count_);
    p.sensitivity_rhs = [](void* self, double t, const double* y, const double* const* s,
                           double* const* out) {
      static_cast<Period*>(self)->slopes(t, y, s, out);
    };
    CvodesOptions o;
    o.linear = options_.linear;
    o.rtol = options_.rtol;
    o.atol = atol_.data();
    o.sensitivity_sizes = sizes_.data();
    o.sensitivity_error_control = options_.error_control;
    o.max_steps = 100000;
    runner_ = options_.make(p, o);
  }

  // J and df/dp once for all directions, then one direction after the other.
  void slopes(double t, const double* y, const double* const* s, double* const* out) {
    derivatives_.differentiate(t, y, by_state_.data(), by_parameter_.data());
    const SparseRows& rows = problem_.kernels.state;
    const int *start = rows.row_start.data(), *column = rows.column.data();
    for (std::size_t d = 0; d < count_; ++d) {
      const double* from = s[d];
      double* to = out[d];
      for (std::size_t i = 0; i < n_; ++i) {
        double sum = 0;
        for (int e = start[i]; e < start[i + 1]; ++e)
          sum += by_state_[std::size_t(e)] * from[column[e]];
        to[i] = sum;
      }
      for (const Force& force : forces_[d])
        to[force.row] += force.shift * by_parameter_[std::size_t(force.entry)];
    }
  }

  void take(std::size_t row, const double* y) {
    if (row >= rows_) {  // the state at a switch
      y_.assign(y, y + n_);
      for (std::size_t d = 0; d < count_; ++d)
        std::copy_n(runner_->sensitivity(int(d)), n_, start_.data() + d * n_);
      return;
    }
    const std::size_t at = first_ + row;
    std::copy_n(y, n_, result_->trajectory.states.data() + at * n_);
    double* to = result_->sensitivities.data() + at * n_ * count_;
    for (std::size_t d = 0; d < count_; ++d) {
      const double* s = runner_->sensitivity(int(d));
      for (std::size_t i = 0; i < n_; ++i) to[i * count_ + d] = s[i];
    }
    if (row + 1 == stretch_.size()) {
      y_.assign(y, y + n_);
      for (std::size_t d = 0; d < count_; ++d)
        std::copy_n(runner_->sensitivity(int(d)), n_, start_.data() + d * n_);
    }
  }

  void begin_switching(double start, double end) {
    Switching& s = *switching_;
    s.y = y_;
    s.p.assign(parameters_.data(), parameters_.data() + parameters_.size());
    s.begin(start, end);
    s.depart();
    follow_modes();
  }

  void pass_switch(double t) {
    switching_->y = y_;
    switching_->arrive(t);
    switching_->depart();
    follow_modes();
  }

  void follow_modes() {
    std::copy_n(switching_->p.data(), std::size_t(program_.parameter_slots), parameters_.data());
    derivatives_.set_parameters(parameters_.data());
  }

  const SensitivityProblem& problem_;
  const Program& program_;
  std::size_t n_, count_, first_ = 0, rows_ = 0;
  AlignedArray parameters_;
  LinearisedStep derivatives_;
  std::vector<double> by_state_, by_parameter_, start_, y_, stretch_, sizes_;
  std::vector<std::vector<Force>> by_column_, forces_;
  std::vector<double> atol_;
  const CvodesGradientOptions& options_;
  std::unique_ptr<Switching> switching_;
  std::unique_ptr<CvodesRunner> runner_;
  SensitivityTrajectory* result_ = nullptr;
};

}  // namespace

struct CvodesGradients::Impl {
  LargestStates largest;
  CvodesGradientOptions options;
  std::vector<std::unique_ptr<Period>> periods;
  std::size_t next = 0;
  bool failed = false;
  long steps = 0;
};

CvodesGradients::CvodesGradients(const LargestStates& largest, const CvodesGradientOptions& options)
    : impl_(std::make_shared<Impl>(Impl{largest, options, {}, 0, false, 0})) {}
CvodesGradients::~CvodesGradients() = default;

void CvodesGradients::begin() {
  impl_->next = 0;
  impl_->failed = false;
  impl_->steps = 0;
}

long CvodesGradients::steps() const { return impl_->steps; }

std::unique_ptr<SensitivitySimulator> CvodesGradients::simulator(
    const SensitivityProblem& problem) {
  class Simulator final : public SensitivitySimulator {
   public:
    Simulator(const SensitivityProblem& p, std::shared_ptr<Impl> impl)
        : problem_(p), impl_(std::move(impl)) {}
    void run(const SensitivityRequest& request, const SensitivityOptions&,
             SensitivityTrajectory& result) override {
      Impl& in = *impl_;
      result.trajectory.outcome.status = Status::step_too_small;
      if (in.failed) return;  // a second try would be out of turn
      const std::size_t at = in.next++;
      if (at >= in.largest.size()) throw std::logic_error("more runs than were noted");
      if (at >= in.periods.size())
        in.periods.push_back(
            std::make_unique<Period>(problem_, request, in.largest[at], in.options));
      in.failed = !in.periods[at]->run(request, result, in.steps);
    }

   private:
    const SensitivityProblem& problem_;
    std::shared_ptr<Impl> impl_;
  };
  return std::make_unique<Simulator>(problem, impl_);
}

std::unique_ptr<SensitivitySimulator> noting_simulator(const SensitivityProblem& problem,
                                                       LargestStates& largest) {
  class Noting final : public SensitivitySimulator {
   public:
    Noting(const SensitivityProblem& p, LargestStates& l)
        : n_(std::size_t(p.kernels.states)), own_(make_sensitivity_simulator(p)), largest_(l) {}
    void run(const SensitivityRequest& request, const SensitivityOptions& options,
             SensitivityTrajectory& result) override {
      own_->run(request, options, result);
      std::vector<double> most(n_, 0.0);
      const auto note = [&](const std::vector<double>& states) {
        for (std::size_t k = 0; k < states.size(); ++k)
          most[k % n_] = std::max(most[k % n_], std::fabs(states[k]));
      };
      note(request.run.initial);
      note(result.trajectory.states);
      largest_.push_back(std::move(most));
    }

   private:
    std::size_t n_;
    std::unique_ptr<SensitivitySimulator> own_;
    LargestStates& largest_;
  };
  return std::make_unique<Noting>(problem, largest);
}

}  // namespace stiffit::internal::benchmark
