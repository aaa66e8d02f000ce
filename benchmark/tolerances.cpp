// One method over all tolerances: steps, achieved error, time per step. For tuning and profiling:
//   tolerances PROBLEM METHOD [REPEATS [RTOL [SCALE]]]
// PROBLEM is part of a name, METHOD one of ours or "cvodes" (-O3, KLU/AMD from 20 states on).
// SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "competitors.h"

namespace {

using namespace stiffit::internal;
using namespace stiffit::internal::benchmark;

double cpu_microseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * double(now.tv_sec) + 1e-3 * double(now.tv_nsec);
}

void measure(const ProblemSpec& spec, const std::string& method, int repeats, double only,
             double scale) {
  const Problem problem = build(spec);
  const Request request = request_of(spec, end_of(spec));
  const Reference reference = find_reference(problem, request);
  for (int half = 4; half <= 22; half += 2) {
    const double rtol = only > 0 ? only : std::pow(10.0, -0.5 * half);
    const auto solver = problem.program->states < 20 ? CvodesSolver::dense : CvodesSolver::klu_amd;
    auto competitor = method == "cvodes" ? make_cvodes(problem, request, CvodesBuild::o3, solver,
                                                       rtol, scale, reference.largest)
                                         : make_ours(problem, request, method, rtol, scale);
    std::vector<double> states;
    double best = 1e300;
    RunResult result;
    for (int k = 0; k < repeats; ++k) {
      const double begin = cpu_microseconds();
      result = competitor->run(states);
      best = std::min(best, cpu_microseconds() - begin);
    }
    const Counters& c = result.counters;
    std::printf(
        "%-18s rtol %.0e  steps %6ld+%-4ld J %5ld LU %5ld  error %.2e  %9.1f us  %.1f ns/step\n",
        spec.name.c_str(), rtol, c.steps, c.rejected, c.j, c.lu,
        result.done ? reference.error(states) : NAN, best,
        1e3 * best / double(c.steps + c.rejected));
    if (only > 0) break;
  }
}

}  // namespace

int main(int count, char** words) try {
  const std::string name = count > 1 ? words[1] : "", method = count > 2 ? words[2] : "rodas5p";
  const int repeats = count > 3 ? std::atoi(words[3]) : 20;
  const double rtol = count > 4 ? std::atof(words[4]) : 0;
  const double scale = count > 5 ? std::atof(words[5]) : 1e-3;
  for (const ProblemSpec& spec : problem_specs())
    if (spec.name.find(name) != std::string::npos) measure(spec, method, repeats, rtol, scale);
} catch (const std::exception& trouble) {
  std::fprintf(stderr, "tolerances: %s\n", trouble.what());
  return 1;
}
