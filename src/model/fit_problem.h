// A fitting problem: a model, what was done to it, what was measured, and what is unknown. PEtab
// files and a model with data tables both reach this form; the objective starts from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/scale.h"
#include "model/model.h"

namespace stiffit::internal {

// Where something was said, for messages: file, and 1-based line (0: none) and column name.
struct TablePlace {
  std::string file;
  int line = 0;
  std::string column;
};

enum class PriorKind {
  none,
  uniform,
  normal,
  laplace,
  log_normal,
  log_laplace,
  log_uniform,
  cauchy,
  chi_squared,
  exponential,
  gamma,
  rayleigh,
};
struct Prior {
  PriorKind kind = PriorKind::none;
  double a = 0, b = 0;    // as PEtab orders the distribution's parameters
  bool on_scale = false;  // of theta, not of the value (v1 parameterScale...)
  // Cut off outside [low, high] and normalised anew (v2: the bounds).
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

// A parameter of the problem. It is a parameter of `FitProblem::model` by its id: one of the
// modeller's own, or one that was added for a formula.
struct ProblemParameter {
  std::string id;
  std::string name;  // for people; empty: the id
  Scale scale = Scale::lin;
  double lower = -std::numeric_limits<double>::infinity();  // values, not thetas
  double upper = std::numeric_limits<double>::infinity();
  double nominal = not_set;
  bool estimated = true;
  Prior prior;           // part of the objective
  Prior initialization;  // where starts are drawn from; none: the bounds, on the scale
  TablePlace place;
};

enum class Transformation { none, log, log10 };  // of data and observable before they are compared
enum class NoiseKind { normal, laplace, student_t };
enum class Censoring { none, below, above };  // the value is known to lie below or above a limit

struct ProblemObservable {
  std::string id;
  std::string name;
  int formula = -1;  // of model.observables
  int noise = -1;    // of model.observables: the standard deviation or scale
  int freedom = -1;  // of model.observables: degrees of freedom of a Student t distribution
  Transformation transformation = Transformation::none;
  NoiseKind noise_kind = NoiseKind::normal;
  // Parameters of the model that stand for what each measurement gives anew.
  std::vector<std::string> placeholders;
  int noise_placeholders = 0;  // how many of them, at the end, PEtab counts to the noise
  TablePlace place;
};

// target = value, where `target` is a species, parameter or compartment of the model. The value of
// a species is what its name means in the model: its concentration, or its amount.
struct ConditionAssignment {
  Ref target;
  ExprId value = no_expr;  // of model.expressions
  TablePlace place;
};

// From `start` on, after the assignments (all computed before any is made). A period before a
// steady-state measurement or of pre-equilibration runs until nothing changes.
//
// The assignments of an experiment's first period are made before the model is initialised: its
// initial assignments see the new values, and none of them changes a target again. Those of a later
// period change the state as it is then, with `time` at `start`, and initial assignments play no
// part. There a new compartment size leaves the values of its species (as their names mean them)
// as they are: concentrations stay, unlike with events of the model. Events at `start` come after.
struct Period {
  // -infinity: pre-equilibration. Events of the model take place in it, and whether their triggers
  // hold at its end is what the next period begins with.
  double start = 0;
  std::string name;  // of its conditions
  std::vector<ConditionAssignment> assignments;
};

struct Experiment {
  std::string id;
  std::vector<Period> periods;  // in order of time
};

// What a placeholder is in one measurement: a parameter of the problem, or a number.
struct PlaceholderValue {
  int parameter = -1;  // of FitProblem::parameters
  double number = not_set;
};

struct Measurement {
  int observable = -1;
  int experiment = -1;
  double time = 0;         // infinity: at the steady state
  double value = not_set;  // or the limit
  Censoring censoring = Censoring::none;
  std::vector<PlaceholderValue> placeholders;  // one per placeholder of the observable
  std::string dataset, replicate;
  int row = -1;  // its number, from 0, among all measurements of the problem and its parts
  TablePlace place;
};

struct FitProblem {
  std::string id;
  std::string source;     // the file it was read from
  int petab_version = 0;  // 0: it is not from PEtab
  // The model, with the problem's parameters, placeholders and formulas added to it.
  std::shared_ptr<const Model> model;
  std::vector<ProblemParameter> parameters;
  std::vector<ProblemObservable> observables;
  std::vector<Experiment> experiments;
  std::vector<Measurement> measurements;  // in the order of the file
  // A problem with several models: one part for each, with its own measurements, and all with the
  // same `parameters` (of which only the whole has priors). The objective is the sum over the
  // parts; the whole then has no model, observables, experiments or measurements itself.
  std::vector<FitProblem> parts;
  // With unknown noise: the tables give errors, which hold up to that common factor.
  bool relative_errors = false;
  bool unknown_noise = false;  // least squares with a common variance estimated from the residuals
  std::vector<std::string> warnings;
};

}  // namespace stiffit::internal
