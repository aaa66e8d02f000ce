// The objective of a fitting problem: minus the log-likelihood of its measurements, plus priors, as
// a function of the unknowns on their estimation scales. docs/likelihood.md states what is
// computed. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "estimation/optimizers/objective.h"
#include "model/fit_problem.h"
#include "ode/options.h"
#include "sensitivity/sensitivity.h"

namespace stiffit::internal {

// How gradients are computed. Fisher information and residuals' derivatives always go forward.
enum class GradientMethod {
  automatic,  // by operation counts, per experiment; the same on every run
  forward,
  adjoint,  // where it can be: one period with all measurements, none at a steady state
};

struct ObjectiveOptions {
  IntegrationOptions integration = default_integration();
  GradientMethod gradient = GradientMethod::automatic;
  bool derivatives = true;                // false: values only, which is less to compile
  bool sensitivity_error_control = true;  // see SensitivityOptions
  bool share_courses = true;  // experiments that differ in nothing but outputs are integrated once
  // Values at one point: several experiments in the machine's lanes; false: one after another.
  bool side_by_side = true;
  // Integrates the sensitivities instead of our own methods, for comparisons. Empty: ours.
  std::function<std::unique_ptr<SensitivitySimulator>(const SensitivityProblem&)> simulator;

  static IntegrationOptions default_integration();
};

// How often the adjoint was not accurate enough by its own estimate.
struct AdjointRetreats {
  long tightened = 0;  // and was at a hundredth of the tolerance
  long forward = 0;    // not even then: the experiment went forward
};

// What the model says about one measurement.
struct Prediction {
  double value = not_set, noise = not_set;
  double freedom = not_set;  // of a Student t distribution
};

// How one measurement depends on unknowns that only observables and noise formulas know of.
struct OutputTerm {
  Transformation transformation = Transformation::none;
  NoiseKind noise_kind = NoiseKind::normal;
  Censoring censoring = Censoring::none;
  double measurement = 0, value = 0, noise = 0, freedom = not_set;
  // (unknown, derivative by its value) of prediction and noise level.
  std::vector<std::pair<int, double>> by_value, by_noise;
};

// Other data in the place of the problem's own, in the order of Measurement::row.
struct DataDraw {
  std::vector<double> values;
  std::vector<double> counts;        // how often each counts; empty: once
  std::vector<Censoring> censoring;  // empty: as it is
};

// The residuals of all measurements, whatever their noise is, in the order of Measurement::row.
struct ResidualDerivatives {
  std::vector<Prediction> predictions;
  std::vector<double> residual;  // (prediction - measurement)/noise, on the transformed scale
  std::vector<double> jacobian;  // [row][theta]: of the prediction there, beside the same noise
  // Per row: estimated parameters that its noise depends on and its prediction does not.
  std::vector<std::vector<int>> noise_unknowns;
};

// The parameters that are estimated, in their order.
std::vector<EstimatedParameter> unknowns_of(const FitProblem& problem);

class ProblemObjective final : public Objective {
 public:
  // Throws InputError if the model cannot be simulated or a condition set.
  explicit ProblemObjective(FitProblem problem, ObjectiveOptions options = {});
  ~ProblemObjective() override;

  const FitProblem& problem() const;
  const std::vector<EstimatedParameter>& unknowns() const override;
  int data_count() const override;
  bool least_squares() const override;
  bool unknown_noise() const override;
  // Where the model gives no derivatives (see below) they are differences.
  Evaluation evaluate(std::span<const double> theta, Need need) const override;
  Evaluation evaluate(std::span<const double> theta, Need need, const DataDraw& draw) const;
  // Why the model gives no derivatives; empty: it does.
  std::string no_derivatives() const;
  // Side by side in the machine's lanes, where the model permits it.
  std::vector<Evaluation> values(std::span<const std::vector<double>> thetas,
                                 int threads) const override;

  int limit_count() const;  // data of which only a limit is known

  int experiment_count() const;
  int course_count() const;                  // of those, with courses of their states that differ
  int adjoint_count() const;                 // experiments whose gradient goes backwards
  AdjointRetreats adjoint_retreats() const;  // over all evaluations so far

  // The nominal values as they are: a value of zero on a logarithmic scale is -infinity here, while
  // Unknown::start is the lower bound then. NaN where there is none.
  std::vector<double> nominal() const;
  // Per measurement, in the order of Measurement::row. Empty with the reason in `failure`.
  std::vector<Prediction> predict(std::span<const double> theta, std::string& failure) const;
  // The same at many points, side by side; empty where it failed.
  std::vector<std::vector<Prediction>> predict_many(std::span<const std::vector<double>> thetas,
                                                    int threads,
                                                    std::vector<std::string>& failures) const;
  // What an evaluation with derivatives takes there, in seconds of a usual core: by the steps that
  // it counts, not by a clock, so that what depends on it is the same on every machine and under
  // any load. NaN: it fails.
  double reckoned_seconds(std::span<const double> theta) const;
  double log_prior(std::span<const double> theta) const;
  // Empty with the reason in `failure`.
  ResidualDerivatives residual_derivatives(std::span<const double> theta,
                                           std::string& failure) const;

  // Unknowns that no equation, initial value, event or condition depends on: only formulas of
  // observables and noise do.
  std::vector<int> output_unknowns() const;
  // Every measurement in terms of those. Empty with the reason in `failure`.
  std::vector<OutputTerm> output_terms(std::span<const double> theta, std::string& failure) const;
  std::vector<std::vector<OutputTerm>> output_terms_many(
      std::span<const std::vector<double>> thetas, int threads,
      std::vector<std::string>& failures) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stiffit::internal
