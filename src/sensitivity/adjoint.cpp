// The adjoint: the trajectory is recorded, then walked backwards.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/diagnostic.h"
#include "ode/method_registry.h"
#include "sensitivity/adjoint_sweep.h"
#include "sensitivity/jump_rows.h"
#include "sensitivity/magnitudes.h"

namespace stiffit::internal {
namespace {

enum class Happened : unsigned char {
  step,        // a step was made: what it says follows
  accepted,    // its end is the new state
  landed,      // a state within is
  row_inside,  // a row of output within it
  row,         // a row of output: the state as it stood
  jump,        // an operation on derivatives
};

struct Moment {
  Happened what;
  std::size_t index = 0;  // of the step, row or jump
  double theta = 0;
};

class Recorder final : public JumpRecorder {
 public:
  explicit Recorder(const SensitivityProblem& problem)
      : JumpRecorder(problem), n_(problem.kernels.states) {}

  void begin(const LaneGroup& group) override {
    begin_jumps();
    parameters_changed(group.parameters.data());
  }
  double passed(const LaneGroup& group, const Stepper& stepper) override {
    // One that is tried again was taken out of the trajectory.
    if (!moments.empty() && moments.back().what == Happened::step) forget_step();
    moments.push_back({Happened::step, times.size(), 0});
    times.push_back(group.t[0]);
    sizes.push_back(group.h[0]);
    phases.push_back(parameter_sets.size() - 1);
    states.insert(states.end(), group.y.data(), group.y.data() + n_);
    for (int j = 0; j < rodas5p::stages; ++j) {
      const double* stage = stepper.stages() + j * stepper.stage_stride();
      states.insert(states.end(), stage, stage + n_);
    }
    return 0;
  }
  void accepted() override { moments.push_back({Happened::accepted, 0, 0}); }
  void landed(double theta) override { moments.push_back({Happened::landed, 0, theta}); }
  void output(std::size_t row, double theta) override {
    moments.push_back({Happened::row_inside, row, theta});
  }
  void output(std::size_t row) override {
    leave_frame();
    moments.push_back({Happened::row, row, 0});
  }

  const double* state(std::size_t step) const {
    return states.data() + step * (rodas5p::stages + 1) * n_;
  }
  const double* stages(std::size_t step) const { return state(step) + n_; }

  std::vector<Moment> moments;
  std::vector<double> times, sizes, states;  // states: [step][state, stages][n]
  std::vector<std::size_t> phases;           // of each step: which parameter set
  std::vector<std::vector<double>> parameter_sets;
  std::vector<JumpRow> jumps;

 protected:
  void apply(const JumpRow& row) override {
    moments.push_back({Happened::jump, jumps.size(), 0});
    jumps.push_back(row);
  }
  void parameters_changed(const double* values) override {
    parameter_sets.emplace_back(values, values + problem_.kernels.first_input);
  }

 private:
  void forget_step() {
    moments.pop_back();
    times.pop_back();
    sizes.pop_back();
    phases.pop_back();
    states.resize(states.size() - (rodas5p::stages + 1) * n_);
  }
  std::size_t n_;
};

class RecordedRun final : public AdjointRun {
 public:
  RecordedRun(const SensitivityProblem& problem, const Request& request,
              const IntegrationOptions& options)
      : problem_(problem),
        n_(problem.kernels.states),
        follows_initial_(request.initial.empty()),
        record_(problem),
        step_(problem),
        sweep_(problem),
        error_sweep_(problem) {
    record_.scale_by(StateMagnitudes(problem.problem).find(request, options));
    trajectory_ = simulate_observed(problem.problem, request, options, record_);
  }

  const Trajectory& trajectory() const override { return trajectory_; }

  void gradient(std::span<const double> weights, std::span<double> parameters,
                std::span<double> initial) override {
    if (weights.size() != trajectory_.states.size() || initial.size() != n_ ||
        parameters.size() != static_cast<std::size_t>(problem_.kernels.parameters))
      throw std::invalid_argument("AdjointRun::gradient: sizes do not fit the trajectory");
    std::fill(parameters.begin(), parameters.end(), 0.0);
    parameter_errors_.assign(parameters.size(), 0.0);
    slots_.assign(n_, 0.0);
    error_slots_.assign(n_, 0.0);
    std::size_t phase = record_.parameter_sets.size();
    for (std::size_t k = record_.moments.size(); k-- > 0;) {
      const Moment& m = record_.moments[k];
      const double* row = weights.data() + m.index * n_;  // if it is one
      switch (m.what) {
        case Happened::accepted:
          clear();
          sweep_.add_end(slots_.data());
          error_sweep_.add_end(error_slots_.data());
          error_sweep_.add_error(slots_.data());
          break;
        case Happened::landed:
          clear();
          sweep_.add_inside(m.theta, slots_.data());
          error_sweep_.add_inside(m.theta, error_slots_.data());
          error_sweep_.add_error(slots_.data());
          break;
        case Happened::row_inside:
          sweep_.add_inside(m.theta, row);
          error_sweep_.add_error(row);
          break;
        case Happened::row:
          for (std::size_t i = 0; i < n_; ++i) slots_[i] += row[i];
          break;
        case Happened::jump:
          transpose(record_.jumps[m.index], slots_, parameters);
          transpose(record_.jumps[m.index], error_slots_, parameter_errors_);
          break;
        case Happened::step:
          if (record_.phases[m.index] != phase) {
            phase = record_.phases[m.index];
            step_.set_parameters(record_.parameter_sets[phase].data());
          }
          step_.evaluate(record_.times[m.index], record_.sizes[m.index], record_.state(m.index),
                         record_.stages(m.index), n_);
          if (sweep_.factor(step_)) {
            sweep_.run(step_, sweep_, slots_.data(), parameters);
            error_sweep_.run(step_, sweep_, error_slots_.data(), parameter_errors_);
          } else {
            std::fill(slots_.begin(), slots_.end(), NAN);
          }
      }
    }
    std::copy_n(slots_.begin(), n_, initial.begin());
    if (follows_initial_) {
      follow_initial(slots_, parameters);
      follow_initial(error_slots_, parameter_errors_);
    }
  }

  void errors(std::span<double> parameters, std::span<double> initial) const override {
    std::copy_n(parameter_errors_.begin(), parameters.size(), parameters.begin());
    std::copy_n(error_slots_.begin(), n_, initial.begin());
  }

 private:
  void clear() {
    sweep_.clear();
    error_sweep_.clear();
  }
  static void transpose(const JumpRow& row, std::vector<double>& slots,
                        std::span<double> parameters) {
    const double weight = slot(slots, row.target);
    slot(slots, row.target) = 0;
    if (weight == 0) return;
    for (auto& [from, factor] : row.slots) slot(slots, from) += factor * weight;
    for (auto& [parameter, factor] : row.parameters) parameters[parameter] += factor * weight;
  }
  static double& slot(std::vector<double>& slots, int index) {
    const std::size_t k = index;
    if (k >= slots.size()) slots.resize(k + 1, 0.0);
    return slots[k];
  }

  void follow_initial(const std::vector<double>& slots, std::span<double> parameters) {
    const FunctionKernel& function = problem_.kernels.initial;
    step_.set_parameters(record_.parameter_sets.front().data());
    double time = 0;
    std::vector<double> y(n_), by_state(function.state.nonzeros()),
        by_parameter(function.parameter.nonzeros()), by_time(n_);
    double* arrays[6] = {
        &time, y.data(), step_.parameters(), by_state.data(), by_parameter.data(), by_time.data()};
    function.kernel(arrays);
    for (std::size_t i = 0; i < n_; ++i)
      for (int e = function.parameter.row_start[i]; e < function.parameter.row_start[i + 1]; ++e) {
        const std::size_t at = e;
        parameters[function.parameter.column[at]] += by_parameter[at] * slots[i];
      }
  }

  const SensitivityProblem& problem_;
  std::size_t n_;
  bool follows_initial_;
  Recorder record_;
  LinearisedStep step_;
  // The second carries what the steps' error estimates, with the weights that the first has at
  // their ends, say about states and parameters.
  AdjointSweep sweep_, error_sweep_;
  Trajectory trajectory_;
  std::vector<double> slots_, error_slots_, parameter_errors_;
};

}  // namespace

std::unique_ptr<AdjointRun> simulate_for_adjoint(const SensitivityProblem& problem,
                                                 const Request& request,
                                                 const IntegrationOptions& options) {
  IntegrationOptions integration = options;
  const MethodEntry* method = find_method(options.method);
  if (!method || !method->adjoint)
    throw InputError("error: method '" + options.method + "' has no adjoint sensitivities; " +
                     methods_listed([](const MethodEntry& m) { return m.adjoint; }) + " has\n");
  integration.method = differentiated(*method).info.name;
  return std::make_unique<RecordedRun>(problem, request, integration);
}

}  // namespace stiffit::internal
