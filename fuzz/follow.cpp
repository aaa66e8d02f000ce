// SPDX-License-Identifier: Apache-2.0
#include "follow.h"

#include <cmath>

#include "base/diagnostic.h"
#include "ode/simulate.h"
#include "symbolic/checks/check_start.h"
#include "symbolic/system.h"
#include "target.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t most_states = 8, most_nodes = 3000;

void take_steps(ResolvedSystem& resolved) {
  ProgramOptions portable;
  portable.isa = Isa::portable;
  const Problem problem = make_problem(compile(resolved.system, resolved.columns, portable));
  IntegrationOptions options;
  options.max_steps = 60;
  if (!refusal(problem, options).empty()) return;
  Request request;
  const double start = problem.program->start_time;
  request.start = start;
  request.times = {start, start + 1e-3, start + 0.1, start + 1};
  const Trajectory run = simulate(problem, request, options);
  const std::size_t n = resolved.system.states.size(), rows = run.rows_reached;
  must_hold(rows <= request.times.size(), "no more rows than asked for");
  must_hold(run.outcome.status != Status::done || rows == request.times.size(),
            "a run that is done has all rows");
  must_hold(run.states.size() >= rows * n, "rows are there");
  for (std::size_t k = 0; k < rows * n; ++k)
    must_hold(std::isfinite(run.states[k]), "states of rows that were reached are finite");
  describe(run.outcome, problem.program->state_names);
}

}  // namespace

void read_and_follow(const char* name, std::string_view input, const ModelReader& read) {
  const auto source = std::make_shared<const Source>(name, std::string(input));
  Diagnostics diagnostics(source);
  auto model = read(source, diagnostics);
  render(diagnostics);
  must_hold(model.has_value() != diagnostics.has_errors(), "a model or an error");
  if (model) follow_model(std::move(*model));
}

void follow_model(Model model) {
  const auto shared = std::make_shared<const Model>(std::move(model));
  try {
    ResolvedSystem resolved = resolve(shared);
    Diagnostics diagnostics(shared->source ? shared->source : std::make_shared<const Source>());
    check_start(*shared, resolved, diagnostics);
    render(diagnostics);
    if (diagnostics.has_errors() || resolved.system.states.size() > most_states ||
        resolved.system.graph.size() > most_nodes)
      return;
    if (std::isfinite(resolved.system.start_time)) take_steps(resolved);
  } catch (const InputError&) {
    // what cannot be simulated, said in words
  }
}

}  // namespace stiffit::internal
