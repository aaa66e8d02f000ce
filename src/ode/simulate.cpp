// SPDX-License-Identifier: Apache-2.0
#include "ode/simulate.h"

#include <stdexcept>

#include "base/listed.h"
#include "ode/continuation.h"
#include "ode/driver/driver.h"
#include "ode/driver/growing_states.h"
#include "ode/driver/output_rows.h"
#include "ode/lanes/fused_step.h"
#include "ode/many_runs.h"
#include "ode/method_registry.h"
#include "ode/observed_simulator.h"

namespace stiffit::internal {

Problem make_problem(std::shared_ptr<const Program> program, LinearKind kind) {
  LinearOptions options;
  options.kind = kind;
  options.lanes = program->lanes;
  options.isa = program->isa;
  options.mass = program->mass;
  options.thresholds = program->thresholds;
  auto plan = plan_linear(program->pattern, options);
  std::shared_ptr<const FusedSteps> steps;
  if (plan->kind() == LinearKind::generated && fits_fused_step(*program) && program->mass.empty() &&
      program->inputs == 0 && program->states > 0)
    steps = std::make_shared<const FusedSteps>(program);
  auto growing = std::make_shared<const GrowingStates>(program);
  return {std::move(program), std::move(plan), std::move(steps), std::move(growing)};
}

std::string refusal(const Problem& problem, const IntegrationOptions& options) {
  const Program& program = *problem.program;
  const MethodEntry* method = find_method(options.method);
  if (!method) return "there is no method '" + options.method + "'";
  const std::string name = "method '" + options.method + "'";
  if (!method->lanes && program.lanes != 1) return name + " runs on one lane";
  if (program.inputs > 0 && program.lanes != 1) return "a model with delays runs on one lane";
  if (!program.mass.empty() && !method->algebraic_equations)
    return name + " cannot solve algebraic equations; " + method_name(MethodRole::stiff) + " can";
  if (program.hybrid && !program.hybrid->fast.states.empty() && !method->stiff)
    return name + " cannot hold fast reactions at equilibrium; " +
           listed({method_name(MethodRole::stiff), method_name(MethodRole::large_stiff),
                   method_name(MethodRole::reference)}) +
           " can";
  if (method->fixed_step_only && !(options.fixed_step > 0)) return name + " needs a fixed step";
  if (!method->fixed_steps && options.fixed_step > 0) return name + " chooses its own steps";
  if (method->refuses)
    if (std::string why = method->refuses(program); !why.empty()) return name + " " + why;
  return {};
}

void fill_outputs(const Problem& problem, const Request& request, Trajectory& trajectory) {
  OutputRows(*problem.program).fill(request, trajectory);
}

namespace {

const MethodEntry* checked_method(const Problem& problem, const IntegrationOptions& options) {
  if (std::string reason = refusal(problem, options); !reason.empty())
    throw std::invalid_argument(reason);
  return find_method(options.method);
}

}  // namespace

Simulator::Simulator(const Problem& problem, const IntegrationOptions& options)
    : problem_(problem), options_(options) {
  const MethodEntry* method = checked_method(problem_, options_);
  driver_ = std::make_unique<Driver>(problem_, options_, method->make);
}

Simulator::~Simulator() = default;

void Simulator::run(const Request& request, Trajectory& result) {
  check_continuation(problem_, request);
  WorkQueue queue{{&request, 1}, {&result, 1}};
  driver_->run(queue);
}

Trajectory simulate(const Problem& problem, const Request& request,
                    const IntegrationOptions& options) {
  return std::move(ManyRuns(problem, options, 1).take({&request, 1}).front());
}

ObservedSimulator::ObservedSimulator(const Problem& problem, const IntegrationOptions& options)
    : problem_(problem), options_(options) {
  const MethodEntry* method = checked_method(problem_, options_);
  if (problem.program->lanes != 1)
    throw std::invalid_argument("an observed trajectory runs on one lane");
  driver_ = std::make_unique<Driver>(problem_, options_, method->make);
}

ObservedSimulator::~ObservedSimulator() = default;

void ObservedSimulator::run(const Request& request, StepObserver& observer, Trajectory& result) {
  if (request.from && !request.from->changed)
    throw std::invalid_argument("an observed trajectory runs from its start");
  WorkQueue queue{{&request, 1}, {&result, 1}};
  driver_->observe(&observer);
  driver_->run(queue);
  driver_->observe(nullptr);
}

Trajectory simulate_observed(const Problem& problem, const Request& request,
                             const IntegrationOptions& options, StepObserver& observer) {
  Trajectory result;
  ObservedSimulator(problem, options).run(request, observer, result);
  fill_outputs(problem, request, result);
  return result;
}

std::vector<Trajectory> simulate_many(const Problem& problem, std::span<const Request> requests,
                                      const IntegrationOptions& options, int threads) {
  return ManyRuns(problem, options, threads).take(requests);
}

}  // namespace stiffit::internal
