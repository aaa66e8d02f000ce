// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/steady_answer.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "symbolic/checks/check_start.h"

namespace stiffit::internal {

// Eigenvalues that are zero but for rounding say nothing.
const char* stability(const SteadyAnswer& answer) {
  if (answer.steady.delays) return "unknown";
  const auto& values = answer.eigenvalues;
  double largest = 0, top = -INFINITY;
  for (auto& v : values) {
    largest = std::max(largest, std::abs(v));
    top = std::max(top, v.real());
  }
  if (values.empty() || std::fabs(top) <= 1e-12 * largest) return "neutral";
  return top < 0 ? "stable" : "unstable";
}

const char* word_for(SteadyStatus status) {
  switch (status) {
    case SteadyStatus::found:
      return "found";
    case SteadyStatus::time_dependent:
      return "time-dependent";
    case SteadyStatus::grows:
      return "grows";
    case SteadyStatus::oscillates:
      return "oscillates";
    case SteadyStatus::unsettled:
      return "unsettled";
    case SteadyStatus::failed:
      return "failed";
    case SteadyStatus::interrupted:
      return "interrupted";
  }
  return "unknown";
}

std::string how_found(const SteadyAnswer& a) {
  if (!a.steady.stable_route) return "Newton's method alone";
  std::string course = "time course to " + format_number(a.steady.time);
  if (a.steady.time == 0) return "the initial values rest";
  return a.steady.newton ? course + ", then Newton's method" : course;
}

SteadyAnswer steady_answer(const std::shared_ptr<const Model>& model,
                           const SteadyOptions& options) {
  ResolvedSystem resolved = resolve(model);
  require_sound_start(*model, resolved);
  SteadyProblem problem(resolved.system, make_problem(compile(resolved.system, {})));
  Request request;
  request.start = problem.program().start_time;
  SteadyAnswer answer;
  answer.names = problem.program().state_names;
  for (const SystemState& state : resolved.system.states)
    answer.kinds.push_back(state.ref.kind != SymbolKind::species ? ""
                           : state.is_amount                     ? "amount"
                                                                 : "concentration");
  answer.steady = find_steady_state(problem, request, options);
  SteadyState& s = answer.steady;
  if (!s.found() && s.status != SteadyStatus::interrupted) {
    answer.course = s.detail;
    newton_steady_state(problem, s);
  }
  if (s.found() && !s.delays) answer.eigenvalues = steady_eigenvalues(problem, s);
  for (int state : s.negative)
    answer.warnings.push_back(answer.names[state] +
                              " is negative there: the model's own rates take it below zero");
  return answer;
}

}  // namespace stiffit::internal
