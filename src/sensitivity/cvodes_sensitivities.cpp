// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/cvodes_sensitivities.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "ode/method_registry.h"

namespace stiffit::internal {

CvodesSensitivities::CvodesSensitivities(const SensitivityProblem& problem,
                                         const SensitivityRequest& request)
    : problem_(problem),
      count_(request.directions.size()),
      parameters_(problem.problem.program->parameter_slots),
      derivatives_(problem),
      sizes_(count_, INFINITY),
      by_state_(problem.kernels.state.nonzeros()),
      by_parameter_(problem.kernels.parameter.nonzeros()),
      forces_(count_) {
  const Program& program = *problem.problem.program;
  if (program.hybrid)
    throw InputError(
        "error: CVODES gives sensitivities of smooth models only, without events, switches and "
        "algebraic equations; " +
        method_name(MethodRole::stiff) + " gives them of all\n");
  const std::vector<double>& values =
      request.run.parameters.empty() ? program.parameter_values : request.run.parameters;
  std::copy(values.begin(), values.end(), parameters_.data());
  double* prepare[1] = {parameters_.data()};
  program.prepare(prepare);
  derivatives_.set_parameters(parameters_.data());
  const SparseRows& rows = problem.kernels.parameter;
  for (std::size_t d = 0; d < count_; ++d) {
    for (auto& [parameter, shift] : request.directions[d].parameters) {
      if (values[parameter] != 0 && shift != 0)
        sizes_[d] = std::min(sizes_[d], std::fabs(values[parameter] / shift));
      for (int i = 0; i < rows.rows(); ++i)
        for (int e = rows.row_start[i]; e < rows.row_start[static_cast<std::size_t>(i) + 1]; ++e)
          if (rows.column[e] == parameter) forces_[d].push_back({i, e, shift});
    }
    if (std::isinf(sizes_[d])) sizes_[d] = 1;
  }
  start_from_parameters(request);
}

void CvodesSensitivities::start_from_parameters(const SensitivityRequest& request) {
  const Program& program = *problem_.problem.program;
  const std::size_t n = program.states;
  y_.assign(n, 0.0);
  s_.assign(n * count_, 0.0);
  if (!request.run.initial.empty()) {
    y_ = request.run.initial;
    for (std::size_t k = 0; k < request.initial.size(); ++k)
      s_[k % count_ * n + k / count_] = request.initial[k];
    return;
  }
  double* arrays[2] = {parameters_.data(), y_.data()};
  program.initial(arrays);
  const FunctionKernel& function = problem_.kernels.initial;
  std::vector<double> by_state(function.state.nonzeros()),
      by_parameter(function.parameter.nonzeros()), by_time(n);
  double time = request.run.start;
  double* derivative[6] = {&time,           y_.data(),           derivatives_.parameters(),
                           by_state.data(), by_parameter.data(), by_time.data()};
  function.kernel(derivative);
  for (std::size_t d = 0; d < count_; ++d)
    for (auto& [parameter, shift] : request.directions[d].parameters)
      for (std::size_t i = 0; i < n; ++i)
        for (int e = function.parameter.row_start[i]; e < function.parameter.row_start[i + 1]; ++e)
          if (function.parameter.column[e] == parameter) s_[d * n + i] += by_parameter[e] * shift;
}

CvodesProblem CvodesSensitivities::callbacks() {
  CvodesProblem result;
  result.n = problem_.problem.program->states;
  result.pattern = &problem_.problem.program->pattern;
  result.rhs = rhs;
  result.jacobian = jacobian;
  result.directions = static_cast<int>(count_);
  result.sensitivity_rhs = sensitivity_rhs;
  result.context = this;
  return result;
}

void CvodesSensitivities::rhs(void* self, double t, const double* y, double* f) {
  auto& me = *static_cast<CvodesSensitivities*>(self);
  double* arrays[4] = {&t, const_cast<double*>(y), me.parameters_.data(), f};
  me.problem_.problem.program->rhs(arrays);
}

void CvodesSensitivities::jacobian(void* self, double t, const double* y, double* values) {
  auto& me = *static_cast<CvodesSensitivities*>(self);
  double* arrays[4] = {&t, const_cast<double*>(y), me.parameters_.data(), values};
  me.problem_.problem.program->jacobian(arrays);
}

void CvodesSensitivities::sensitivity_rhs(void* self, double t, const double* y,
                                          const double* const* s, double* const* out) {
  auto& me = *static_cast<CvodesSensitivities*>(self);
  me.derivatives_.differentiate(t, y, me.by_state_.data(), me.by_parameter_.data());
  const SparseRows& rows = me.problem_.kernels.state;
  for (std::size_t d = 0; d < me.count_; ++d) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows.rows()); ++i) {
      double sum = 0;
      for (int e = rows.row_start[i]; e < rows.row_start[i + 1]; ++e)
        sum += me.by_state_[e] * s[d][rows.column[e]];
      out[d][i] = sum;
    }
    for (const Force& force : me.forces_[d])
      out[d][force.row] += force.shift * me.by_parameter_[force.entry];
  }
}

namespace {

// The absolute tolerances that scaled ones come to over the whole run.
std::vector<double> absolute_tolerances(const SensitivityProblem& problem, const Request& request,
                                        const IntegrationOptions& options) {
  const std::size_t n = problem.kernels.states;
  if (options.atol >= 0) return std::vector<double>(n, options.atol);
  IntegrationOptions first = options;
  first.method = method_name(MethodRole::stiff);
  const Trajectory run = simulate(problem.problem, request, first);
  std::vector<double> result(n, 1e-300);
  for (std::size_t k = 0; k < run.states.size(); ++k)
    result[k % n] =
        std::fmax(result[k % n], options.rtol * options.scaled_atol * std::fabs(run.states[k]));
  return result;
}

struct Sink {
  const CvodesRunner* runner;
  std::size_t n, count;
  SensitivityTrajectory* result;
};

void take_row(void* context, std::size_t row, double, const double* y) {
  auto& sink = *static_cast<Sink*>(context);
  std::copy_n(y, sink.n, sink.result->trajectory.states.data() + row * sink.n);
  for (std::size_t d = 0; d < sink.count; ++d)
    for (std::size_t i = 0; i < sink.n; ++i)
      sink.result->sensitivities[(row * sink.n + i) * sink.count + d] =
          sink.runner->sensitivity(static_cast<int>(d))[i];
}

Status status_of(CvodesStatus status) {
  switch (status) {
    case CvodesStatus::done:
      return Status::done;
    case CvodesStatus::too_many_steps:
      return Status::too_many_steps;
    case CvodesStatus::interrupted:
      return Status::interrupted;
    case CvodesStatus::rhs_failure:
      return Status::not_finite;
    default:
      return Status::step_too_small;
  }
}

}  // namespace

SensitivityTrajectory simulate_sensitivities_by_cvodes(const SensitivityProblem& problem,
                                                       const SensitivityRequest& request,
                                                       const SensitivityOptions& options) {
  CvodesSensitivities model(problem, request);
  const std::vector<double> atol = absolute_tolerances(problem, request.run, options.integration);
  CvodesOptions settings;
  settings.rtol = options.integration.rtol;
  settings.atol = atol.data();
  settings.max_steps = options.integration.max_steps;
  settings.interrupt = options.integration.interrupt;
  settings.sensitivity_sizes = model.sizes().data();
  settings.sensitivity_error_control = options.error_control;
  auto runner = make_cvodes_runner(model.callbacks(), settings);
  runner->set_sensitivities(model.start_sensitivities().data());
  const std::size_t n = problem.kernels.states;
  SensitivityTrajectory result;
  Sink sink{runner.get(), n, request.directions.size(), &result};
  const std::vector<double>& times = request.run.times;
  result.trajectory.states.assign(times.size() * n, NAN);
  result.sensitivities.assign(times.size() * n * sink.count, NAN);
  const CvodesOutcome outcome = runner->run(request.run.start, model.start().data(), times.data(),
                                            times.size(), take_row, &sink);
  result.trajectory.rows_reached = outcome.delivered;
  Outcome& told = result.trajectory.outcome;
  told.status = status_of(outcome.status);
  told.time = outcome.t;
  told.detail = outcome.message;
  told.counters.steps = outcome.counters.steps;
  told.counters.rejected = outcome.counters.rejected;
  told.counters.f = outcome.counters.rhs;
  told.counters.j = outcome.counters.jacobian;
  told.counters.lu = outcome.counters.factorisations;
  told.counters.newton = outcome.counters.newton_iterations;
  return result;
}

}  // namespace stiffit::internal
