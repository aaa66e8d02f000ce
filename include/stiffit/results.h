// What computations give. Tables are rows one after another; NaN means that there is no number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stiffit/errors.h"

namespace stiffit {
inline namespace api {

// What a reader of a result should know.
struct Message {
  std::string kind;  // error (why it ended early), warning (about the start), note, negative (what
                     // is below zero and should not be)
  std::string text;
};

struct TimeCourse {
  std::vector<std::string> columns;             // without time
  std::vector<double> times;                    // the rows that were reached
  std::vector<double> values;                   // [row][column]
  std::vector<std::string> by;                  // derivatives by these, if asked for
  std::vector<double> derivatives;              // [row][column][by]
  std::vector<std::string> derivative_columns;  // their names in a table
  std::size_t rows_asked = 0;

  std::string status;             // done, too-many-steps, step-too-small, not-finite, interrupted
  std::string explanation;        // in words, if it is not done: what, when, which species
  std::vector<Message> messages;  // all there is to say about it, the explanation as well
  double reached = 0;             // time
  std::string method, used;       // what was asked for; which took how many steps, of several
  long steps = 0, rejected = 0, f = 0, j = 0, lu = 0, newton = 0;
  double compile_seconds = 0, integrate_seconds = 0;

  bool done() const { return status == "done"; }
  // Gives itself if it is done, else throws NumericsError.
  const TimeCourse& or_throw() const {
    if (!done()) throw NumericsError(explanation, reached);
    return *this;
  }
  double at(std::size_t row, std::size_t column) const {
    return values[row * columns.size() + column];
  }
  std::vector<double> column(const std::string& name) const;  // throws InputError
};

struct Stiffness {
  std::vector<double> times, index, tau, lambda_min, lambda_max;
  std::vector<std::string> fastest;  // species, at each time
  double span = 0, max_index = 0, peak_time = 0, peak_index = 0, explicit_steps = 0;
  double peak_tau = 0, peak_lambda_min = 0, peak_lambda_max = 0;
  double ratio = 0;         // of the fastest to the slowest decay at the peak; NaN: not known
  std::string verdict;      // non-stiff, moderate, stiff
  std::string recommended;  // method
  std::vector<std::pair<std::string, double>> species, reactions;  // shares in the fastest mode
  std::vector<std::complex<double>> eigenvalues;                   // at the peak, of small systems
  std::string status, explanation;                                 // as of a TimeCourse
};

struct Spectrum {
  double time = 0;
  std::vector<std::complex<double>> eigenvalues;
};

struct SteadyState {
  bool found = false;
  std::string status;   // found, time-dependent, grows, oscillates, unsettled, failed, interrupted
  std::string message;  // why there is none; or why the time course does not rest there
  std::vector<std::string> names;
  std::vector<double> values;
  std::vector<std::string> kinds;       // of each: amount, concentration, or nothing
  bool reached_by_time_course = false;  // the one from the initial values leads there
  double time = 0;                      // that was followed
  long steps = 0;
  double residual = 0;    // largest |x'|/|x|
  std::string stability;  // stable, unstable, neutral; unknown with delays
  std::vector<std::complex<double>> eigenvalues;
  std::string how;                    // it was found
  std::vector<std::string> warnings;  // of what is odd about it, for instance negative values
};

// Quantiles are [share][...] for these shares.
inline constexpr double band_shares[] = {0.025, 0.25, 0.5, 0.75, 0.975};

// A function of the parameters over the sampled sets.
struct DerivedDistribution {
  std::string name, formula;
  double mean = 0, deviation = 0, median = 0, low = 0, high = 0;  // low to high: 95 %
};

struct ParameterEnsemble {
  std::vector<std::string> columns;
  std::vector<double> times;
  std::vector<double> mean, deviation;  // [time][column]
  std::vector<double> quantiles;        // [share][time][column]
  std::vector<DerivedDistribution> derived;
  long samples_asked = 0, samples = 0, failures = 0;
  std::vector<long> failed;           // samples: the first that failed
  std::vector<std::string> reasons;   // of those
  std::vector<std::string> messages;  // warnings about the run's directory
  bool interrupted = false;
  bool worker = false;     // the coordinator of the processes has the result
  std::string text, json;  // as of `stiffit ensemble`: bands as CSV, and with --json
};

struct EstimatedParameter {
  std::string id;
  std::string scale;                       // lin, log, log10
  double lower = 0, upper = 0, start = 0;  // of theta; start NaN: none
};

// At one point of theta.
struct Evaluation {
  double value = 0;  // minus log posterior, or half the sum of squares: see docs
  double llh = 0, chi2 = 0;
  std::vector<double> gradient;             // d value / d theta
  std::vector<double> fisher;               // [i][j]
  std::vector<double> residuals, jacobian;  // of least squares; [residual][theta]
  std::string failure;                      // in words; empty: none

  bool ok() const { return failure.empty(); }
};

// An entry of a gradient beside a difference of the objective.
struct CheckedEntry {
  std::string parameter, scale;
  double gradient = 0, difference = 0;
  double uncertainty = 0;  // of the difference, in the measure of `error`
  double error = 0;        // |gradient - difference| / max(|gradient|, 1e-3 |all of it|)
  bool passed = false;     // the error is small enough
  std::string verdict;     // right, wrong, or unsure: the differences are too noisy to tell
};

// A gradient by one method, against differences.
struct CheckedMethod {
  std::string method;   // forward, adjoint
  int adjoint = 0;      // experiments that went backwards; the others forward
  std::string failure;  // in words; then nothing else counts
  std::vector<double> gradient;
  std::vector<CheckedEntry> entries;
  int right = 0, unsure = 0, wrong = 0;  // of them
  double worst = 0;                      // largest error of an entry
  double seconds = 0;                    // of the processor, for the gradient

  bool passed() const { return failure.empty() && unsure == 0 && wrong == 0; }
};

struct CheckedGradient {
  std::vector<CheckedMethod> methods;
  double between = std::numeric_limits<double>::quiet_NaN();  // largest error of one by the other
  double seconds = 0;  // of the processor, for the differences
  int experiments = 0;

  bool passed() const {
    for (const CheckedMethod& m : methods)
      if (!m.passed()) return false;
    return true;
  }
};

// Of a problem's objective at a point that was named, and of its gradient.
struct PointEvaluation {
  std::vector<EstimatedParameter> unknowns;
  std::vector<double> theta;
  int n_data = 0;
  Evaluation evaluation;
  double rtol = 0;                       // that the gradient was integrated with
  std::optional<CheckedGradient> check;  // if it was asked for, and there is a value
  std::string simulations;               // a PEtab table, likewise
  std::vector<std::string> messages;     // notes and warnings
  double compile_seconds = 0, seconds = 0;
};

// A measurement beside what the model says of it.
struct Datum {
  std::string observable, experiment;
  double time = 0, measurement = 0, simulation = 0;
  double noise = 0, residual = 0;  // of the estimate; residual in units of the noise
  std::string limit = {};          // below, above: the measurement is a limit, and has no residual
};

struct AdequacyTest {
  std::string test, observable;  // observable empty: of all
  double statistic = 0, p_value = 1;
};

struct ObservableAdequacy {
  std::string observable;
  int n_data = 0;
  bool accepted = true;
  double p_value = 0;  // NaN: too few data to say
  double s = 0;        // root mean square of the residuals, in units of the noise if that is known
  double r2 = 0;       // share of the variance that the model accounts for
  std::string words;   // why it is not accepted
};

// Whether the model describes the data, by tests of the residuals with 5 % of false alarms.
struct Adequacy {
  bool tested = false, accepted = true;
  double p_value = 0;
  std::vector<AdequacyTest> tests;
  std::vector<ObservableAdequacy> observables;
  double s = 0, r2 = 0;
  double aic = 0, aicc = 0, bic = 0;
  std::vector<std::string> words;  // also why it was not tested
};

struct Interval {
  double low = 0, high = 0;  // NaN: open
};

struct FittedParameter {
  std::string id, scale;
  double estimate = 0, standard_error = 0;
  double low = 0, high = 0;  // at the level, for this one alone, the best there are; NaN: open
  std::vector<Interval> intervals;  // separate stretches from low to high; mostly one
  std::string limits_by;            // wald, profile, ensemble, bootstrap
  double theta = 0, theta_error = 0;
  bool noise = false;         // a nuisance: only the noise depends on it
  std::string at_bound;       // lower, upper, or empty
  std::string determination;  // determined, in combination, ... as the program says it
  std::string verdict;        // in words
};

// An expression of parameters that the data determine though they do not determine these.
struct Combination {
  std::string formula;
  double value = 0, low = 0, high = 0;
  std::string determination;
  std::vector<std::string> parameters;  // estimated ones in it
};

// A function of the parameters that was asked for.
struct DerivedQuantity {
  std::string name, formula;
  double estimate = 0, standard_error = 0;
  double low = 0, high = 0;  // 95 %; NaN: open
  std::string limits_by;     // profile, wald, ensemble
  std::string determination, verdict;
};

// Of fits of drawn data; bias and standard error are of theta.
struct BootstrapLimits {
  std::string id;
  double bias = 0, standard_error = 0;
  double low = 0, high = 0;                        // by studentised samples; NaN: open
  double percentile_low = 0, percentile_high = 0;  // of the samples themselves
};

struct Bootstrap {
  std::string kind;                             // residual, case; empty: none was asked for
  std::size_t asked = 0, used = 0, failed = 0;  // failed: the fit did not converge
  std::vector<BootstrapLimits> parameters;
  std::string words;
};

// A measurement that was not made yet.
struct FurtherMeasurement {
  std::string quantity, experiment;
  double time = 0;                  // infinite: at the steady state
  double error = 0;                 // standard, that is assumed of it
  bool measured = false;            // there are data of the quantity already
  std::vector<std::string> within;  // measured observables that contain it, if there are none
};

// What measurements would do for the limits of a parameter or derived quantity.
struct DesignGain {
  std::string name;
  bool open_so_far = false;  // the data leave one of its sides open
  double factor = 0;         // by which its limits would be narrower; NaN: it had none
  double low = 0, high = 0;  // limits to be expected; NaN: none
};

// A few measurements that together would tell most, as a simulation of them says.
struct MeasurementDesign {
  std::vector<FurtherMeasurement> measurements;
  std::vector<DesignGain> gains;  // of everything that is of interest
  double factor = 0;              // their geometric mean; NaN: nothing had limits
  std::string words;
};

struct FittedStart {
  std::size_t index = 0;
  std::string outcome, message;
  double objective = 0;       // NaN: it failed
  std::vector<double> theta;  // where it ended
};

struct Fit {
  std::string status;            // done, interrupted, failed: no start could be evaluated
  std::string outcome, message;  // of the best descent
  double objective = 0, llh = 0, chi2 = 0;
  int n_data = 0;
  double level = 0.95;  // of the limits
  Adequacy adequacy;
  std::vector<FittedParameter> parameters;  // empty if nothing was found
  std::vector<Combination> combinations;
  std::vector<DerivedQuantity> derived;
  std::vector<MeasurementDesign> next_measurements;  // one, three and five, as far as they help
  std::vector<std::string> free;                     // unknowns that are not at a bound
  std::vector<double> covariance, correlation;       // of theta of those
  std::vector<FittedStart> starts;                   // the best first, failed ones last
  std::vector<Datum> data;
  Bootstrap bootstrap;
  std::vector<std::string> words;     // what is determined and what not, what to measure next
  std::vector<std::string> messages;  // warnings
  std::string text, json;             // as of `stiffit fit`, and with --json
  std::size_t starts_asked = 0;
  bool searched = true;  // by descents from starts
  bool worker = false;   // the coordinator of the processes has the result

  bool found() const { return !parameters.empty(); }
};

struct Profile {
  std::string id, scale;
  double estimate = 0;
  double low = 0, high = 0;         // NaN: no limit on that side
  std::vector<Interval> intervals;  // separate stretches from low to high; mostly one
  std::string low_stop, high_stop;  // why each side ended
  std::string verdict;
  std::vector<double> values, objective, ratio;  // along the profile, ascending values
};

// Of a value that the model predicts: "P at 300".
struct PredictionProfile {
  std::string what;
  double estimate = 0, deviation = 0;  // the latter of the linear theory
  double low = 0, high = 0;            // NaN: no limit on that side
  std::string low_stop, high_stop, low_message, high_message;
  std::string verdict;
  std::vector<double> values, objective, ratio;  // along the profile
};

// Of two unknowns at once: the contour where the ratio passes the threshold of two.
struct PairRegion {
  std::string first, second;
  double threshold = 0;
  bool closed = false;  // the contour comes back to where it began
  std::vector<double> first_values, second_values, ratio;
  std::string stop, message;
};

struct Profiles {
  bool interrupted = false;
  double level = 0.95, threshold = 0;  // the ratio passes it at the limits
  double objective = 0;                // of the best fit
  std::vector<Profile> parameters;
  std::vector<PredictionProfile> predictions;
  std::vector<PairRegion> pairs;
  std::vector<Combination> combinations;
  std::vector<DerivedQuantity> derived;
  std::vector<std::string> words, messages;
  std::string message;     // why there are none, if the fit was interrupted
  std::string text, json;  // as of `stiffit profile`, and with --json
  bool worker = false;     // the coordinator of the processes has the result
};

struct Marginal {
  std::string id, scale;
  double best = 0, mean = 0, median = 0, deviation = 0, low = 0, high = 0;
  double r_hat = 0, effective_bulk = 0, effective_tail = 0;
  bool converged = false;
};

struct BandPoint {
  std::string experiment, quantity;
  double time = 0;
  bool measured = false;
  double mean = 0, deviation = 0;
  double quantiles[5] = {};
};

struct Posterior {
  bool converged = false, interrupted = false;
  std::vector<Marginal> parameters;
  std::vector<DerivedQuantity> derived;
  std::size_t chains = 0, draws_each = 0;
  std::vector<double> draws;  // [chain][draw][parameter], values
  std::vector<BandPoint> bands;
  std::vector<std::string> notes, words, messages;
  long samples_asked = 0, samples = 0;  // draws
  long band_failures = 0;               // time courses that are left out of the bands
  std::string message;                  // why there is none, if the fit was interrupted
  std::string text, json;               // as of `stiffit ensemble`, and with --json
  bool worker = false;                  // the coordinator of the processes has the result
};

}  // namespace api
}  // namespace stiffit
