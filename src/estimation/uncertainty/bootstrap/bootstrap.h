// Limits by fitting drawn data (Efron): what the estimates would have been, had the noise fallen
// otherwise. No theory of large samples; a model that is wrong it does not see.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "estimation/objective/problem_objective.h"
#include "estimation/uncertainty/confidence_interval.h"

namespace stiffit::internal {

enum class BootstrapKind {
  residual,  // predictions, with residuals drawn from those of the fit
  cases,     // measurements drawn from the measurements
};
const char* bootstrap_name(BootstrapKind kind);

struct BootstrapOptions {
  BootstrapKind kind = BootstrapKind::residual;
  std::size_t samples = 1000;
  std::uint64_t seed = 1;
  int threads = 1;
  double level = 0.95;
  LocalOptions local;
};

// One fit of drawn data.
struct BootstrapSample {
  std::size_t index = 0;
  bool converged = false;
  std::vector<double> x, error;  // thetas and their standard errors
};

struct BootstrapParameter {
  std::string id;
  double bias = 0;            // of theta: mean of the samples less the estimate
  double standard_error = 0;  // of theta: their standard deviation
  double low = 0, high = 0;   // as values, by the studentised samples; NaN: open
  double percentile_low = 0, percentile_high = 0;  // as values, of the samples themselves
};

struct Bootstrap {
  BootstrapKind kind = BootstrapKind::residual;
  std::size_t asked = 0, used = 0, failed = 0;  // failed: the fit did not converge
  double level = 0.95;
  std::vector<BootstrapParameter> parameters;
  bool enough = false;  // samples for limits of that level
  std::string words;    // what was done, in a sentence
};

class BootstrapRun {
 public:
  // Around the best fit. Throws InputError if its residuals cannot be computed.
  BootstrapRun(const ProblemObjective& objective, const LocalFit& best,
               const FitStatistics& statistics, BootstrapOptions options);

  std::vector<BootstrapSample> finished;  // of a former run
  std::function<void(const BootstrapSample&)> on_finished;
  // Over threads; a sample depends on its index and the seed alone. Less than asked for if
  // interrupted.
  std::vector<BootstrapSample> run() const;

  Bootstrap summarize(const std::vector<BootstrapSample>& samples) const;

 private:
  DataDraw draw(std::size_t index) const;
  BootstrapSample one(std::size_t index) const;
  void gather_residuals();
  void spread_cases(const std::vector<double>& scaled_residual);
  bool interrupted() const;

  const ProblemObjective& objective_;
  const LocalFit& best_;
  const FitStatistics& statistics_;
  BootstrapOptions options_;
  std::vector<Prediction> predictions_;
  // Per row: its measurement, its noise, where its residuals are drawn from.
  std::vector<Transformation> transformation_;
  std::vector<NoiseKind> kind_;
  std::vector<Censoring> censoring_;
  std::vector<double> measured_;
  std::vector<Limits> seen_;  // what can be measured: beyond these only a limit is known
  bool limits_ = false;       // there are such: then noise is drawn from its distribution
  std::vector<int> pool_of_;
  std::vector<std::vector<double>> pools_;  // residuals in units of the noise
  std::vector<double> centre_;              // where samples scatter around: theta
  std::vector<double> cases_;               // per row, what is drawn
  std::vector<std::vector<int>> strata_;    // rows of one experiment and observable, for cases
};

// For judge_by_intervals: of parameters whose limits were closed before.
std::vector<ConfidenceInterval> intervals_of(const Bootstrap& bootstrap,
                                             const FitStatistics& statistics,
                                             const std::vector<EstimatedParameter>& unknowns);

}  // namespace stiffit::internal
