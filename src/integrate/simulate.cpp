// SPDX-License-Identifier: Apache-2.0
#include "integrate/simulate.h"

#include <atomic>
#include <cmath>
#include <exception>
#include <functional>
#include <stdexcept>
#include <thread>

#include "integrate/continuation.h"
#include "integrate/driver.h"
#include "integrate/method_registry.h"
#include "integrate/observed_simulator.h"
#include "integrate/whole_step.h"

namespace stiffit {

Problem make_problem(std::shared_ptr<const Program> program, LinearKind kind) {
  LinearOptions options;
  options.kind = kind;
  options.lanes = program->lanes;
  options.isa = program->isa;
  options.mass = program->mass;
  auto plan = plan_linear(program->pattern, options);
  std::shared_ptr<const WholeSteps> steps;
  if (plan->kind() == LinearKind::generated && fits_whole_step(*program) && program->mass.empty() &&
      program->inputs == 0 && program->states > 0)
    steps = std::make_shared<const WholeSteps>(program);
  return {std::move(program), std::move(plan), std::move(steps)};
}

std::string refusal(const Problem& problem, const IntegrationOptions& options) {
  const Program& program = *problem.program;
  const MethodEntry* method = find_method(options.method);
  if (!method) return "there is no method '" + options.method + "'";
  const std::string name = "method '" + options.method + "'";
  if (!method->any_lanes && program.lanes != 1) return name + " runs on one lane";
  if (program.inputs > 0 && program.lanes != 1) return "a model with delays runs on one lane";
  if (!program.mass.empty() && !method->algebraic)
    return name + " cannot solve algebraic equations; rodas5p can";
  if (program.hybrid && !program.hybrid->fast.states.empty() && !method->stiff())
    return name + " cannot hold fast reactions at equilibrium; rodas5p, bdf and cvodes can";
  if (method->needs_step && !(options.fixed_step > 0)) return name + " needs a fixed step";
  if (!method->fixed_steps && options.fixed_step > 0) return name + " chooses its own steps";
  if (method->refuses)
    if (std::string why = method->refuses(program); !why.empty()) return name + " " + why;
  return {};
}

// Several rows at once in the program's lanes.
void fill_outputs(const Problem& problem, const Request& request, Trajectory& trajectory) {
  const Program& p = *problem.program;
  if (p.hybrid && !trajectory.outputs.empty()) return;  // computed along the way
  const auto width = static_cast<std::size_t>(p.lanes);
  const auto n = static_cast<std::size_t>(p.states), m = p.output_names.size();
  const std::size_t rows = request.times.size();
  trajectory.outputs.assign(rows * m, NAN);
  AlignedArray time(width), y(n * width), out(m * width),
      parameters(static_cast<std::size_t>(p.parameter_slots) * width);
  const std::vector<double>& values = parameters_of(p, request);
  for (std::size_t i = 0; i < static_cast<std::size_t>(p.parameters); ++i)
    for (std::size_t l = 0; l < width; ++l) parameters[i * width + l] = values[i];
  double* prepare[1] = {parameters.data()};
  p.prepare(prepare);
  for (std::size_t row = 0; row < trajectory.rows_reached; row += width) {
    for (std::size_t l = 0; l < width; ++l) {
      std::size_t source = std::min(row + l, trajectory.rows_reached - 1);
      time[l] = request.times[source];
      for (std::size_t i = 0; i < n; ++i) y[i * width + l] = trajectory.states[source * n + i];
    }
    double* arrays[4] = {time.data(), y.data(), parameters.data(), out.data()};
    p.outputs(arrays);
    for (std::size_t l = 0; l < width && row + l < trajectory.rows_reached; ++l)
      for (std::size_t k = 0; k < m; ++k)
        trajectory.outputs[(row + l) * m + k] = out[k * width + l];
  }
}

namespace {

const MethodEntry* checked_method(const Problem& problem, const IntegrationOptions& options) {
  if (std::string reason = refusal(problem, options); !reason.empty())
    throw std::invalid_argument(reason);
  return find_method(options.method);
}

void check_continuation(const Problem& problem, const Request& request) {
  if (request.from && request.from->program != problem.program)
    throw std::invalid_argument("a run goes on with the program it was begun with");
}

// The same work on every thread; what one of them throws is thrown here.
void on_threads(int threads, const std::function<void()>& work) {
  if (threads <= 1) return work();
  std::vector<std::exception_ptr> trouble(static_cast<std::size_t>(threads));
  std::vector<std::thread> pool;
  for (std::size_t k = 0; k < static_cast<std::size_t>(threads); ++k)
    pool.emplace_back([&, k] {
      try {
        work();
      } catch (...) {
        trouble[k] = std::current_exception();
      }
    });
  for (auto& thread : pool) thread.join();
  for (auto& exception : trouble)
    if (exception) std::rethrow_exception(exception);
}

// Before the default method gives up on a trajectory, others try it from the start: their stages
// end elsewhere, and what is singular for one need not be for another. An explicit one needs no
// Jacobian.
void try_others(const Problem& problem, const Request& request, Trajectory& result,
                IntegrationOptions options) {
  const Status status = result.outcome.status;
  if ((status != Status::step_too_small && status != Status::not_finite) || options.fixed_step > 0)
    return;
  for (const std::string other : {"radau", "bdf", "dopri5"}) {
    options.method = other;
    if (!refusal(problem, options).empty()) continue;
    Trajectory trial;
    WorkQueue queue{{&request, 1}, {&trial, 1}};
    Driver(problem, options, find_method(other)->make).run(queue);
    if (trial.outcome.status != Status::done) continue;
    trial.outcome.used =
        other + " " + std::to_string(trial.outcome.counters.steps) + " steps, others having failed";
    result = std::move(trial);
    return;
  }
}

void run_requests(const Problem& problem, std::span<const Request> requests,
                  std::span<Trajectory> results, const IntegrationOptions& options, int threads) {
  const MethodEntry* method = checked_method(problem, options);
  for (const Request& request : requests) check_continuation(problem, request);
  WorkQueue queue{requests, results};
  std::atomic<std::size_t> next{0};
  on_threads(requests.size() <= 1 ? 1 : threads,
             [&] { Driver(problem, options, method->make).run(queue); });
  on_threads(requests.size() <= 1 ? 1 : threads, [&] {
    for (std::size_t i; (i = next++) < requests.size();) {
      if (options.method == "automatic") try_others(problem, requests[i], results[i], options);
      fill_outputs(problem, requests[i], results[i]);
    }
  });
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
  Trajectory result;
  run_requests(problem, {&request, 1}, {&result, 1}, options, 1);
  return result;
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
  if (request.from) throw std::invalid_argument("an observed trajectory runs from its start");
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
  std::vector<Trajectory> results(requests.size());
  run_requests(problem, requests, results, options, threads);
  return results;
}

}  // namespace stiffit
