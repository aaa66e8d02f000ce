// Ensembles in lanes against CVODES one by one, at equal achieved error. Prints Markdown.
//   ensembles [--only TEXT] [--methods A,B] [--lanes 4,8] [--samples N] [--seconds S]
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>

#include "comma_list.h"
#include "ensemble_contest.h"
#include "guarded_main.h"

namespace {

using namespace stiffit::internal::benchmark;

void print(const std::string& problem, const EnsembleComparison& c) {
  if (c.ours.empty() || c.cvodes.name.empty()) {
    std::printf("| %s | %d | %s did not reach it |\n", problem.c_str(), c.n,
                c.ours.empty() ? "we" : "CVODES");
    return;
  }
  for (const EnsembleFinding& f : c.ours)
    std::printf(
        "| %s | %d | %s | %.2f | %.0f | %.1e | %ld | %s | %.1f | %.0f | %.1e | %ld | %.1f |\n",
        problem.c_str(), c.n, f.name.c_str(), f.microseconds, f.steps, f.rtol, f.samples,
        c.cvodes.name.c_str(), c.cvodes.microseconds, c.cvodes.steps, c.cvodes.rtol,
        c.cvodes.samples, c.cvodes.microseconds / f.microseconds);
}

int run(int count, char** words) {
  EnsembleOptions options;
  std::string only;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string value = words[i + 1];
    if (!std::strcmp(words[i], "--only"))
      only = value;
    else if (!std::strcmp(words[i], "--methods"))
      options.methods = comma_list(value);
    else if (!std::strcmp(words[i], "--lanes")) {
      options.lanes.clear();
      for (const std::string& lanes : comma_list(value)) options.lanes.push_back(std::stoi(lanes));
    } else if (!std::strcmp(words[i], "--samples"))
      options.samples = std::stol(value);
    else if (!std::strcmp(words[i], "--seconds"))
      options.seconds = std::stod(value);
    else
      throw std::invalid_argument(std::string("unknown option ") + words[i]);
  }
  std::printf(
      "| problem | n | method | us | steps | rtol | runs | CVODES | us | steps | rtol | runs | "
      "ratio |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  double logarithms = 0;
  int five = 0;
  std::string threads, doubts, wholes;
  for (const ProblemSpec& spec : problem_specs()) {
    if (spec.name.find(only) == std::string::npos || spec.group == "reported") continue;
    const EnsembleComparison c = compare_ensemble(spec, options);
    print(spec.name, c);
    std::fflush(stdout);
    if (c.ours.empty() || c.cvodes.name.empty()) continue;
    char text[80];
    std::snprintf(text, sizeof text, " %s %.2f;", spec.name.c_str(), c.two_threads);
    threads += text;
    std::snprintf(text, sizeof text, " %s %.1e;", spec.name.c_str(), c.doubt);
    doubts += text;
    char whole[160];
    std::snprintf(whole, sizeof whole, " %s %s %.2f us, %.0f steps, %ld of %ld failed;",
                  spec.name.c_str(), c.whole.name.c_str(), c.whole.microseconds, c.whole.steps,
                  c.whole.failed, c.whole.samples);
    wholes += whole;
    if (c.n < 40) {
      logarithms += std::log(c.cvodes.microseconds / c.ours.front().microseconds);
      ++five;
    }
  }
  if (five)
    std::printf("\nGeometric mean of the ratio of the %d small ones: %.1f\n", five,
                std::exp(logarithms / five));
  std::printf("\nOurs on all samples, time per trajectory:%s\n", wholes.c_str());
  std::printf("\nTwo threads, times faster than one by the clock:%s\n", threads.c_str());
  std::printf("\nReference solutions, difference from CVODES at rtol 1e-12:%s\n", doubts.c_str());
  return 0;
}

}  // namespace

int main(int count, char** words) { return guarded_main("ensembles", run, count, words); }
