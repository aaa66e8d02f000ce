// What a computation can be asked for. Every field has the default of the program `stiffit`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stiffit {
inline namespace api {

inline constexpr double automatic_value = std::numeric_limits<double>::quiet_NaN();

// How far a run is, in what it counts.
struct Progress {
  double first = 0, last = 1, at = 0;
  std::string things = {};  // starts, generations, runs, %; empty: the time of the model
  bool ended = false;       // this stage; others may follow
};

class Processes;  // of stiffit/processes.h

// Of everything that may take long.
struct RunOptions {
  // Set it from anywhere, also from a signal handler: the run ends soon and gives what it has.
  const std::atomic<bool>* interrupt = nullptr;
  // Told how far the run is, from 0 to 1; perhaps from another thread, never from two at once.
  std::function<void(double share)> progress = {};
  int threads = 0;  // 0: all cores; the answer does not depend on it
  // The same as `progress`, stage by stage.
  std::function<void(const Progress&)> stage = {};
  // Told of warnings and notes as they come, which are in the result as well.
  std::function<void(const std::string& text)> message = {};
  // Of fits, profiles and ensembles: other processes that share the work; null: none.
  Processes* processes = nullptr;
};

// The rows of a time course, and how it is integrated.
struct SimulateOptions {
  double start = automatic_value;          // the model's
  double end = automatic_value;            // the model's default end time, else 100
  long points = 100;                       // points + 1 rows, evenly spaced
  std::vector<double> times = {};          // ascending: exactly these rows instead
  std::map<std::string, double> set = {};  // parameters, compartments, initial values
  double assumed_size = automatic_value;   // of compartments that the model gives none
  std::vector<std::string> show = {};      // S, [S], amount(S), rate(J), S'; empty: the model's own
  bool amounts = false;                    // species as amounts
  std::vector<std::string> sensitivities = {};  // derivatives by these
  std::string method = "automatic";             // a name of methods()
  double rtol = 1e-6;
  double atol = -1;                   // negative: scaled for each species
  double step = 0;                    // > 0: steps of this size, without error control
  double max_step = automatic_value;  // no step is longer; else as long as the errors allow
  long max_steps = 500000;
  int max_order = 0;  // of methods that have several; 0: their own
  // With negative real parts, one of each pair: what fitted methods are fitted to. Empty: the
  // dominant one, estimated.
  std::vector<std::complex<double>> eigenvalues = {};
  int lanes = 1;  // trajectories computed side by side: 1, 4 or 8; the answer is that of one
  std::size_t most_values = 2'000'000'000;  // rows times states and columns; more is TooLarge
  // The model stays compiled for the next simulation, which may set other values. False: compiled
  // for this one, with its values.
  bool keep = true;
  RunOptions run = {};
};

struct StiffnessOptions {
  double start = automatic_value, end = automatic_value;
  double span = automatic_value;  // of interest; else end - start
  long points = 800;
  std::map<std::string, double> set = {};
  double assumed_size = automatic_value;
  double max_step = automatic_value;
  RunOptions run = {};
};

struct SteadyOptions {
  std::map<std::string, double> set = {};
  double assumed_size = automatic_value;
  double rtol = 1e-8, atol = -1;
  double max_step = automatic_value;
  long max_steps = 50000;
  RunOptions run = {};
};

// An ensemble of parameter sets of a model.
struct ParameterEnsembleOptions {
  // Name and distribution: lognormal(median,sd of log), normal(mean,sd), uniform(low,high),
  // loguniform(low,high).
  std::vector<std::pair<std::string, std::string>> sample = {};
  // Functions of the parameters whose distribution is wanted: "Km = (k_1+k2)/k1".
  std::vector<std::string> derive = {};
  long samples = 1000;
  std::uint64_t seed = 1;
  double start = automatic_value, end = automatic_value;
  long points = 100;
  std::map<std::string, double> set = {};
  double assumed_size = automatic_value;
  std::vector<std::string> show = {};
  std::string method = "automatic";
  double rtol = 1e-6, atol = -1;
  double max_step = automatic_value;
  // The run's directory: tables, report and the state that `resume` goes on from. Empty: none.
  std::string output = {};
  bool rows = false;   // in it also samples.csv: the curves of every sample
  long histogram = 0;  // in it also histograms.csv: N bins for each time and quantity
  bool resume = false;
  std::string report = {};  // an HTML page; empty: none
  RunOptions run = {};
};

// A parameter, compartment or initial value and the values that it takes.
struct ScanAxis {
  std::string name;
  std::vector<double> values;
  bool operator==(const ScanAxis&) const = default;
};

struct ScanOptions {
  std::vector<ScanAxis> vary = {};  // every combination is run; the last axis moves fastest
  double start = automatic_value, end = automatic_value;
  long points = 1;  // points + 1 rows of each run: start and end
  std::map<std::string, double> set = {};
  double assumed_size = automatic_value;
  std::vector<std::string> show = {};
  std::string method = "automatic";
  double rtol = 1e-6, atol = -1;
  double max_step = automatic_value;
  RunOptions run = {};
};

struct CompareOptions {
  std::vector<std::string> methods = {};            // empty: all
  std::vector<double> errors = {1e-2, 1e-4, 1e-6};  // true errors to reach
  double start = automatic_value, end = automatic_value;
  long points = 50;  // errors are measured at points + 1 times
  std::map<std::string, double> set = {};
  double assumed_size = automatic_value;
  double max_step = automatic_value;
  long max_steps = 2'000'000;  // a run that needs more has failed
  bool steps = false;          // also the steps of each method times the eigenvalues it met
  RunOptions run = {};
};

struct ReduceOptions {
  // Without any of these the species of the fastest mode are taken away.
  std::vector<std::string> fast = {};      // taken to be at rest at all times
  std::vector<std::string> constant = {};  // held at their initial values
  bool polynomial = false;                 // the quadratic form instead, which stands alone
  bool composite = false;                  // adds NAME_composite: with the initial layer
  double end = automatic_value;            // both are compared up to here
  long points = 200;
  double rtol = 1e-9;
  std::map<std::string, double> set = {};
  double assumed_size = automatic_value;
  RunOptions run = {};
};

// Of a system that is given as functions.
struct IntegrateOptions {
  std::string method = "automatic";  // a name of methods(), but for those that need the equations
  double rtol = 1e-6;
  double atol = -1;                   // negative: scaled for each state
  double step = 0;                    // > 0: steps of this size, without error control
  double max_step = automatic_value;  // no step is longer; else as long as the errors allow
  long max_steps = 500000;
  int max_order = 0;  // of methods that have several; 0: their own
  RunOptions run = {};
};

// How the objective of a problem is computed.
struct ObjectiveOptions {
  std::string integrator = {};  // one that gives sensitivities; empty: the usual one
  double rtol = 1e-8, atol = -1;
  double max_step = automatic_value;
  long max_steps = 100000;
  std::string gradient = "automatic";  // or forward, adjoint
  bool derivatives = true;             // false: values only, which is less to compile
  const std::atomic<bool>* interrupt = nullptr;
};

// The objective at one point, and whether its gradient is right.
struct EvaluateOptions {
  std::string at = "nominal";  // or perturbed, a table of values, name=value,...
  bool gradient = false;       // on the estimation scale
  bool hessian = false;        // the Fisher information, likewise
  bool simulations = false;    // what the model says about each measurement, as a PEtab table
  bool check = false;          // forward and adjoint gradient against differences
  long sample = 0;             // of the check: only N parameters; 0: all
  double difference_rtol = 0;  // of the check; 0: 1e-11, or rtol if smaller
  std::uint64_t seed = 1;      // of what is perturbed, and sampled
  bool settle = true;  // a gradient that moves with the tolerance is integrated with a smaller one
  ObjectiveOptions objective = {};
};

// Of fits, profiles and ensembles of a problem. Zeros and empty texts that are defaults stand for
// what the method or the problem makes of them. option_list<FitOptions>() of stiffit/lists.h has a
// line of help, the range and the default of each.
struct FitOptions {
  std::string method = "trust-region";
  int starts = 0;                      // 0: 1, or 20 if there are no start values
  std::string start_from = "nominal";  // or random, a linear method, a table of values
  std::uint64_t seed = 1;

  // The search.
  int screen = 50;                 // candidates for each random start
  std::string sampling = "latin";  // of random starts: latin, sobol, uniform
  std::string hessian = "hybrid";  // of trust-region: hybrid, fisher, bfgs
  bool projection = true;          // solves for linear unknowns inside
  bool growing = true;             // fits the beginning of oscillating data first
  int iterations = 500;            // of one descent at most

  // The integrations.
  std::string integrator = {};    // one that gives sensitivities; empty: the usual one
  double rtol = 1e-8, atol = -1;  // negative: scaled for each species
  double max_step = automatic_value;
  long max_steps = 100000;

  // The run's directory: results, report and the state that `resume` goes on from. Empty: none.
  std::string output = {};
  bool resume = false;
  std::string report = {};  // an HTML page; empty: none

  // Of the methods evolution, cma-es and differential-evolution.
  int generations = 0, parents = 0, offspring = 0, restarts = 0;
  std::string selection = {};        // of evolution: comma (default), plus
  std::string recombination = {};    // of evolution: none (default), discrete, intermediate
  double spread = 0;                 // of the first generation to each side of the start
  std::optional<bool> descent = {};  // of the best one at the end; default: yes

  // Functions of the parameters to estimate and to give limits of: "Km = (k_1+k2)/k1".
  std::vector<std::string> derive = {};

  // Of gradient-flow.
  std::string flow = {};  // accelerated (default), stiff, runge-kutta
  int degree = 0;         // of the polynomials of an accelerated one, 1 to 4; default 2

  // Of fits and profiles.
  double level = 0.95;  // of limits, and of what is said of them
  int rivals = -1;      // further starts that look for other minima; -1: 8, where that is cheap

  // Of a fit that is asked for itself, not of one that a profile or an ensemble begins with.
  double limits_time = 10;  // seconds, about, that limits may take
  bool advice = true;       // which measurements would help most
  // What they are to tell: unknowns and names of `derive`; empty: all unknowns of the network.
  std::vector<std::string> interest = {};
  std::vector<std::string> measurable = {};  // species that could be measured as well
  std::string profiles = "auto";             // of the unknowns in doubt; yes: of all, no: of none
  int bootstrap = 0;                         // fits of drawn data, for limits; 0: none
  std::string bootstrap_kind = "residual";   // what is drawn: residual, case
  std::string progress_file = {};            // a JSON document that is kept up to date; empty: none
  std::string quadrature = "trapezoid";      // of integral: trapezoid, cubic, spline
  std::string bias_correction = "yes";       // of integral: yes (by simulation), analytic, no
  bool nonnegative = false;                  // of integral: no rate below zero
  // Of integral, as the command line takes them: "x1 = 1+time", "w = S, exp(-age/3)/3",
  // "x1 @ 0.3 = 10".
  std::vector<std::string> weight = {}, memory = {}, point_weight = {};

  RunOptions run = {};
};

struct ProfileOptions {
  std::vector<std::string> parameters = {};  // empty: all unknowns
  int points = 60;                           // on each side, at most
  // Values to profile as well: "P at 300", "P at 300 in low_dose".
  std::vector<std::string> predict = {};
  // Two unknowns whose common region is followed: "k1:k2".
  std::vector<std::string> pairs = {};
  FitOptions fit = {};  // which comes first
};

struct PosteriorOptions {
  long samples = 0;                  // draws; 0: 10,000 and as many more as convergence needs
  std::string sampler = "adaptive";  // or tempered, langevin
  int chains = 8;
  int temperatures = 0;      // of a tempered sampler; 0: 6
  long warmup = 0;           // iterations that are not kept; 0: 2000 + 300 per unknown
  long thin = 0;             // iterations between draws that are kept; 0: the unknowns
  int points = 50;           // of the bands' time courses
  long band_samples = 1000;  // draws that the bands are made of
  FitOptions fit = {};
};

}  // namespace api
}  // namespace stiffit
