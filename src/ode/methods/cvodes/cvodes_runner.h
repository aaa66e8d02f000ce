// One trajectory by CVODES of SUNDIALS behind a narrow border: callbacks come in, states at the
// asked times (or after every step) and an outcome go out. No SUNDIALS type is seen here, so that
// benchmark/ can compile the same source a second time against its own optimised SUNDIALS and hold
// both in one program. Paper: Serban and Hindmarsh, "CVODES: the sensitivity-enabled ODE solver in
// SUNDIALS", 2005. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "symbolic/sparsity.h"

namespace stiffit::internal {

// y' = f(t, y). Plain function pointers with a context: they are called in the innermost loop.
struct CvodesProblem {
  int n = 0;
  const Sparsity* pattern = nullptr;  // of J; only read by make_cvodes_runner
  void (*rhs)(void* context, double t, const double* y, double* f) = nullptr;
  // Non-zeros of J = df/dy in the order of the pattern. Not used by Adams.
  void (*jacobian)(void* context, double t, const double* y, double* values) = nullptr;
  void* context = nullptr;
  // Forward sensitivities, staggered: s' = J s + df/dtheta for each direction. BDF only.
  int directions = 0;
  void (*sensitivity_rhs)(void* context, double t, const double* y, const double* const* s,
                          double* const* out) = nullptr;
};

enum class CvodesLinear { dense, klu };
enum class KluOrdering { amd, colamd, natural };

struct CvodesOptions {
  // Adams-Moulton with fixed-point iteration for non-stiff problems, instead of BDF with Newton.
  bool adams = false;
  CvodesLinear linear = CvodesLinear::dense;
  // COLAMD is what SUNDIALS takes by itself; on reaction networks AMD gives less fill.
  KluOrdering ordering = KluOrdering::amd;
  double rtol = 1e-6;
  const double* atol = nullptr;  // n absolute tolerances, copied; used when `weights` is null
  // Writes the weights of the error norm, usually 1/(rtol |y_i| + atol_i), with the problem's
  // context; replaces rtol and atol when set.
  void (*weights)(void* context, const double* y, double* w) = nullptr;
  long max_steps = 100000;  // of one run, all outputs together
  double initial_step = 0;  // 0: estimated by CVODES
  double max_step = 0;      // 0: no bound
  int max_order = 0;        // 0: 5 for BDF, 12 for Adams; only lower values count
  // Of each direction the size of theta, which scales the tolerance of its sensitivities; null: 1.
  const double* sensitivity_sizes = nullptr;  // copied
  bool sensitivity_error_control = true;
  const std::atomic<bool>* interrupt = nullptr;  // looked at in every call of the right-hand side
};

enum class CvodesStatus {
  done,
  too_many_steps,
  error_test_failures,   // the step became too small to pass the error test
  convergence_failures,  // the step became too small for the nonlinear iteration to converge
  step_too_small,        // t + h = t over and over: a pole, most often
  too_much_accuracy,     // tolerances below what doubles can hold
  rhs_failure,           // right-hand side not finite, however small the step
  linear_solver,
  interrupted,
  illegal_input,  // of tolerances, times or initial step; the message says which
};

struct CvodesCounters {
  long steps = 0;
  long rejected = 0;  // by the error test
  long rhs = 0;
  long jacobian = 0;
  long factorisations = 0;
  long newton_iterations = 0;  // fixed-point iterations with Adams
  long convergence_failures = 0;
};

struct CvodesOutcome {
  CvodesStatus status = CvodesStatus::done;
  double t = 0;  // end of the last step taken; a finished run may be past the last output
  std::size_t delivered = 0;  // outputs handed to the sink
  CvodesCounters counters;
  std::string message;  // the last one of CVODES, empty when done
};

using CvodesSink = void (*)(void* context, std::size_t index, double t, const double* y);

// Holds all memory; runs may follow one another, one at a time.
class CvodesRunner {
 public:
  virtual ~CvodesRunner() = default;
  // Integrates from (t0, y0) and calls the sink for each of `times`, ascending and not before t0.
  // Outputs come from the interpolant of CVODES: they neither end nor shorten a step. Only the
  // last time counts, in the estimate of the first step.
  virtual CvodesOutcome run(double t0, const double* y0, const double* times, std::size_t n_times,
                            CvodesSink sink, void* sink_context) = 0;

  // With directions: s at the start of the runs to come, [direction][state], and s of one direction
  // at the time the sink is being told of.
  virtual void set_sensitivities(const double* s) = 0;
  virtual const double* sensitivity(int direction) const = 0;

  // Step by step, for a driver with a loop of its own. `begin` forgets the past.
  virtual void begin(double t, const double* y) = 0;
  // One step, not beyond `stop` (infinity: no bound). Writes the time it has reached, which is
  // `stop` exactly if it got there, and the state there. Right after `begin` the estimate of the
  // step looks as far ahead as `horizon`.
  virtual CvodesStatus step(double stop, double horizon, double* t, double* y) = 0;
  virtual double next_size() const = 0;               // of the next step, as CVODES wants it
  virtual void interpolate(double t, double* y) = 0;  // within the last step
  virtual CvodesCounters counters() const = 0;        // since `begin`
};

// Throws std::invalid_argument on an incomplete problem and std::bad_alloc.
std::unique_ptr<CvodesRunner> make_cvodes_runner(const CvodesProblem& problem,
                                                 const CvodesOptions& options);

}  // namespace stiffit::internal
