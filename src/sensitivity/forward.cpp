// Forward sensitivities: every step that passes is differentiated at once.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "base/diagnostic.h"
#include "ode/method_registry.h"
#include "sensitivity/bdf_tangents.h"
#include "sensitivity/dirk_tangents.h"
#include "sensitivity/jump_rows.h"
#include "sensitivity/magnitudes.h"
#include "sensitivity/tangents.h"

namespace stiffit::internal {
namespace {

class ForwardRun final : public JumpRecorder {
 public:
  ForwardRun(const SensitivityProblem& problem, const SensitivityRequest& request,
             const SensitivityOptions& options, LinearisedStep& step, Tangents& tangents,
             BdfTangents* bdf, DirkTangents* dirk, std::vector<double>& result)
      : JumpRecorder(problem),
        request_(request),
        options_(options),
        step_(step),
        tangents_(&tangents),
        bdf_(bdf),
        dirk_(dirk),
        n_(static_cast<std::size_t>(problem.kernels.states)),
        count_(request.directions.size()),
        absolute_(n_),
        result_(result) {
    tangents_->begin(request.directions);
    result_.assign(request.run.times.size() * n_ * count_, NAN);
  }

  void begin(const LaneGroup& group) override {
    begin_jumps();
    if (bdf_) bdf_->attach(group);
    step_.set_parameters(group.parameters.data());
    find_sizes(group.parameters.data());
    if (request_.run.initial.empty())
      start_from_parameters(group);
    else
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t d = 0; d < count_; ++d)
          tangents_->s(i, d) = request_.initial.empty() ? 0 : request_.initial[i * count_ + d];
  }

  double passed(const LaneGroup& group, const Stepper& stepper) override {
    if (dirk_)
      dirk_->see(group, stepper);
    else if (!bdf_)
      step_.evaluate(group.t[0], group.h[0], group.y.data(), stepper.stages(),
                     stepper.stage_stride());
    if (!tangents_->step(step_) || !tangents_->finite()) return not_finite(group);
    trouble_.clear();
    if (!options_.error_control) return 0;
    for (std::size_t i = 0; i < n_; ++i)
      absolute_[i] =
          group.scaled_tolerance()
              ? group.options.rtol * group.relative_floor() * group.largest[i] + group.absolute(0)
              : group.options.atol;
    return tangents_->error(
        {group.options.rtol, group.relative_floor(), absolute_.data(), inverse_sizes_.data()});
  }
  AugmentedNordsieck* augmented() override { return bdf_; }
  void restarted(const LaneGroup& group) override {
    if (dirk_) dirk_->begin_again(group);
  }
  void accepted() override { tangents_->accept(); }
  void landed(double theta) override { tangents_->land(theta); }

  void output(std::size_t row, double theta) override { tangents_->write(theta, result(row)); }
  void output(std::size_t row) override {
    leave_frame();
    tangents_->write(result(row));
  }

 protected:
  void apply(const JumpRow& row) override {
    std::vector<double> sum(count_, 0.0);
    for (auto& [slot, factor] : row.slots)
      for (std::size_t d = 0; d < count_; ++d) sum[d] += factor * at(slot, d);
    for (auto& [parameter, factor] : row.parameters)
      for (std::size_t d = 0; d < count_; ++d)
        sum[d] += factor * tangents_->shift(static_cast<std::size_t>(parameter), d);
    for (std::size_t d = 0; d < count_; ++d) at(row.target, d) = sum[d];
  }
  void parameters_changed(const double* parameters) override { step_.set_parameters(parameters); }

 private:
  double* result(std::size_t row) { return result_.data() + row * n_ * count_; }
  double& at(int slot, std::size_t d) {
    const std::size_t k = slot;
    if (k < n_) return tangents_->s(k, d);
    if ((k - n_ + 1) * count_ > extra_.size()) extra_.resize((k - n_ + 1) * count_, 0.0);
    return extra_[(k - n_) * count_ + d];
  }

  void start_from_parameters(const LaneGroup& group) {
    const FunctionKernel& function = problem_.kernels.initial;
    std::vector<double> by_state(function.state.nonzeros()),
        by_parameter(function.parameter.nonzeros()), by_time(n_);
    double* arrays[6] = {const_cast<double*>(group.t.data()),
                         const_cast<double*>(group.y.data()),
                         step_.parameters(),
                         by_state.data(),
                         by_parameter.data(),
                         by_time.data()};
    function.kernel(arrays);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t d = 0; d < count_; ++d) {
        double sum = 0;
        for (int e = function.parameter.row_start[i]; e < function.parameter.row_start[i + 1]; ++e)
          sum += by_parameter[e] *
                 tangents_->shift(static_cast<std::size_t>(function.parameter.column[e]), d);
        tangents_->s(i, d) = sum;
      }
  }

  // The step is tried again with another size; if that does not help, this is why.
  double not_finite(const LaneGroup& group) {
    trouble_ = "a sensitivity is not finite";
    std::vector<double> by_state(problem_.kernels.state.nonzeros()),
        by_parameter(problem_.kernels.parameter.nonzeros());
    step_.differentiate(group.t[0], group.y.data(), by_state.data(), by_parameter.data());
    const SparseRows& rows = problem_.kernels.parameter;
    for (std::size_t i = 0; i < n_; ++i)
      for (int e = rows.row_start[i]; e < rows.row_start[i + 1]; ++e)
        if (!std::isfinite(by_parameter[e])) {
          trouble_ = "the rate of '" + problem_.problem.program->state_names[i] +
                     "' has no finite derivative by '" + problem_.parameter_names[rows.column[e]] +
                     "'";
          return NAN;
        }
    return NAN;
  }

  // What a change of theta by one means, in units of the parameters it moves: derivatives below the
  // tolerance of the states, over this, do not matter.
  void find_sizes(const double* parameters) {
    inverse_sizes_ = AlignedArray(tangents_->padded_directions());
    for (std::size_t d = 0; d < count_; ++d) {
      double size = INFINITY;
      for (auto& [parameter, shift] : request_.directions[d].parameters)
        if (const double value = parameters[parameter]; value != 0 && shift != 0)
          size = std::min(size, std::fabs(value / shift));
      inverse_sizes_[d] = std::isinf(size) ? 1 : 1 / size;  // 1: nothing says what is small
    }
  }

  const SensitivityRequest& request_;
  const SensitivityOptions& options_;
  LinearisedStep& step_;
  Tangents* tangents_;
  BdfTangents* bdf_;    // of BDF: the same as tangents_
  DirkTangents* dirk_;  // of diagonally implicit methods, likewise
  std::size_t n_, count_;
  std::vector<double> absolute_, extra_;
  AlignedArray inverse_sizes_;
  std::vector<double>& result_;
};

class ForwardSimulator final : public SensitivitySimulator {
 public:
  explicit ForwardSimulator(const SensitivityProblem& problem)
      : problem_(problem), step_(problem), magnitudes_(problem.problem) {}

  void run(const SensitivityRequest& request, const SensitivityOptions& options,
           SensitivityTrajectory& result) override {
    const MethodEntry& entry = entry_for(options.integration);
    const std::string method(entry.info.name);
    std::unique_ptr<ObservedSimulator>& simulator = simulators_[method];
    if (!simulator) {
      IntegrationOptions chosen = options.integration;
      chosen.method = method;
      simulator = std::make_unique<ObservedSimulator>(problem_.problem, chosen);
    }
    simulator->options() = options.integration;
    simulator->options().method = method;
    Memory& memory = memory_for(request.directions.size(), entry);
    ForwardRun run(problem_, request, options, step_, *memory.tangents, memory.bdf, memory.dirk,
                   result.sensitivities);
    run.scale_by(magnitudes_.find(request.run, options.integration));
    simulator->run(request.run, run, result.trajectory);
  }

 private:
  struct Memory {
    std::unique_ptr<Tangents> tangents;
    BdfTangents* bdf = nullptr;
    DirkTangents* dirk = nullptr;
  };
  const MethodEntry& entry_for(const IntegrationOptions& options) const {
    const MethodEntry* asked = find_method(options.method);
    if (!asked || !asked->gives_sensitivities())
      throw InputError("error: method '" + options.method + "' gives no sensitivities; " +
                       methods_with_sensitivities() + " do\n");
    const MethodEntry& entry = differentiated(*asked);
    if (!entry.algebraic_equations && !problem_.problem.program->mass.empty())
      throw InputError("error: method '" + options.method + "' cannot solve algebraic equations; " +
                       method_name(MethodRole::stiff) + " can\n");
    return entry;
  }
  Memory& memory_for(std::size_t directions, const MethodEntry& method) {
    Memory& memory = memories_[{directions, &method}];
    if (memory.tangents) return memory;
    if (method.sensitivities == Sensitivities::diagonally_implicit) {
      auto made = make_dirk_tangents(problem_, directions, step_, *method.tableau);
      memory.dirk = made.get();
      memory.tangents = std::move(made);
    } else if (method.sensitivities == Sensitivities::multistep) {
      auto made = make_bdf_tangents(problem_, directions, step_);
      memory.bdf = made.get();
      memory.tangents = std::move(made);
    } else {
      memory.tangents = make_tangents(problem_, directions);
    }
    return memory;
  }

  const SensitivityProblem& problem_;
  LinearisedStep step_;
  StateMagnitudes magnitudes_;
  std::map<std::string, std::unique_ptr<ObservedSimulator>> simulators_;  // by method
  std::map<std::pair<std::size_t, const MethodEntry*>, Memory> memories_;
};

}  // namespace

std::unique_ptr<SensitivitySimulator> make_sensitivity_simulator(
    const SensitivityProblem& problem) {
  return std::make_unique<ForwardSimulator>(problem);
}

SensitivityTrajectory simulate_sensitivities(const SensitivityProblem& problem,
                                             const SensitivityRequest& request,
                                             const SensitivityOptions& options) {
  SensitivityTrajectory result;
  ForwardSimulator(problem).run(request, options, result);
  fill_outputs(problem.problem, request.run, result.trajectory);
  return result;
}

}  // namespace stiffit::internal
