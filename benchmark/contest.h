// Time at equal achieved error: for a problem and a target error, the fastest of all settings of a
// side that reach it. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "competitors.h"

namespace stiffit::internal::benchmark {

// A setting that reached the target, and what it took.
struct Finding {
  std::string name;  // of the competitor; empty: none reached the target
  double rtol = 0, scale = 0, error = 0;
  double microseconds = 0;  // median
  Counters counters;
};

struct Comparison {
  std::string problem, group;
  int n = 0;
  double target = 0;
  std::vector<Finding> ours;  // the best of each method, the fastest first
  Finding cvodes;
  double ratio() const { return cvodes.microseconds / ours.front().microseconds; }
};

struct ContestOptions {
  std::vector<std::string> methods{"rodas5p"};
  std::vector<double> targets{1e-4, 1e-6};
  double seconds = 1.5;  // of timing, for each comparison
};

class Contest {
 public:
  Contest(const ProblemSpec& spec, const ContestOptions& options);
  std::vector<Comparison> compare();
  double doubt() const { return reference_.doubt; }

 private:
  struct Setting {
    double rtol, scale, error, microseconds;
  };
  void keep_useful_solvers();
  template <class Make>
  std::vector<Setting> survey(const double (&scales)[3], Make make);
  static std::vector<Setting> shortlist(const std::vector<Setting>& all, double target);
  Comparison compare_at(double target);

  const ProblemSpec& spec_;
  const ContestOptions& options_;
  Problem problem_;
  Request request_;
  Reference reference_;
  std::vector<CvodesSolver> solvers_;
  std::vector<std::vector<Setting>> ours_;  // by method
  std::vector<Setting> cvodes_;
};

}  // namespace stiffit::internal::benchmark
