// Taylor series against CVODES Adams (both optimised builds) and DOP853 on problems that are not
// stiff, and on the Oregonator: time for each tolerance, and the fastest way to a given true error.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>

#include "competitors.h"

namespace stiffit::internal::benchmark {
namespace {

struct Spec {
  const char* model;
  double end;
};
const Spec specs[] = {{"lotka", 20},
                      {"lotka-volterra", 50},
                      {"vdp1", 20},
                      {"repressilator", 200},
                      {"oregonator", 40}};
constexpr int outputs = 20;

double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Entry {
  std::unique_ptr<Competitor> competitor;
  std::string name;
  double rtol = 0, error = 0, microseconds = 0;
  long steps = 0;
  bool done = false;
};

// Medians of processor time, competitors in turn.
void time_all(std::vector<Entry>& entries) {
  constexpr int rounds = 9;
  std::vector<std::vector<double>> times(entries.size());
  std::vector<double> states;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i].done) continue;
      int runs = 0;
      const double begin = now();
      do {
        entries[i].competitor->run(states);
        ++runs;
      } while (now() - begin < 2e-3);
      times[i].push_back(1e6 * (now() - begin) / runs);
    }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (times[i].empty()) continue;
    std::nth_element(times[i].begin(), times[i].begin() + rounds / 2, times[i].end());
    entries[i].microseconds = times[i][rounds / 2];
  }
}

void run(const Spec& spec) {
  const Problem problem = build_model(library_model(spec.model));
  Request request;
  for (int i = 1; i <= outputs; ++i) request.times.push_back(spec.end * i / outputs);
  Reference reference;
  make_ours(problem, request, "taylor", 3e-16, 1e-3)->run(reference.states);
  const auto n = static_cast<std::size_t>(problem.program->states);
  reference.largest.assign(n, 0);
  for (std::size_t i = 0; i < reference.states.size(); ++i)
    reference.largest[i % n] = std::max(reference.largest[i % n], std::fabs(reference.states[i]));
  std::vector<double> states;
  make_ours(problem, request, "dop853", 1e-14, 1e-3)->run(states);
  std::printf("\n## %s\n\ntwo references differ by %.1e\n\n", spec.model, reference.error(states));

  std::vector<Entry> entries;
  for (int k = 12; k <= 28; ++k) {  // half decades 1e-6 .. 1e-14
    const double rtol = std::pow(10, -0.5 * k);
    auto add = [&](std::unique_ptr<Competitor> competitor, const char* name) {
      Entry e;
      const RunResult result = competitor->run(states);
      e.done = result.done;
      e.error = reference.error(states);
      e.steps = result.counters.steps;
      e.rtol = rtol;
      e.name = name;
      e.competitor = std::move(competitor);
      entries.push_back(std::move(e));
    };
    add(make_ours(problem, request, "taylor", rtol, 1e-3), "taylor");
    add(make_ours(problem, request, "dop853", rtol, 1e-3), "dop853");
    for (CvodesBuild build : {CvodesBuild::o3, CvodesBuild::o2})
      add(make_cvodes_adams(problem, request, build, rtol, 1e-3, reference.largest), "adams");
  }
  time_all(entries);
  auto shown = [](const Entry& e) {
    return std::fabs(std::remainder(std::log10(e.rtol), 1)) < 0.1;
  };
  std::printf("| rtol | taylor: steps, error, us | dop853 | CVODES Adams | times Adams/Taylor |\n");
  std::printf("|---|---|---|---|---|\n");
  for (std::size_t i = 0; i + 3 < entries.size(); i += 4) {
    if (!shown(entries[i])) continue;
    const Entry& adams =
        entries[i + 2].microseconds < entries[i + 3].microseconds ? entries[i + 2] : entries[i + 3];
    std::printf("| %.0e ", entries[i].rtol);
    for (const Entry* e : std::initializer_list<const Entry*>{&entries[i], &entries[i + 1], &adams})
      std::printf("| %ld, %.1e, %.1f ", e->steps, e->error, e->microseconds);
    std::printf("| %.1f |\n", adams.microseconds / entries[i].microseconds);
  }
  std::printf("\n| error | taylor us | dop853 us | Adams us | over Adams | over dop853 |\n");
  std::printf("|---|---|---|---|---|---|\n");
  for (double target : {1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
    double best[3] = {INFINITY, INFINITY, INFINITY};
    const char* names[3] = {"taylor", "dop853", "adams"};
    for (const Entry& e : entries)
      for (int k = 0; k < 3; ++k)
        if (e.done && e.name == names[k] && e.error <= target)
          best[k] = std::min(best[k], e.microseconds);
    std::printf("| %.0e | %.1f | %.1f | %.1f | %.1f | %.1f |\n", target, best[0], best[1], best[2],
                best[2] / best[0], best[1] / best[0]);
  }
}

}  // namespace
}  // namespace stiffit::internal::benchmark

int main() {
  for (const auto& spec : stiffit::internal::benchmark::specs)
    stiffit::internal::benchmark::run(spec);
}
