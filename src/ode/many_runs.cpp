// SPDX-License-Identifier: Apache-2.0
#include "ode/many_runs.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "base/threads.h"
#include "ode/continuation.h"
#include "ode/driver/driver.h"
#include "ode/driver/output_rows.h"
#include "ode/method_registry.h"

namespace stiffit::internal {

struct ManyRuns::Worker {
  Worker(const Problem& problem, const IntegrationOptions& options, MakeStepper make)
      : driver(problem, options, make), rows(*problem.program) {}
  Driver driver;
  OutputRows rows;
};

namespace {

// Before the default method gives up on a trajectory, others try it from the start: their stages
// end elsewhere, and what is singular for one need not be for another. An explicit one needs no
// Jacobian.
void try_others(const Problem& problem, const Request& request, Trajectory& result,
                IntegrationOptions options) {
  const Status status = result.outcome.status;
  if ((status != Status::step_too_small && status != Status::not_finite) || options.fixed_step > 0)
    return;
  for (const MethodRole role :
       {MethodRole::accurate_stiff, MethodRole::large_stiff, MethodRole::non_stiff}) {
    const MethodEntry& other = method_for(role);
    options.method = other.info.name;
    if (!refusal(problem, options).empty()) continue;
    Trajectory trial;
    WorkQueue queue{{&request, 1}, {&trial, 1}};
    Driver(problem, options, other.make).run(queue);
    if (trial.outcome.status != Status::done) continue;
    trial.outcome.used = options.method + " " + std::to_string(trial.outcome.counters.steps) +
                         " steps, others having failed";
    result = std::move(trial);
    return;
  }
}

}  // namespace

ManyRuns::ManyRuns(const Problem& problem, const IntegrationOptions& options, int threads)
    : problem_(problem), options_(options) {
  if (std::string reason = refusal(problem, options); !reason.empty())
    throw std::invalid_argument(reason);
  workers_.resize(std::max(1, threads));
}

ManyRuns::~ManyRuns() = default;

std::span<const Trajectory> ManyRuns::run(std::span<const Request> requests) {
  for (const Request& request : requests) check_continuation(problem_, request);
  if (results_.size() < requests.size()) results_.resize(requests.size());
  const std::span<Trajectory> results{results_.data(), requests.size()};
  WorkQueue queue{requests, results};
  std::atomic<std::size_t> next{0};
  const MethodEntry* method = find_method(options_.method);
  const std::size_t threads = std::min(workers_.size(), std::max<std::size_t>(1, requests.size()));
  on_threads(threads, [&](std::size_t k) {
    if (!workers_[k]) workers_[k] = std::make_unique<Worker>(problem_, options_, method->make);
    workers_[k]->driver.run(queue);
  });
  on_threads(threads, [&](std::size_t k) {
    for (std::size_t i; (i = next++) < requests.size();) {
      if (method->role == MethodRole::standard)
        try_others(problem_, requests[i], results[i], options_);
      workers_[k]->rows.fill(requests[i], results[i]);
    }
  });
  return results;
}

std::vector<Trajectory> ManyRuns::take(std::span<const Request> requests) {
  run(requests);
  results_.resize(requests.size());
  return std::move(results_);
}

}  // namespace stiffit::internal
