// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/gradient_methods.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <numeric>
#include <random>

namespace stiffit::internal {
namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void count(CheckedMethod& m) {
  for (const GradientCheck& c : m.entries) {
    ++(c.verdict == GradientVerdict::right   ? m.right
       : c.verdict == GradientVerdict::wrong ? m.wrong
                                             : m.unsure);
    m.worst = std::max(m.worst, c.error);
  }
}

// In the measure of GradientCheck.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<Difference> exact;
  for (double x : b) exact.push_back({exact.size(), x, 0});
  double worst = 0;
  for (const GradientCheck& c : compare_gradient(a, exact)) worst = std::max(worst, c.error);
  return worst;
}

// Empty: all.
std::vector<std::size_t> sample(std::size_t count, const CheckOptions& check) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (check.sample == 0 || check.sample >= count) return all;
  std::mt19937_64 random(check.seed);
  for (std::size_t k = 0; k < check.sample; ++k) std::swap(all[k], all[k + random() % (count - k)]);
  all.resize(check.sample);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

bool CheckedGradient::passed() const {
  return std::all_of(methods.begin(), methods.end(),
                     [](const CheckedMethod& m) { return m.passed(); });
}

CheckedGradient check_methods(const ProblemObjective& objective, const ObjectiveOptions& options,
                              const std::vector<double>& theta, const CheckOptions& check) {
  CheckedGradient result;
  result.experiments = objective.experiment_count();
  for (GradientMethod method : {GradientMethod::forward, GradientMethod::adjoint}) {
    CheckedMethod m;
    m.method = method == GradientMethod::forward ? "forward" : "adjoint";
    ObjectiveOptions own = options;
    own.gradient = method;
    const ProblemObjective other(objective.problem(), own);
    const double began = processor_seconds();
    const Evaluation e = other.evaluate(theta, Need::gradient);
    m.seconds = processor_seconds() - began;
    m.adjoint = other.adjoint_count() - static_cast<int>(other.adjoint_retreats().forward);
    m.failure = e.failure;
    m.gradient = e.gradient;
    result.methods.push_back(std::move(m));
  }
  const auto good = std::find_if(result.methods.begin(), result.methods.end(),
                                 [](const CheckedMethod& m) { return m.failure.empty(); });
  if (good == result.methods.end()) return result;
  ObjectiveOptions tight = options;
  tight.derivatives = false;
  tight.integration.rtol =
      check.difference_rtol > 0 ? check.difference_rtol : std::min(tight.integration.rtol, 1e-11);
  const double began = processor_seconds();
  const std::vector<Difference> differences =
      central_differences(ProblemObjective(objective.problem(), tight), theta, good->gradient, 1e-4,
                          sample(theta.size(), check));
  result.seconds = processor_seconds() - began;
  for (CheckedMethod& m : result.methods)
    if (m.failure.empty()) {
      m.entries = compare_gradient(m.gradient, differences);
      count(m);
    }
  if (result.methods[0].failure.empty() && result.methods[1].failure.empty())
    result.between = distance(result.methods[0].gradient, result.methods[1].gradient);
  return result;
}

SettledGradient settle_gradient(const ProblemObjective& objective, const ObjectiveOptions& options,
                                const std::vector<double>& theta, Need need, Evaluation first) {
  constexpr double smallest = 1e-12;
  SettledGradient result;
  result.evaluation = std::move(first);
  result.rtol = options.integration.rtol;
  auto at = [&](double rtol) {
    ObjectiveOptions own = options;
    own.integration.rtol = rtol;
    return ProblemObjective(objective.problem(), own).evaluate(theta, need);
  };
  // Errors fall with the tolerance, but not always in proportion to it.
  auto error_after = [](double moved, double ratio) { return moved * std::sqrt(ratio); };
  const Evaluation looser = at(10 * result.rtol);
  result.error = looser.ok()
                     ? error_after(distance(looser.gradient, result.evaluation.gradient), 0.1)
                     : std::numeric_limits<double>::infinity();
  result.first_error = result.error;
  while (!result.settled() && result.rtol > smallest) {
    const double rtol = std::max(smallest, result.rtol / 100);
    Evaluation tighter = at(rtol);
    if (!tighter.ok()) break;
    const double moved = distance(result.evaluation.gradient, tighter.gradient);
    if (result.rtol == options.integration.rtol) result.first_error = moved;
    result.error = error_after(moved, rtol / result.rtol);
    result.evaluation = std::move(tighter);
    result.rtol = rtol;
  }
  return result;
}

}  // namespace stiffit::internal
