// How much slower Debian's build of SUNDIALS is than the same source compiled for speed:
// Robertson's problem with hand-written callbacks through both, interleaved, medians. Shows that
// the yardstick is the fast one and that both walk the same steps. SPDX-License-Identifier:
// Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "optimised_cvodes.h"

namespace {

using namespace stiffit::internal;

void rhs(void*, double, const double* y, double* f) {
  const double a = 0.04 * y[0], b = 1e4 * y[1] * y[2], c = 3e7 * y[1] * y[1];
  f[0] = b - a;
  f[1] = a - b - c;
  f[2] = c;
}

void jacobian(void*, double, const double* y, double* j) {
  const double b1 = 1e4 * y[2], b2 = 1e4 * y[1], c1 = 6e7 * y[1];
  j[0] = -0.04, j[1] = 0.04;
  j[2] = b1, j[3] = -b1 - c1, j[4] = c1;
  j[5] = b2, j[6] = -b2;
}

struct Timing {
  std::vector<double> microseconds;
  CvodesOutcome outcome;
  double last[3] = {};

  void add(CvodesRunner& runner, const std::vector<double>& times) {
    const double y0[] = {1, 0, 0};
    const auto sink = [](void* state, std::size_t, double, const double* y) {
      std::copy_n(y, 3, static_cast<double*>(state));
    };
    const auto begin = std::chrono::steady_clock::now();
    outcome = runner.run(0, y0, times.data(), times.size(), sink, last);
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - begin;
    microseconds.push_back(spent.count());
  }
  double quantile(double q) {
    std::sort(microseconds.begin(), microseconds.end());
    return microseconds[static_cast<std::size_t>(q * double(microseconds.size() - 1))];
  }
};

void compare(const char* name, const CvodesOptions& options) {
  const Sparsity pattern{3, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 0, 1}};
  const CvodesProblem problem{3, &pattern, rhs, jacobian, nullptr};
  std::vector<double> times;
  for (int i = 0; i <= 11; ++i) times.push_back(0.4 * std::pow(10.0, i));
  const auto debian = make_cvodes_runner(problem, options);
  const auto fast = make_cvodes_runner_o3(problem, options);
  Timing a, b;
  for (int i = 0; i < 301; ++i) {
    a.add(*debian, times);
    b.add(*fast, times);
  }
  std::printf(
      "%-22s %8.1f [%.1f %.1f] us %8.1f [%.1f %.1f] us  ratio %.2f  steps %ld %ld  y0 %.9e %.9e\n",
      name, a.quantile(0.5), a.quantile(0.25), a.quantile(0.75), b.quantile(0.5), b.quantile(0.25),
      b.quantile(0.75), a.quantile(0.5) / b.quantile(0.5), a.outcome.counters.steps,
      b.outcome.counters.steps, a.last[0], b.last[0]);
}

}  // namespace

int main() {
  std::printf(
      "Robertson to t = 4e10, 12 outputs: Debian's SUNDIALS, optimised (median [quartiles])\n");
  const double atol[] = {1e-10, 1e-14, 1e-10};
  CvodesOptions options;
  options.rtol = 1e-6;
  options.atol = atol;
  compare("dense", options);
  options.linear = CvodesLinear::klu;
  compare("klu, amd", options);
  options.ordering = KluOrdering::colamd;
  compare("klu, colamd", options);
}
