// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/fixed_step_check.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "analysis/compare/stability.h"
#include "analysis/stiffness/spectrum.h"
#include "base/number.h"
#include "ode/method_registry.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t most_looks = 21;     // along the solution
constexpr double blown_up = 100;           // times the largest value of the solution
constexpr double clearly_unstable = 1.01;  // growth in a step of what should decay

// The solution to compare with. Rows that it does not reach are left out.
Trajectory followed(const Problem& problem, const Request& request,
                    const IntegrationOptions& fixed) {
  IntegrationOptions o;
  o.rtol = 1e-4;
  o.seed = fixed.seed;
  o.interrupt = fixed.interrupt;
  return simulate(problem, request, o);
}

bool has_blown_up(const Trajectory& run, const Trajectory& solution, std::size_t n) {
  if (solution.rows_reached == 0) return false;
  std::vector<double> largest(n, 0);
  for (std::size_t i = 0; i < solution.rows_reached * n; ++i)
    largest[i % n] = std::max(largest[i % n], std::fabs(solution.states[i]));
  const double top = *std::max_element(largest.begin(), largest.end());
  const std::size_t rows = std::min(run.rows_reached, solution.rows_reached);
  for (std::size_t i = 0; i < rows * n; ++i) {
    // What is zero in the solution is measured by what is not.
    const double scale = largest[i % n] > 0 ? largest[i % n] : top;
    if (!(std::fabs(run.states[i]) <= blown_up * scale) && scale > 0) return true;
  }
  return false;
}

// The eigenvalue whose component should decay and grows most, times h; 0: there is none.
struct Worst {
  std::complex<double> z = 0;
  double growth = 1, time = 0;
};

Worst worst_eigenvalue(const Problem& problem, const Request& request, const Trajectory& solution,
                       double h, StabilityTrial& trial) {
  Worst worst;
  SpectrumFinder finder(problem);
  const std::vector<double>& parameters =
      request.parameters.empty() ? problem.program->parameter_values : request.parameters;
  const std::size_t n = problem.program->states;
  const std::size_t stride = std::max<std::size_t>(1, solution.rows_reached / most_looks);
  double farthest = 0;
  for (std::size_t row = 0; row < solution.rows_reached; row += stride) {
    const Spectrum s =
        finder.at(request.times[row], solution.states.data() + row * n, parameters, {false, false});
    std::vector<std::complex<double>> values = s.all;
    if (values.empty()) values = {s.lambda_min};
    // Farther out is less stable along a ray; one look per row at the farthest that decays.
    std::complex<double> far = 0;
    for (auto v : values)
      if (v.real() < 0 && std::isfinite(std::abs(v)) && std::abs(v) > std::abs(far)) far = v;
    if (!(std::abs(far) > 1.001 * farthest)) continue;
    farthest = std::abs(far);
    const double growth = trial.growth(h * far);
    if (growth > worst.growth) worst = {h * far, growth, request.times[row]};
  }
  return worst;
}

}  // namespace

void judge_fixed_steps(const Problem& problem, const Request& request,
                       const IntegrationOptions& options, Trajectory& run,
                       std::vector<std::string>& notes) {
  const Program& program = *problem.program;
  const std::size_t n = program.states;
  if (n == 0 || run.outcome.status == Status::interrupted || run.rows_reached == 0) return;
  const Trajectory solution = followed(problem, request, options);
  if (solution.outcome.status == Status::interrupted) return;
  const bool blown = has_blown_up(run, solution, n);
  std::string reason;
  // A delay has no eigenvalues, and algebraic equations have infinite ones.
  if (program.inputs == 0 && program.mass.empty() && program.lanes == 1) {
    StabilityTrial trial(options.method, options.max_order);
    const Worst worst = worst_eigenvalue(problem, request, solution, options.fixed_step, trial);
    if (worst.growth > clearly_unstable) {
      const double size = std::abs(worst.z);
      reason = "steps of " + format_number(options.fixed_step) + " are too long for " +
               options.method + ": h*|lambda| is " + format_short(size, 3) + " at time " +
               format_short(worst.time, 4) +
               ", and along that direction the method is stable up to " +
               format_short(trial.limit(worst.z / size), 3);
    }
  }
  if (blown && (run.outcome.status == Status::done || !reason.empty())) {
    run.outcome.status = Status::unstable;
    run.outcome.detail = "the result has blown up beyond " + format_number(blown_up) +
                         " times the solution's largest values" +
                         (reason.empty() ? "" : ": " + reason);
  } else if (!reason.empty()) {
    notes.push_back(reason + "; what should decay grows instead");
  }
}

}  // namespace stiffit::internal
