// Runs one experiment: periods in order, assignments between them, states at the measurement times,
// all with derivatives by the unknowns if asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "estimation/objective/compiled_submodel.h"

namespace stiffit::internal {

// Where a run stands. Derivatives are [row][column of the experiment].
struct ExperimentPoint {
  std::vector<double> parameters;             // of the program
  std::vector<double> by_unknown;             // d parameters
  std::vector<double> states, sensitivities;  // [state][moving column]
};

// Pre-equilibrations of one evaluation, by CompiledExperiment::equilibrium.
struct Equilibrium {
  std::vector<double> states;
  std::vector<double> sensitivities;  // [state][column]
  std::vector<int> columns;           // unknowns
  std::vector<char> triggered;
};
using Equilibria = std::map<int, Equilibrium>;
// Courses of one evaluation, by CompiledExperiment::course and period.
struct Course {
  bool known = false;
  SensitivityTrajectory trajectory;
};
using Courses = std::map<std::pair<int, std::size_t>, Course>;

// Asked for each measurement as the run passes it: index, time, and where the run stands.
class MeasurementSink {
 public:
  virtual ~MeasurementSink() = default;
  // Returns a failure in words, or nothing. `weights` (null: not wanted) gets d objective/d states
  // added; what the states' derivatives would have added to the gradient is left out then.
  virtual std::string take(int measurement, double time, ExperimentPoint& point,
                           double* weights) = 0;
  // A part of the gradient, by the columns of the experiment.
  virtual void add_gradient(std::span<const double> by_column) = 0;
  // Of the integrations so far: steps times numbers that each moves. The same on every machine.
  double work = 0;
};

// What integrates, kept between evaluations by a thread.
struct ExperimentIntegrators {
  Simulator& states;
  SensitivitySimulator* sensitivities;  // null: there are none
  bool error_control;                   // of sensitivities
  SensitivityTrajectory& trajectory;    // memory
  Courses* courses;                     // null: every experiment by itself
};

enum class RunDerivatives { none, forward, adjoint };

class ExperimentRun {
 public:
  ExperimentRun(const CompiledSubmodel& part, const CompiledExperiment& experiment,
                const IntegrationOptions& options, ExperimentIntegrators integrators,
                RunDerivatives derivatives);
  // True if the adjoint can serve: all measurements lie in the first period after any
  // pre-equilibration.
  static bool adjoint_serves(const CompiledExperiment& experiment);

  // The failure in words (when, why), or nothing. `values`: of the unknowns, `slopes`: d value / d
  // theta.
  std::string run(std::span<const double> values, std::span<const double> slopes,
                  Equilibria& equilibria, MeasurementSink& sink);

  // The states' courses alone, in steps and without derivatives, so that many runs can be
  // integrated side by side before any measurement is looked at: after `begin`, `advance` goes on
  // to the next integration that is needed (null: there is none) and `supply` takes its result.
  // What goes wrong is in `failure`.
  void begin(std::span<const double> values, std::span<const double> slopes);
  Request* advance(Equilibria& equilibria);
  void supply(const Trajectory& trajectory);
  std::size_t period() const { return period_; }  // that the request belongs to
  const std::string& failure() const { return failure_; }

  // After a run by the adjoint: its error estimate is too large for its gradient to be used.
  bool inaccurate() const { return inaccurate_; }

 private:
  // Derivatives are much to keep: only if another experiment wants them too.
  bool shares() const { return integrators_.courses && (experiment_.sharing > 1 || !derivatives_); }
  const CompiledPeriod& current() const { return experiment_.periods[period_]; }
  double end() const;  // of the period
  // What the period asks of the integrator, and what its course means for the run.
  Request request() const;
  std::string pass(const Trajectory& trajectory, const std::vector<double>& sensitivities,
                   MeasurementSink& sink);
  void go_on_from_past(double start, Request& request) const;
  void stand_at(std::size_t row, const Trajectory& trajectory,
                const std::vector<double>& sensitivities);
  void go_on(const Trajectory& trajectory, const std::vector<double>& sensitivities);
  std::string come_to_rest(MeasurementSink& sink);
  std::string placed(const std::string& failure, const CompiledPeriod& period) const;
  void apply_first(const CompiledPeriod& period);
  void apply_defaults(const std::vector<char>& assigned);
  void initialise();
  void apply_later(const CompiledPeriod& period);
  void follow(SensitivityRequest& request, SensitivityTrajectory& result);
  std::string rest(double start, std::vector<char>* triggered);
  std::string equilibrate(Equilibria& equilibria);
  std::string integrate(Request& request, MeasurementSink& sink);
  std::string integrate_adjoint(MeasurementSink& sink);
  bool small_beside(const std::vector<double>& errors, const std::vector<double>& gradient) const;
  // Values of expressions where the run stands, with their rows of derivatives.
  void evaluate(const Differentiated& d, double time, std::vector<double>& values,
                std::vector<double>& rows);
  void set_parameter(int parameter, double value, const double* row);
  std::vector<Direction> directions() const;

  const CompiledSubmodel& part_;
  const CompiledExperiment& experiment_;
  const IntegrationOptions& options_;
  ExperimentIntegrators integrators_;
  bool derivatives_, adjoint_, inaccurate_ = false;
  std::size_t n_, p_, columns_, active_;
  ExperimentPoint point_;
  std::vector<char> triggered_;               // at the end of a pre-equilibration
  std::shared_ptr<const Continuation> past_;  // of the period before: what is under way
  std::size_t period_ = 0, last_ = 0;         // no measurement comes after
  Request pending_;
  std::string failure_;
};

// Derivatives of row `row` of `d` by the columns of an experiment; `result` holds values and
// derivatives as the kernel `all` gives them. Adds to `out`.
void add_row(const Differentiated& d, const std::vector<double>& result, int row,
             const ExperimentPoint& point, std::size_t columns, std::size_t active, double* out);

}  // namespace stiffit::internal
