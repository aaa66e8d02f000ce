// The equations of a fitting problem over what was measured. Every state that data, conservation or
// a rule tells becomes an expression of measured series; what is left is a row for each measured
// state, x' = rate, in series, time and parameters alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/fit_problem.h"
#include "symbolic/system.h"
#include "symbolic/system_builder.h"

namespace stiffit::internal {

// One equation. Nodes speak of series (see FitEquations::series and below), time and parameters.
struct EquationRow {
  std::string name;        // of the state, variable or observable
  bool algebraic = false;  // 0 = rate, not x' = rate
  NodeId left = 0;         // x; of an algebraic row nothing
  NodeId rate = 0;
  NodeId slope = 0;         // x' from the slopes of the series
  NodeId initial = 0;       // x at the start, of parameters alone
  std::vector<int> series;  // observables that `left` is made of (algebraic: `rate`)
};

// A value of the past that rates use.
struct PastValue {
  NodeId value = 0, lag = 0;
};

// A state that was not measured, but whose equation holds no unknown: it follows from the curves.
struct DrivenState {
  int leaf = -1;
  NodeId rate = 0, initial = 0;
};

// A quantity of the model that is an integral over the past of something measured:
// name(t) = int K(t - s) signal(s) ds from the start, with any kernel K.
struct Memory {
  std::string name;
  std::string signal;                    // a formula in names of the model
  std::function<double(double)> kernel;  // of the age t - s
};

// What is known about one experiment. Experiments that measure the same and set the same share it.
struct ExperimentEquations {
  std::vector<EquationRow> rows;
  std::vector<int> measured;    // observables that serve
  std::vector<NodeId> start;    // beside them: their values at the start; no_node: not known
  std::vector<PastValue> past;  // per delay of the system
  std::vector<DrivenState> driven;
  std::vector<NodeId> memories;         // signals, beside FitEquations' memories
  std::vector<std::string> not_usable;  // per row that was lost: why
};

class FitEquations {
 public:
  // `unknowns`: of problem.parameters. Throws InputError for what these methods cannot serve.
  FitEquations(const FitProblem& problem, std::vector<int> unknowns,
               const std::vector<Memory>& memories = {});

  System& system() { return resolved_.system; }
  Graph& graph() { return resolved_.system.graph; }
  const FitProblem& problem() const { return problem_; }
  const std::vector<int>& unknowns() const { return unknowns_; }
  // The unknown that a parameter of the system is, or -1.
  int unknown_of(int parameter) const;
  int parameter_of(int unknown) const { return unknown_parameter_[unknown]; }
  std::vector<int> unknowns_in(NodeId node) const;
  // Unknowns that an equation, a start value or a measured formula depends on.
  std::vector<int> unknowns_felt() const;
  // True if it holds a value of the past, or what only follows from the curves.
  bool past_in(NodeId node) const;
  NodeId noise(int observable);

  // Leaves (states of the graph beyond the system's own).
  int series(int observable) const { return states_ + observable; }
  int slope(int observable) const { return states_ + observables_ + observable; }
  int past(int delay) const { return states_ + 2 * observables_ + delay; }
  int driven(int state) const { return past(delays_) + state; }
  int memory(int index) const { return driven(states_) + index; }
  int leaf_count() const { return memory(static_cast<int>(memory_signal_.size())); }
  int states() const { return states_; }

  const ExperimentEquations& of(int experiment);
  // Of the system, with what the experiment sets.
  std::vector<double> parameter_values(int experiment) const;
  double start_time(int experiment) const;

 private:
  friend class ExperimentBuilder;
  struct Setting {
    int parameter = -1;
    double number = not_set;
    NodeId node = no_node;  // if it is no number
  };

  void free_measured_rules();
  void read_memories(const std::vector<Memory>& memories);
  void check_model() const;
  void raise_discontinuities();
  std::vector<Setting> settings_of(int experiment) const;
  ExperimentEquations build(const std::vector<int>& measured, const std::vector<Setting>& settings);
  std::vector<int> states_in(NodeId node) const;
  std::vector<int> leaves_in(NodeId node) const;  // beyond the states
  bool has_unknown(NodeId node) const { return !unknowns_in(node).empty(); }

  const FitProblem& problem_;
  std::vector<int> unknowns_, unknown_parameter_;
  std::shared_ptr<Model> model_;
  std::vector<std::pair<Ref, ExprId>> default_values_;
  std::vector<std::pair<Ref, ExprId>> freed_;  // variables that were measured, and their rules
  ResolvedSystem resolved_;
  int states_ = 0, observables_ = 0, delays_ = 0;
  std::vector<NodeId> rhs_;                     // with comparisons in place of modes
  std::vector<NodeId> freed_rule_;              // beside freed_
  std::vector<NodeId> observable_;              // formulas
  std::vector<std::pair<Ref, ExprId>> memory_;  // what it stands for, signal
  std::vector<NodeId> memory_signal_;           // beside them
  std::vector<std::vector<Setting>> settings_;  // per experiment
  std::vector<std::vector<int>> measured_;      // per experiment
  std::map<std::vector<std::uint64_t>, ExperimentEquations> known_;
};

}  // namespace stiffit::internal
