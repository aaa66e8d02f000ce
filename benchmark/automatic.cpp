// The default method beside each single one at equal achieved error: every SBML model of a folder
// (t 0..100) and every library model. The error is the largest difference from a tight run in units
// of each column's largest value; each method takes the fastest of the half-decade tolerances
// 1e-2 .. 1e-13 that reaches it. Times are processor time, the least of several runs. Prints a line
// for each model and the geometric mean of automatic over the best single method.
// Usage: automatic FOLDER ERROR [PART-OF-NAME]
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "column_error.h"
#include "io/files/load_model.h"
#include "model/library/library.h"
#include "ode/methods/automatic/automatic_choice.h"
#include "ode/simulate.h"
#include "symbolic/system_builder.h"

namespace {

using namespace stiffit::internal;

const std::vector<std::string> methods_compared{"automatic", "rodas5p", "bdf",
                                                "dopri5",    "dop853",  "taylor"};

double processor_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct Best {
  double milliseconds = INFINITY, rtol = NAN;
  long steps = 0;
};

struct Case {
  Problem problem;
  Request request;
};

Case prepare(const std::string& name) {
  LoadedModel loaded = load_model(name);
  SystemOptions options;
  options.start_time = 0;
  ResolvedSystem resolved = resolve(loaded.model, options);
  Case result;
  result.problem = make_problem(compile(resolved.system, resolved.columns));
  const double end = loaded.model->end_time > 0 ? loaded.model->end_time : 100;
  for (int i = 0; i <= 100; ++i) result.request.times.push_back(end * i / 100);
  return result;
}

Best best_of(const Case& c, const std::string& method, const Trajectory& trusted, double target,
             double limit) {
  Best best;
  const std::size_t columns = c.problem.program->output_names.size();
  IntegrationOptions warm;
  warm.method = method;
  warm.rtol = 1e-2;
  simulate(c.problem, c.request, warm);  // code that is made when first used
  for (double exponent = -2; exponent >= std::max(-13.0, std::log10(target) - 6); exponent -= 0.5) {
    IntegrationOptions options;
    options.method = method;
    options.rtol = std::pow(10.0, exponent);
    options.max_steps = 200000;
    double least = INFINITY;
    Trajectory run;
    for (int repetition = 0; repetition < 5; ++repetition) {
      const double begin = processor_milliseconds();
      run = simulate(c.problem, c.request, options);
      const double spent = processor_milliseconds() - begin;
      least = std::min(least, spent);
      if (spent > 200 || run.outcome.status != Status::done) break;
    }
    if (run.outcome.status == Status::too_many_steps) break;  // tighter takes no fewer
    if (benchmark::column_error(run, trusted, columns) <= target) {
      best = {least, options.rtol, run.outcome.counters.steps};
      break;  // tighter is slower
    }
    if (least > limit) break;
  }
  return best;
}

int run(const std::string& folder, double target, const std::string& part) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".xml") names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  for (const LibraryModel& model : library_models()) names.emplace_back(model.name);
  double logs = 0;
  int count = 0, worse = 0;
  for (const std::string& name : names) {
    const std::string shown = std::filesystem::path(name).stem().string();
    if (shown.find(part) == std::string::npos) continue;
    try {
      Case c = prepare(name);
      IntegrationOptions tight;
      tight.method = "rodas5p";
      tight.rtol = std::min(1e-11, std::max(1e-13, 1e-4 * target));
      tight.max_steps = 5'000'000;
      const Trajectory trusted = simulate(c.problem, c.request, tight);
      if (trusted.outcome.status != Status::done || c.problem.program->states == 0) continue;
      std::printf("%-24s %4d", shown.c_str(), c.problem.program->states);
      std::vector<Best> found;
      double single = INFINITY;
      for (const std::string& method : methods_compared) {
        IntegrationOptions asked;
        asked.method = method;
        if (!refusal(c.problem, asked).empty())
          found.push_back({});
        else
          found.push_back(best_of(c, method, trusted, target, 100));
        if (method != "automatic") single = std::min(single, found.back().milliseconds);
        std::printf("  %9.3f %6ld", found.back().milliseconds, found.back().steps);
        std::fflush(stdout);
      }
      const double ratio = found.front().milliseconds / single;
      const AutomaticChoice choice = choose(c.problem, {});
      std::printf("  %6.2f  %s %.1f\n", ratio, choice.multistep ? "bdf" : "rodas5p", choice.worth);
      if (!std::isfinite(ratio)) {
        worse += std::isfinite(single);
        continue;
      }
      logs += std::log(ratio);
      ++count;
    } catch (const std::exception& trouble) {
      std::printf("%s: %s\n", shown.c_str(), trouble.what());
    }
  }
  std::printf(
      "%d models at error %g: automatic takes %.3f times the best single method; "
      "%d it did not reach\n",
      count, target, std::exp(logs / std::max(count, 1)), worse);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "usage: automatic FOLDER ERROR [PART-OF-NAME]\n");
    return 2;
  }
  return run(words[1], std::atof(words[2]), count > 3 ? words[3] : "");
}
