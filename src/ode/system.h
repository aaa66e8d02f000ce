// A system x' = f(t, x) however f is computed: what integrators need besides the programs that are
// compiled from models. Kernels of a program are functions with a context, so that a system is made
// into a program whose kernels call it; every one-lane method, the driver and the linear algebra
// are the same for both, and compiled models pay nothing for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ode/simulate.h"

namespace stiffit::internal {

class OdeSystem {
 public:
  virtual ~OdeSystem() = default;
  virtual int size() const = 0;
  virtual std::vector<std::string> names() const;  // x1, x2, ... unless it has its own
  virtual void rates(double t, const double* x, double* f) const = 0;

  // Where the Jacobian may differ from zero; all of it unless said otherwise.
  virtual Sparsity pattern() const;
  // Its values in the order of the pattern. False: it has none, differences stand for it.
  virtual bool jacobian(double /*t*/, const double* /*x*/, double* /*values*/) const {
    return false;
  }
  virtual bool autonomous() const { return false; }
  // df/dt. False: it has none, a difference stands for it.
  virtual bool time_derivative(double /*t*/, const double* /*x*/, double* /*out*/) const {
    return false;
  }
};

Sparsity dense_pattern(int n);

// A system under the driver. One run at a time.
class SystemProblem {
 public:
  // `span`: of the times of interest, for differences in time.
  SystemProblem(const OdeSystem& system, double span);
  ~SystemProblem();
  SystemProblem(const SystemProblem&) = delete;
  SystemProblem& operator=(const SystemProblem&) = delete;

  // From x0 at times.front(); rows at all times. What the system throws is thrown here, after the
  // integration has been stopped; so is std::invalid_argument for a method that cannot run it.
  Trajectory run(const std::vector<double>& x0, std::vector<double> times,
                 const IntegrationOptions& options);
  // The same with rows at start and end only, unless `over` says of a step that has passed, which
  // may be the one across the end, that it is enough: the outcome is Status::interrupted then.
  struct Step {
    double t, h;
    const double *x, *x_new;  // at both ends
  };
  Trajectory follow(const std::vector<double>& x0, double start, double end,
                    const IntegrationOptions& options,
                    const std::function<bool(const Step&)>& over);
  const Problem& problem() const { return problem_; }
  long calls() const;  // of rates, so far

 private:
  Request begin(const std::vector<double>& x0, std::vector<double> times,
                IntegrationOptions& options);
  struct Calls;
  std::shared_ptr<Calls> calls_;
  Problem problem_;
};

}  // namespace stiffit::internal
