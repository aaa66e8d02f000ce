// The two sides of the comparison, each able to run one problem again and again in the same memory:
// our methods, and CVODES on the optimised builds with the same compiled f and J.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems.h"

namespace stiffit::internal::benchmark {

struct RunResult {
  bool done = false;
  Counters counters;
};

class Competitor {
 public:
  virtual ~Competitor() = default;
  virtual RunResult run(std::vector<double>& states) = 0;  // [output][state]
  virtual void set_parameters(const std::vector<double>& values) = 0;
  std::string name;  // "rodas5p", "cvodes -O2 dense"
};

// `scale`: the absolute tolerance of a state is scale * rtol * its largest magnitude.
std::unique_ptr<Competitor> make_ours(const Problem& problem, const Request& request,
                                      const std::string& method, double rtol, double scale);

enum class CvodesBuild { o3, o2 };
enum class CvodesSolver { dense, klu_amd, klu_colamd };
// `largest` of each state, from the reference: known to CVODES before the run, to ours not.
std::unique_ptr<Competitor> make_cvodes(const Problem& problem, const Request& request,
                                        CvodesBuild build, CvodesSolver solver, double rtol,
                                        double scale, const std::vector<double>& largest);

// Adams-Moulton with fixed-point iteration.
std::unique_ptr<Competitor> make_cvodes_adams(const Problem& problem, const Request& request,
                                              CvodesBuild build, double rtol, double scale,
                                              const std::vector<double>& largest);

// Tight rodas5p, checked against tight CVODES. Throws if it does not finish.
Reference find_reference(const Problem& problem, const Request& request);

}  // namespace stiffit::internal::benchmark
