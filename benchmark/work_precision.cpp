// Stiffit against CVODES compiled for speed, at equal achieved error. Prints Markdown.
//   work_precision [--only TEXT] [--methods A,B] [--seconds S]
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>

#include "base/diagnostic.h"
#include "comma_list.h"
#include "contest.h"
#include "guarded_main.h"

namespace {

using namespace stiffit::internal;
using namespace stiffit::internal::benchmark;

void print(const Comparison& c) {
  if (c.ours.empty() || c.cvodes.name.empty()) {
    std::printf("| %s | %d | %.0e | %s did not reach it |\n", c.problem.c_str(), c.n, c.target,
                c.ours.empty() ? "we" : "CVODES");
    return;
  }
  for (const Finding& f : c.ours)
    std::printf(
        "| %s | %d | %.0e | %s | %.1f | %ld+%ld | %.1e | %s | %.1f | %ld+%ld | %.1e | %.1f |\n",
        c.problem.c_str(), c.n, c.target, f.name.c_str(), f.microseconds, f.counters.steps,
        f.counters.rejected, f.rtol, c.cvodes.name.c_str(), c.cvodes.microseconds,
        c.cvodes.counters.steps, c.cvodes.counters.rejected, c.cvodes.rtol,
        c.cvodes.microseconds / f.microseconds);
}

int run(int count, char** words) {
  ContestOptions options;
  std::string only;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string value = words[i + 1];
    if (!std::strcmp(words[i], "--only"))
      only = value;
    else if (!std::strcmp(words[i], "--methods"))
      options.methods = comma_list(value);
    else if (!std::strcmp(words[i], "--seconds"))
      options.seconds = std::stod(value);
    else
      throw std::invalid_argument(std::string("unknown option ") + words[i]);
  }
  std::printf(
      "| problem | n | error | method | us | steps | rtol | CVODES | us | steps | rtol | "
      "ratio |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::map<std::string, std::pair<double, int>> means;
  std::string doubts;
  for (const ProblemSpec& spec : problem_specs()) {
    if (spec.name.find(only) == std::string::npos) continue;
    try {
      Contest contest(spec, options);
      char doubt[80];
      std::snprintf(doubt, sizeof doubt, " %s %.1e;", spec.name.c_str(), contest.doubt());
      doubts += doubt;
      for (const Comparison& c : contest.compare()) {
        print(c);
        if (c.ours.empty() || c.cvodes.name.empty()) continue;
        char key[40];
        std::snprintf(key, sizeof key, "%s, error %.0e", spec.group.c_str(), c.target);
        for (const std::string& name : {std::string(key), spec.group}) {
          means[name].first += std::log(c.ratio());
          ++means[name].second;
        }
      }
    } catch (const InputError& missing) {
      std::printf("| %s | left out: %s |\n", spec.name.c_str(), missing.what());
    }
    std::fflush(stdout);
  }
  std::printf("\nGeometric means of the ratio:");
  for (auto& [name, sum] : means)
    std::printf(" %s: %.1f;", name.c_str(), std::exp(sum.first / sum.second));
  std::printf("\n\nReference solutions, difference from CVODES at rtol 1e-12:%s\n", doubts.c_str());
  return 0;
}

}  // namespace

int main(int count, char** words) { return guarded_main("work_precision", run, count, words); }
