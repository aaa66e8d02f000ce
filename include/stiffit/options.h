// What a computation can be asked for. Every field has the default of the program `stiffit`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace stiffit::api {

inline constexpr double automatic_value = std::numeric_limits<double>::quiet_NaN();

// Of everything that may take long.
struct RunOptions {
  // Set it from anywhere, also from a signal handler: the run ends soon and gives what it has.
  const std::atomic<bool>* interrupt = nullptr;
  // Told how far the run is, from 0 to 1; perhaps from another thread, never from two at once.
  std::function<void(double share)> progress = {};
  int threads = 0;  // 0: all cores; the answer does not depend on it
};

// The rows of a time course, and how it is integrated.
struct SimulateOptions {
  double start = automatic_value;          // the model's
  double end = automatic_value;            // the model's customary end, else 100
  long points = 100;                       // points + 1 rows, evenly spaced
  std::vector<double> times = {};          // ascending: exactly these rows instead
  std::map<std::string, double> set = {};  // parameters, compartments, initial values
  std::vector<std::string> show = {};      // S, [S], amount(S), rate(J), S'; empty: the model's own
  bool amounts = false;                    // species as amounts
  std::vector<std::string> sensitivities = {};  // derivatives by these
  std::string method = "automatic";             // a name of methods()
  double rtol = 1e-6;
  double atol = -1;                   // negative: scaled for each species
  double step = 0;                    // > 0: steps of this size, without error control
  double max_step = automatic_value;  // no step is longer; else as long as the errors allow
  long max_steps = 500000;
  RunOptions run = {};
};

struct StiffnessOptions {
  double start = automatic_value, end = automatic_value;
  double span = automatic_value;  // of interest; else end - start
  long points = 800;
  std::map<std::string, double> set = {};
  double max_step = automatic_value;
  RunOptions run = {};
};

struct SteadyOptions {
  std::map<std::string, double> set = {};
  double rtol = 1e-8, atol = -1;
  double max_step = automatic_value;
  long max_steps = 50000;
  RunOptions run = {};
};

// A cloud of parameter sets of a model.
struct CloudOptions {
  // Name and distribution: lognormal(median,sd of log), normal(mean,sd), uniform(low,high),
  // loguniform(low,high).
  std::vector<std::pair<std::string, std::string>> sample = {};
  long samples = 1000;
  std::uint64_t seed = 1;
  double start = automatic_value, end = automatic_value;
  long points = 100;
  std::map<std::string, double> set = {};
  std::vector<std::string> show = {};
  std::string method = "automatic";
  double rtol = 1e-6, atol = -1;
  double max_step = automatic_value;
  RunOptions run = {};
};

// How the objective of a problem is computed.
struct ObjectiveOptions {
  double rtol = 1e-8, atol = -1;
  double max_step = automatic_value;
  std::string gradient = "automatic";  // or forward, adjoint
  bool derivatives = true;             // false: values only, which is less to compile
  const std::atomic<bool>* interrupt = nullptr;
};

// Of fits, profiles and ensembles of a problem. `more` are further options of the program's command
// by their names without dashes, for instance {"sampling", "sobol"} or {"output", "folder"}; what
// is a flag there has an empty value.
struct FitOptions {
  std::string method = "trust-region";
  int starts = 0;                      // 0: 1, or 20 if there are no start values
  std::string start_from = "nominal";  // or random, a linear method, a table of values
  std::uint64_t seed = 1;
  std::map<std::string, std::string> more = {};
  RunOptions run = {};
};

struct ProfileOptions {
  std::vector<std::string> parameters = {};  // empty: all unknowns
  FitOptions fit = {};                       // which comes first
};

struct PosteriorOptions {
  long samples = 0;                  // draws; 0: 10,000 and as many more as convergence needs
  std::string sampler = "adaptive";  // or tempered, langevin
  int chains = 8;
  FitOptions fit = {};
};

}  // namespace stiffit::api
