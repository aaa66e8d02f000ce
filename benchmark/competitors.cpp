// SPDX-License-Identifier: Apache-2.0
#include "competitors.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "linear/aligned_array.h"
#include "optimised_cvodes.h"

namespace stiffit::internal::benchmark {
namespace {

class Ours final : public Competitor {
 public:
  Ours(const Problem& problem, const Request& request, const IntegrationOptions& options)
      : request_(request), simulator_(problem, options) {}
  RunResult run(std::vector<double>& states) override {
    result_.states.swap(states);
    simulator_.run(request_, result_);
    result_.states.swap(states);
    return {result_.outcome.status == Status::done, result_.outcome.counters};
  }
  void set_parameters(const std::vector<double>& values) override { request_.parameters = values; }

 private:
  Request request_;
  Simulator simulator_;
  Trajectory result_;
};

class Cvodes final : public Competitor {
 public:
  Cvodes(const Problem& problem, const Request& request, CvodesBuild build, CvodesOptions options,
         double scale, const std::vector<double>& largest)
      : program_(problem.program),
        request_(request),
        parameters_(std::size_t(program_->parameter_slots)),
        start_(std::size_t(program_->states)) {
    set_parameters(program_->parameter_values);
    // A state that is zero throughout has no scale; any tolerance serves it.
    const double top = *std::max_element(largest.begin(), largest.end());
    std::vector<double> atol;
    for (double size : largest) atol.push_back(scale * options.rtol * (size > 0 ? size : top));
    options.atol = atol.data();
    CvodesProblem p;
    p.n = program_->states;
    p.pattern = &program_->pattern;
    p.context = this;
    p.rhs = [](void* self, double t, const double* y, double* f) {
      auto* c = static_cast<Cvodes*>(self);
      double* a[4] = {&t, const_cast<double*>(y), c->parameters_.data(), f};
      c->program_->rhs(a);
    };
    p.jacobian = [](void* self, double t, const double* y, double* j) {
      auto* c = static_cast<Cvodes*>(self);
      double* a[4] = {&t, const_cast<double*>(y), c->parameters_.data(), j};
      c->program_->jacobian(a);
    };
    runner_ = build == CvodesBuild::o3 ? make_cvodes_runner_o3(p, options)
                                       : make_cvodes_runner_o2(p, options);
  }

  void set_parameters(const std::vector<double>& values) override {
    std::copy(values.begin(), values.end(), parameters_.data());
    double* arrays[2] = {parameters_.data(), start_.data()};
    program_->prepare(arrays);
    program_->initial(arrays);
  }

  RunResult run(std::vector<double>& states) override {
    const auto n = std::size_t(program_->states);
    states.resize(request_.times.size() * n);
    struct Sink {
      double* out;
      std::size_t n;
    } sink{states.data(), n};
    const CvodesOutcome outcome = runner_->run(
        0, start_.data(), request_.times.data(), request_.times.size(),
        [](void* to, std::size_t index, double, const double* y) {
          auto* s = static_cast<Sink*>(to);
          std::copy_n(y, s->n, s->out + index * s->n);
        },
        &sink);
    const CvodesCounters& c = outcome.counters;
    return {outcome.status == CvodesStatus::done,
            {c.steps, c.rejected, c.rhs, c.jacobian, c.factorisations, c.newton_iterations}};
  }

 private:
  std::shared_ptr<const Program> program_;
  const Request& request_;
  AlignedArray parameters_, start_;
  std::unique_ptr<CvodesRunner> runner_;
};

}  // namespace

std::unique_ptr<Competitor> make_ours(const Problem& problem, const Request& request,
                                      const std::string& method, double rtol, double scale) {
  IntegrationOptions options;
  options.method = method;
  options.rtol = rtol;
  options.scaled_atol = scale;
  options.max_steps = 100000;  // explicit methods on stiff problems are not waited for
  auto made = std::make_unique<Ours>(problem, request, options);
  made->name = method;
  return made;
}

std::unique_ptr<Competitor> make_cvodes(const Problem& problem, const Request& request,
                                        CvodesBuild build, CvodesSolver solver, double rtol,
                                        double scale, const std::vector<double>& largest) {
  CvodesOptions options;
  options.rtol = rtol;
  options.max_steps = 1000000;
  options.linear = solver == CvodesSolver::dense ? CvodesLinear::dense : CvodesLinear::klu;
  options.ordering = solver == CvodesSolver::klu_colamd ? KluOrdering::colamd : KluOrdering::amd;
  auto made = std::make_unique<Cvodes>(problem, request, build, options, scale, largest);
  made->name = std::string(build == CvodesBuild::o3 ? "-O3 " : "-O2 ") +
               (solver == CvodesSolver::dense     ? "dense"
                : solver == CvodesSolver::klu_amd ? "KLU/AMD"
                                                  : "KLU/COLAMD");
  return made;
}

std::unique_ptr<Competitor> make_cvodes_adams(const Problem& problem, const Request& request,
                                              CvodesBuild build, double rtol, double scale,
                                              const std::vector<double>& largest) {
  CvodesOptions options;
  options.adams = true;
  options.rtol = rtol;
  options.max_steps = 1000000;
  auto made = std::make_unique<Cvodes>(problem, request, build, options, scale, largest);
  made->name = "adams";
  return made;
}

Reference find_reference(const Problem& problem, const Request& request) {
  constexpr double rtol = 1e-12, scale = 1e-3;
  const auto n = std::size_t(problem.program->states);
  Reference reference;
  if (!make_ours(problem, request, "rodas5p", rtol, scale)->run(reference.states).done)
    throw std::runtime_error("no reference solution");
  reference.largest.assign(n, 0);
  for (std::size_t i = 0; i < reference.states.size(); ++i)
    reference.largest[i % n] = std::max(reference.largest[i % n], std::fabs(reference.states[i]));
  std::vector<double> other;
  const CvodesSolver solver = n > 50 ? CvodesSolver::klu_amd : CvodesSolver::dense;
  make_cvodes(problem, request, CvodesBuild::o3, solver, rtol, scale, reference.largest)
      ->run(other);
  reference.doubt = reference.error(other);
  return reference;
}

}  // namespace stiffit::internal::benchmark
