// SPDX-License-Identifier: Apache-2.0
#include "sensitivity_trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "symbolic/system_builder.h"

namespace stiffit::internal {

SensitivityTrial::SensitivityTrial(ResolvedSystem resolved, std::vector<double> times,
                                   const std::vector<std::string>& wanted)
    : model(compile_model(std::move(resolved))) {
  System& system = model.resolved.system;
  problem = make_sensitivity_problem(system, model.problem);
  request.run = model.request(std::move(times));
  request.run.start = system.start_time;
  for (std::size_t i = 0; i < system.parameters.size(); ++i) {
    const SystemParameter& parameter = system.parameters[i];
    if (parameter.folded || std::isnan(parameter.value)) continue;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), parameter.name) == wanted.end())
      continue;
    request.directions.push_back({{{static_cast<int>(i), 1.0}}});
    names.push_back(parameter.name);
  }
}

SensitivityTrajectory SensitivityTrial::forward(double rtol, const std::string& method,
                                                bool error_control) const {
  SensitivityOptions options;
  options.integration.method = method;
  options.integration.rtol = rtol;
  options.error_control = error_control;
  SensitivityTrajectory result = simulate_sensitivities(*problem, request, options);
  EXPECT_EQ(result.trajectory.outcome.status, Status::done)
      << describe(result.trajectory.outcome, model.program().state_names);
  return result;
}

double SensitivityTrial::adjoint_distance(double rtol) const {
  const SensitivityTrajectory run = forward(rtol);
  const auto n = static_cast<std::size_t>(model.program().states);
  const std::size_t count = request.directions.size(), rows = request.run.times.size();
  std::vector<double> weights(rows * n),
      parameters(static_cast<std::size_t>(model.program().parameters)), initial(n);
  for (std::size_t k = 0; k < weights.size(); ++k)
    weights[k] = std::sin(1.0 + 2.3 * static_cast<double>(k));
  IntegrationOptions options;
  options.method = "rodas5p";
  options.rtol = rtol;
  auto adjoint = simulate_for_adjoint(*problem, request.run, options);
  EXPECT_EQ(adjoint->trajectory().states, run.trajectory.states);
  adjoint->gradient(weights, parameters, initial);
  // A direction that does nothing is nothing up to the rounding of the others.
  double overall = 0, worst = 0;
  for (std::size_t k = 0; k < run.sensitivities.size(); ++k)
    overall = std::max(overall, std::fabs(run.sensitivities[k]));
  for (std::size_t d = 0; d < count; ++d) {
    double sum = 0, largest = 1e-6 * overall;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double part = weights[k] * run.sensitivities[k * count + d];
      sum += part;
      largest = std::max(largest, std::fabs(part));
    }
    const auto index = static_cast<std::size_t>(request.directions[d].parameters.front().first);
    const double difference = std::fabs(parameters[index] - sum);
    const double share = difference == 0 ? 0 : difference / largest;
    if (!(share <= worst)) worst = share;
  }
  return worst;
}

std::vector<double> SensitivityTrial::differences(double rtol) const {
  IntegrationOptions options;
  options.method = "rodas5p";
  options.rtol = rtol;
  const std::size_t count = request.directions.size();
  const std::vector<double> values = model.parameters({});
  std::vector<double> result;
  for (std::size_t d = 0; d < count; ++d) {
    const auto index = static_cast<std::size_t>(request.directions[d].parameters.front().first);
    // A value of zero is most often one that must not become negative.
    const bool zero = values[index] == 0;
    const double step = zero ? zero_step : 2e-4 * std::fabs(values[index]);
    std::vector<double> sum;
    const double central[5] = {1, -8, 0, 8, -1}, onward[5] = {-25, 48, -36, 16, -3};
    for (int k = 0; k < 5; ++k) {
      const double weight = zero ? onward[k] : central[k];
      if (weight == 0) continue;
      Request run = request.run;
      run.parameters = values;
      run.parameters[index] += (zero ? k : k - 2) * step;
      Trajectory trajectory = simulate(model.problem, run, options);
      EXPECT_EQ(trajectory.outcome.status, Status::done);
      sum.resize(trajectory.states.size(), 0.0);
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += weight * trajectory.states[i] / (12 * step);
    }
    result.resize(sum.size() * count);
    for (std::size_t i = 0; i < sum.size(); ++i) result[i * count + d] = sum[i];
  }
  return result;
}

double SensitivityTrial::distance(const std::vector<double>& a,
                                  const std::vector<double>& b) const {
  EXPECT_EQ(a.size(), b.size());
  const std::size_t count = request.directions.size();
  const auto n = static_cast<std::size_t>(model.program().states);
  const std::size_t rows = count && n ? a.size() / (n * count) : 0;
  const std::vector<double> values = model.parameters({});
  IntegrationOptions plain;
  const Trajectory states = simulate(model.problem, request.run, plain);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t d = 0; d < count; ++d) {
      double scale = 0, size = 0, difference = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t at = (row * n + i) * count + d;
        if (!(std::fabs(a[at] - b[at]) <= difference)) difference = std::fabs(a[at] - b[at]);
        scale = std::max({scale, std::fabs(a[at]), std::fabs(b[at])});
        size = std::max(size, std::fabs(states.states[row * n + i]));
      }
      const auto index = static_cast<std::size_t>(request.directions[d].parameters.front().first);
      const double value = values[index] == 0 ? 1 : std::fabs(values[index]);
      scale = std::max(scale, 1e-3 * size / value);
      const double share = difference == 0 ? 0 : difference / scale;
      if (!(share <= worst)) worst = share;
    }
  return worst;
}

SystemOptions all_varied(const Model& model) {
  SystemOptions options;
  for (const std::string& id : model.all_ids()) options.varied.insert(id);
  return options;
}

ResolvedSystem resolve_varied(const std::string& name, std::string_view text) {
  ResolvedSystem first = resolve_text(name, text);
  return resolve_text(name, text, all_varied(first.builder->model()));
}

}  // namespace stiffit::internal
