// SPDX-License-Identifier: Apache-2.0
#include "integrate/cvodes_method.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "integrate/cvodes_runner.h"

namespace stiffit {
namespace {

// A matrix larger than this and sparser than a quarter goes to KLU.
constexpr int largest_dense = 20;

class CvodesMethod {
 public:
  CvodesMethod(const Problem& problem, const IntegrationOptions& options)
      : program_(*problem.program), options_(options), group_(problem, options) {
    CvodesProblem p;
    p.n = program_.states;
    p.pattern = &program_.pattern;
    p.context = this;
    p.rhs = [](void* self, double t, const double* y, double* f) {
      static_cast<CvodesMethod*>(self)->evaluate(t, y, f, false);
    };
    p.jacobian = [](void* self, double t, const double* y, double* values) {
      static_cast<CvodesMethod*>(self)->evaluate(t, y, values, true);
    };
    CvodesOptions o;
    const double n = program_.states;
    const bool sparse =
        program_.states > largest_dense && program_.pattern.nonzeros() < 0.25 * n * n;
    o.linear = sparse ? CvodesLinear::klu : CvodesLinear::dense;
    o.rtol = options.rtol;
    o.weights = [](void* self, const double* y, double* w) {
      static_cast<CvodesMethod*>(self)->weigh(y, w);
    };
    o.max_steps = options.max_steps;
    o.initial_step = options.initial_step;
    o.max_step = std::isfinite(options.max_step) ? options.max_step : 0;
    o.max_order = options.max_order;
    o.interrupt = options.interrupt;
    runner_ = make_cvodes_runner(p, o);
  }

  void run(const Request& request, Trajectory& result) {
    const auto n = static_cast<std::size_t>(program_.states);
    const std::vector<double>& values =
        request.parameters.empty() ? program_.parameter_values : request.parameters;
    std::copy(values.begin(), values.end(), group_.parameters.data());
    double* arrays[2] = {group_.parameters.data(), group_.y.data()};
    program_.prepare(arrays);
    if (request.initial.empty())
      program_.initial(arrays);
    else
      std::copy(request.initial.begin(), request.initial.end(), group_.y.data());
    group_.note_magnitudes(1, true);
    result.states.assign(request.times.size() * n, NAN);
    std::vector<double> start(group_.y.data(), group_.y.data() + n);
    sink_ = {&result, n};
    CvodesOutcome outcome = runner_->run(
        request.start, start.data(), request.times.data(), request.times.size(),
        [](void* sink, std::size_t index, double, const double* y) {
          auto* s = static_cast<Sink*>(sink);
          std::copy_n(y, s->n, s->result->states.data() + index * s->n);
        },
        &sink_);
    result.rows_reached = outcome.delivered;
    const CvodesCounters& c = outcome.counters;
    result.outcome = {
        status(outcome.status),
        outcome.t,
        -1,
        outcome.message,
        {c.steps, c.rejected, c.rhs, c.jacobian, c.factorisations, c.newton_iterations}};
  }

 private:
  struct Sink {
    Trajectory* result;
    std::size_t n;
  };

  static Status status(CvodesStatus s) {
    switch (s) {
      case CvodesStatus::done:
        return Status::done;
      case CvodesStatus::too_many_steps:
        return Status::too_many_steps;
      case CvodesStatus::rhs_failure:
        return Status::not_finite;
      case CvodesStatus::interrupted:
        return Status::interrupted;
      default:
        return Status::step_too_small;
    }
  }

  void evaluate(double t, const double* y, double* out, bool jacobian) {
    double* arrays[4] = {&t, const_cast<double*>(y), group_.parameters.data(), out};
    jacobian ? program_.jacobian(arrays) : program_.rhs(arrays);
  }

  // The same error weights as our own methods use.
  void weigh(const double* y, double* w) {
    std::copy_n(y, static_cast<std::size_t>(program_.states), group_.y.data());
    group_.note_magnitudes(1, false);
    for (int i = 0; i < program_.states; ++i) w[i] = 1 / group_.weight(i, 0);
  }

  const Program& program_;
  const IntegrationOptions& options_;
  LaneGroup group_;
  std::unique_ptr<CvodesRunner> runner_;
  Sink sink_{};
};

}  // namespace

void run_cvodes(const Problem& problem, const IntegrationOptions& options, WorkQueue& queue) {
  if (problem.program->hybrid)
    throw std::invalid_argument("method 'cvodes' cannot run models with events or switches");
  CvodesMethod method(problem, options);
  for (std::size_t i; (i = queue.next.fetch_add(1)) < queue.requests.size();)
    method.run(queue.requests[i], queue.results[i]);
}

}  // namespace stiffit
