// One model of a fitting problem made runnable: its equations, and every formula that experiments
// and observables evaluate, with derivatives. Shared by threads, never changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/steady/steady_state.h"
#include "model/fit_problem.h"
#include "sensitivity/sensitivity.h"

namespace stiffit::internal {

// What an assignment sets, in terms of the program.
struct CompiledAssignment {
  int parameter = -1;  // of the program, or
  int state = -1;
  int sized = -1;       // index into CompiledSubmodel::sized, if the state is an amount behind a
                        // concentration
  double number = 0;    // the value, or
  int source = -1;      // a parameter of the program that holds it, or
  int expression = -1;  // of the period's expressions
  NodeId node = 0;      // of the value in the graph
};

struct CompiledPeriod {
  double start = 0;
  std::string name;
  std::vector<CompiledAssignment> assignments;
  Differentiated expressions;
  bool resizes = false;  // a compartment that amounts are converted by may change
  // Times of measurements in it, ascending, and which measurements stand at each.
  std::vector<double> times;
  std::vector<std::vector<int>> measured;
  // The times of all that share the course, and the rows of `times` among them.
  std::vector<double> shared_times;
  std::vector<std::size_t> shared_rows;
};

struct CompiledExperiment {
  std::string id;
  double begin = 0;  // of time: the first period's, the model's own if that is a pre-equilibration
  std::vector<CompiledPeriod> periods;
  std::vector<int> at_steady_state;  // measurements at the steady state after the last period
  // Unknowns that its measurements may depend on: first those that move its states.
  std::vector<int> columns;
  std::size_t active = 0;
  int equilibrium = -1;  // experiments with the same number begin with the same pre-equilibration
  int course = -1;       // and with the same number here the states do the same throughout
  int sharing = 1;       // how many do
};

// A state that is an amount while its name means a concentration.
struct SizedState {
  int state = -1;
};

class CompiledSubmodel {
 public:
  // `unknowns`: indices into problem.parameters. Without `derivatives` there are values only.
  CompiledSubmodel(const FitProblem& problem, const std::vector<int>& unknowns, bool derivatives);
  CompiledSubmodel(const CompiledSubmodel&) = delete;
  CompiledSubmodel& operator=(const CompiledSubmodel&) = delete;

  const FitProblem& problem() const { return problem_; }
  const Program& program() const { return *integration_.program; }
  const Problem& integration() const { return integration_; }
  // The same in as many lanes as suit it and the machine; compiled when first asked for.
  const Problem& in_lanes() const;
  const SteadyProblem& steady() const { return *steady_; }
  // Null without derivatives, or if there can be none; then `no_sensitivity` says why.
  const SensitivityProblem* sensitivity() const { return sensitivity_.get(); }
  const std::string& no_sensitivity() const { return no_sensitivity_; }

  // The parameter of the program that is the time at which the experiment begins, or -1.
  int begin_parameter() const;
  double start_time() const { return resolved_.system.start_time; }
  // Parameters of the program as they stand before any unknown or condition.
  const std::vector<double>& values() const { return values_; }
  // Per unknown: the parameter of the program that it is, or -1.
  const std::vector<int>& unknown_parameter() const { return unknown_parameter_; }
  // Per parameter of the problem, the same.
  const std::vector<int>& problem_parameter() const { return problem_parameter_; }
  const std::vector<std::vector<int>>& placeholders() const { return placeholders_; }
  const std::vector<CompiledExperiment>& experiments() const { return experiments_; }
  const Differentiated& observable(int index) const {
    return observables_[index];  // prediction, noise, degrees of freedom
  }
  const Differentiated& initial() const { return initial_; }
  const std::vector<SizedState>& sized() const { return sized_; }
  const Differentiated& sizes() const { return sizes_; }
  // Parameters that take the value of an expression at the start unless the first period sets
  // them; by rounds, each round seeing the values of the one before.
  const std::vector<std::vector<int>>& default_rounds() const { return default_rounds_; }
  const std::vector<int>& default_target() const { return default_target_; }
  const Differentiated& defaults() const { return defaults_; }
  // Parameters of the program that the equations, initial values and events depend on.
  const std::vector<int>& dynamic() const { return dynamic_; }
  int equilibria() const { return equilibria_; }
  int courses() const { return courses_; }  // see CompiledExperiment::course

 private:
  void resolve_model(const std::vector<int>& unknowns);
  void compile_formulas();
  void compile_experiments(const std::vector<int>& unknowns);
  void compile_period(const Period& period, bool first, CompiledPeriod& result);
  void place_measurements();
  void compile_sensitivities();
  void find_columns(CompiledExperiment& experiment) const;
  std::vector<int> parameters_read(const CompiledExperiment& experiment) const;
  std::vector<int> leaves_of(const std::vector<NodeId>& nodes) const;
  int leaf(Ref ref) const;

  FitProblem problem_;
  std::shared_ptr<Model> model_;
  Ref begin_;
  std::vector<std::pair<Ref, ExprId>> default_values_;
  ResolvedSystem resolved_;
  Problem integration_;
  mutable std::once_flag once_;
  mutable Problem in_lanes_;
  std::unique_ptr<SteadyProblem> steady_;
  std::shared_ptr<const SensitivityProblem> sensitivity_;
  std::string no_sensitivity_;
  std::vector<double> values_;
  std::vector<int> unknown_parameter_, problem_parameter_;
  std::vector<std::vector<int>> placeholders_;
  std::vector<CompiledExperiment> experiments_;
  std::vector<Differentiated> observables_;
  Differentiated initial_, sizes_, defaults_;
  std::vector<SizedState> sized_;
  std::vector<int> default_target_;
  std::vector<std::vector<int>> default_rounds_;
  std::vector<int> dynamic_;
  int equilibria_ = 0, courses_ = 0;
};

}  // namespace stiffit::internal
