// Processor time per trajectory of an ensemble at equal achieved error: ours in lanes, CVODES one
// by one. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "competitors.h"

namespace stiffit::internal::benchmark {

struct EnsembleOptions {
  std::vector<std::string> methods{"rodas5p", "dopri5"};
  std::vector<int> lanes{4};
  double sigma = 0.2;    // of the logarithm of every parameter
  double target = 1e-4;  // error
  long samples = 10000;  // of ours
  double seconds = 10;   // of timing at most; fewer samples are run where that does not suffice
};

// The fastest setting of a side that reaches the target.
struct EnsembleFinding {
  std::string name;  // empty: none reached it
  double rtol = 0, scale = 0, error = 0;
  double microseconds = 0;  // per trajectory
  double steps = 0;         // per trajectory, rejected ones included
  long samples = 0, failed = 0;
};

struct EnsembleComparison {
  int n = 0;
  double doubt = 0;                   // difference between two independent reference solutions
  std::vector<EnsembleFinding> ours;  // of each method and number of lanes, the fastest first
  EnsembleFinding cvodes;
  EnsembleFinding whole;   // our fastest on all samples
  double two_threads = 0;  // time on the clock of one thread over that of two, of the fastest
};

EnsembleComparison compare_ensemble(const ProblemSpec& spec, const EnsembleOptions& options);

}  // namespace stiffit::internal::benchmark
