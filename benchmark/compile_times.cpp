// How long it takes from a model's text to runnable code: the first time in the process, and the
// median of many. Prints Markdown. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "base/diagnostic.h"
#include "problems.h"

namespace {

using namespace stiffit::internal;
using namespace stiffit::internal::benchmark;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print(const char* name, const char* when, const Problem& p, const BuildTimes& t) {
  std::printf("| %s | %d | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %zu | %zu | %zu |\n", name,
              p.program->states, when, t.read, t.resolve, t.compile, t.linear, t.compile + t.linear,
              p.program->rhs.code_bytes(), p.program->jacobian.code_bytes(),
              p.linear->code_bytes());
}

void measure(const ProblemSpec& spec) {
  BuildTimes t;
  Problem problem = build(spec, 1, &t);
  print(spec.name.c_str(), "first", problem, t);
  std::vector<double> read, resolve, compile, linear;
  for (int i = 0; i < 15; ++i) {
    build(spec, 1, &t);
    read.push_back(t.read);
    resolve.push_back(t.resolve);
    compile.push_back(t.compile);
    linear.push_back(t.linear);
  }
  print(spec.name.c_str(), "median", problem,
        {median(read), median(resolve), median(compile), median(linear)});
}

}  // namespace

int main(int count, char** words) {
  const std::string only = count > 1 ? words[1] : "";
  std::printf(
      "| model | n | | read ms | resolve | compile f, J | LU, solve | code in all | f bytes "
      "| J bytes | LU bytes |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const ProblemSpec& spec : problem_specs()) {
    if (spec.name.find(only) == std::string::npos) continue;
    try {
      measure(spec);
    } catch (const InputError& missing) {
      std::printf("| %s | left out: %s |\n", spec.name.c_str(), missing.what());
    }
  }
}
