// What the studies of limits share: networks, f and J at the start, times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/thresholds.h"
#include "io/text/read_text.h"
#include "linear/aligned_array.h"
#include "ode/simulate.h"

namespace stiffit::internal::benchmark {

inline double seconds(clockid_t clock = CLOCK_PROCESS_CPUTIME_ID) {
  timespec now;
  clock_gettime(clock, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// Seconds of one call: the shortest of seven rounds of at least 3 ms. The clock is read once a
// round, since reading it takes half a microsecond.
template <class F>
double shortest(F call, clockid_t clock = CLOCK_PROCESS_CPUTIME_ID) {
  double best = INFINITY;
  long calls = 1;
  for (int round = 0; round < 7;) {
    const double begin = seconds(clock);
    for (long k = 0; k < calls; ++k) call();
    const double spent = seconds(clock) - begin;
    if (spent < 3e-3) {
      calls *= 2;
      continue;
    }
    best = std::min(best, spent / double(calls));
    ++round;
  }
  return best;
}

inline std::shared_ptr<const Program> network(const std::string& text, int lanes,
                                              int largest_straight_line = INT_MAX,
                                              std::size_t* terms = nullptr,
                                              const Thresholds& thresholds = {}) {
  auto source = std::make_shared<Source>("network", text);
  Diagnostics diagnostics(source);
  auto read = read_text(source, diagnostics);
  if (!read) throw std::runtime_error(render(diagnostics));
  ResolvedSystem resolved = resolve(std::make_shared<const Model>(std::move(*read)));
  if (terms)
    for (const auto& row : resolved.system.terms) *terms += row.size();
  ProgramOptions options;
  options.lanes = lanes;
  options.largest_straight_line = largest_straight_line;
  options.thresholds = thresholds;
  return compile(resolved.system, resolved.columns, options);
}

// f and J of a program at its start, on all lanes.
struct AtStart {
  explicit AtStart(const Program& p)
      : program(p),
        time(std::size_t(p.lanes)),
        parameters(std::size_t(p.parameter_slots * p.lanes)),
        y(std::size_t(p.states * p.lanes)),
        f(y.size()),
        jacobian(std::size_t(p.pattern.nonzeros() * p.lanes)),
        d(std::size_t(p.lanes)) {
    for (int i = 0; i < p.parameters; ++i)
      for (int l = 0; l < p.lanes; ++l)
        parameters[std::size_t(i * p.lanes + l)] = p.parameter_values[std::size_t(i)];
    double* arrays[2] = {parameters.data(), y.data()};
    p.prepare(arrays);
    p.initial(arrays);
    d.fill(10);
    run(p.jacobian, jacobian);
  }
  void run(const Kernel& kernel, AlignedArray& out) {
    double* arrays[4] = {time.data(), y.data(), parameters.data(), out.data()};
    kernel(arrays);
  }
  const Program& program;
  AlignedArray time, parameters, y, f, jacobian, d;
};

struct LinearTimes {
  double flops = 0, fill = 0, factor = 0, solve = 0;
};

inline LinearTimes time_linear(AtStart& start, LinearKind kind, const Thresholds& thresholds = {},
                               clockid_t clock = CLOCK_PROCESS_CPUTIME_ID) {
  LinearOptions options;
  options.kind = kind;
  options.lanes = start.program.lanes;
  options.thresholds = thresholds;
  auto plan = plan_linear(start.program.pattern, options);
  auto solver = plan->make_solver();
  LinearTimes times{plan->flops(), double(plan->fill()), 0, 0};
  times.factor = shortest([&] { solver->factor(start.d.data(), start.jacobian.data()); }, clock);
  start.f.fill(1);
  times.solve = shortest(
      [&] {
        start.f.fill(1);
        solver->solve(start.f.data());
      },
      clock);
  return times;
}

// Seconds of one of 64 trajectories of Rodas5P, 0 .. 100, each with parameters of its own.
inline double time_of_rodas5p(const Problem& problem) {
  IntegrationOptions options;
  options.method = "rodas5p";
  std::vector<Request> requests(64);
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0, 0.2);
  for (Request& request : requests) {
    request.times = {100};
    for (double value : problem.program->parameter_values)
      request.parameters.push_back(value * std::exp(normal(random)));
  }
  return shortest([&] { simulate_many(problem, requests, options, 1); }) / 64;
}

// The studies that are not in thresholds.cpp.
void fused_steps_or_parts();
void orders_of_elimination();
void stretches_of_f();
void two_threads();
void products();
void step_costs();

}  // namespace stiffit::internal::benchmark
