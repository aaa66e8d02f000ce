// The eight models that the documents compare solvers on, to their ends: the steps and the time
// that the default method, our BDF and CVODES (both optimised builds) need for an error at the end
// of 1e-2 and of 1e-6. The error is max |y - ref|/max(|ref|, 1e-8 max over time |ref|) over the
// states. Tolerances go down in half decades, absolute ones being 0.01 rtol max|x_i|, and of each
// solver the run with the fewest steps below the error counts, as in the documents. Times are
// processor time, medians, in turn. Steps of lsodes and ode15s are printed beside them if the file
// of measurements is there.
// Usage: documents [FOLDER WITH perf_R_deSolve.csv AND perf_octave.csv]
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "base/cpu_clock.h"
#include "competitors.h"

namespace stiffit::internal::benchmark {
namespace {

struct Spec {
  const char *model, *name;  // in the library, in the measurements
};
const Spec specs[] = {{"water-nonstiff", "water_nonstiff"},
                      {"water-moderate", "water_moderate"},
                      {"water-stiff", "water_stiff"},
                      {"stiff1000", "stiff1000"},
                      {"vdp1", "vdp1"},
                      {"vdp1000", "vdp1000"},
                      {"oregonator", "oregonator"},
                      {"repressilator", "repressilator"}};
constexpr double scale = 0.01;

// Steps by model, solver and error, at the end.
using Measured = std::map<std::string, std::string>;
Measured read_measured(const std::string& folder) {
  Measured steps;
  for (const auto& [file, column] : {std::pair{"perf_R_deSolve.csv", 5}, {"perf_octave.csv", 5}}) {
    std::ifstream in(folder + "/" + file);
    for (std::string line; std::getline(in, line);) {
      std::istringstream cells(line);
      std::vector<std::string> row;
      for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
      if (row.size() > 5 && row[2] == "end")
        steps[row[0] + row[1] + row[3]] = row[static_cast<std::size_t>(column)];
    }
  }
  return steps;
}

struct Pick {
  std::unique_ptr<Competitor> competitor;
  double rtol = 0, error = 0;
  long steps = 0;
  std::vector<double> times;
  double median() {
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times.empty() ? NAN : times[times.size() / 2];
  }
};

struct Truth {
  std::vector<double> end, largest;
  double error(const std::vector<double>& states) const {
    double worst = 0;
    for (std::size_t i = 0; i < end.size(); ++i) {
      const double off = std::fabs(states[i] - end[i]);
      const double share = off / std::max(std::fabs(end[i]), 1e-8 * largest[i]);
      if (off > 0 && !(share <= worst)) worst = share;
    }
    return worst;
  }
};

template <class Make>
Pick fewest_steps(const Truth& truth, double target, Make make) {
  Pick best;
  std::vector<double> states;
  for (int half = 2; half <= 26; ++half) {
    const double rtol = std::pow(10, -0.5 * half);
    auto competitor = make(rtol);
    const RunResult result = competitor->run(states);
    if (!result.done) continue;
    const double error = truth.error(states);
    if (!(error <= target) || (best.competitor && best.steps <= result.counters.steps)) continue;
    best = {std::move(competitor), rtol, error, result.counters.steps, {}};
  }
  return best;
}

void time_in_turn(std::vector<Pick>& picks) {
  constexpr int rounds = 15;
  std::vector<double> states;
  for (int round = 0; round < rounds; ++round)
    for (Pick& pick : picks) {
      if (!pick.competitor) continue;
      int runs = 0;
      const double begin = thread_cpu_seconds();
      do {
        pick.competitor->run(states);
        ++runs;
      } while (thread_cpu_seconds() - begin < 2e-3);
      pick.times.push_back(1e6 * (thread_cpu_seconds() - begin) / runs);
    }
}

void run(const Spec& spec, Measured& measured) {
  const Model model = library_model(spec.model);
  const Problem problem = build_model(model);
  Request request;
  for (int i = 1; i <= 400; ++i) request.times.push_back(model.end_time * i / 400);
  const Reference reference = find_reference(problem, request);
  Truth truth;
  truth.largest = reference.largest;
  truth.end.assign(reference.states.end() - static_cast<long>(truth.largest.size()),
                   reference.states.end());
  request.times = {model.end_time};
  for (double target : {1e-2, 1e-6}) {
    std::vector<Pick> picks;
    for (const char* method : {"automatic", "rodas5p", "bdf"})
      picks.push_back(fewest_steps(truth, target, [&](double rtol) {
        return make_ours(problem, request, method, rtol, scale);
      }));
    for (CvodesBuild build : {CvodesBuild::o3, CvodesBuild::o2})
      picks.push_back(fewest_steps(truth, target, [&](double rtol) {
        return make_cvodes(problem, request, build, CvodesSolver::dense, rtol, scale,
                           truth.largest);
      }));
    time_in_turn(picks);
    const double cvodes = std::min(picks[3].median(), picks[4].median());
    const std::string error = target == 1e-2 ? "0.01" : "1e-06";
    std::printf("| %s | %.0e | %ld | %ld | %ld | %ld | %s | %s ", spec.model, target,
                picks[0].steps, picks[1].steps, picks[2].steps, picks[3].steps,
                measured[spec.name + std::string("lsodes") + error].c_str(),
                measured[spec.name + std::string("ode15s") + error].c_str());
    std::printf("| %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", picks[0].median(),
                picks[1].median(), picks[2].median(), cvodes, picks[2].median() / picks[0].median(),
                cvodes / picks[0].median());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace stiffit::internal::benchmark

int main(int count, char** words) {
  using namespace stiffit::internal::benchmark;
  Measured measured = read_measured(count > 1 ? words[1] : STIFFIT_SHARED_DIR "/reference");
  std::printf(
      "| model | error | steps: automatic | rodas5p | bdf | CVODES | lsodes | ode15s | us: "
      "automatic "
      "| rodas5p | bdf | CVODES | bdf/automatic | CVODES/automatic |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Spec& spec : specs) run(spec, measured);
}
