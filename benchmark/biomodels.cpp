// Every SBML model of a folder: processor time to load, compile and integrate (t 0..100, 101 rows,
// no settings), and its error beside that of CVODES at the same tolerance under the same driver.
// Times are medians of interleaved runs; the error is the largest difference from CVODES at rtol
// 1e-11 in units of each column's largest value. Debian's SUNDIALS: for speed see the other
// programs.
//   tools/build build biomodels && build/biomodels ../shared/biomodels > table
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/cpu_clock.h"
#include "column_error.h"
#include "io/files/load_model.h"
#include "ode/simulate.h"
#include "report/text_table.h"
#include "symbolic/system_builder.h"

namespace {

using namespace stiffit::internal;

constexpr int repetitions = 5;

template <class Work>
auto timed(std::vector<double>& milliseconds, Work&& work) {
  const double begin = thread_cpu_seconds();
  auto result = work();
  milliseconds.push_back(1e3 * (thread_cpu_seconds() - begin));
  return result;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? NAN : values[values.size() / 2];
}

std::string text(const char* format, double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

struct Times {
  std::vector<double> load, compile, ours, theirs;
};

struct Model101 {
  Problem problem;
  Request request;
};

Model101 prepare(const std::string& path, Times& times) {
  auto loaded = timed(times.load, [&] { return load_model(path); });
  Model101 result;
  result.problem = timed(times.compile, [&] {
    SystemOptions options;
    options.start_time = 0;
    ResolvedSystem resolved = resolve(loaded.model, options);
    return make_problem(compile(resolved.system, resolved.columns));
  });
  for (int i = 0; i <= 100; ++i) result.request.times.push_back(i);
  return result;
}

std::vector<std::string> row(const std::string& path, std::vector<Times>& all) {
  Times times;
  IntegrationOptions ours, theirs, tight;
  theirs.method = tight.method = "cvodes";
  theirs.max_steps = tight.max_steps = 50'000'000;
  tight.rtol = 1e-11;
  Model101 model;
  Trajectory a, b;
  for (int i = 0; i < repetitions; ++i) {
    model = prepare(path, times);
    a = timed(times.ours, [&] { return simulate(model.problem, model.request, ours); });
    b = timed(times.theirs, [&] { return simulate(model.problem, model.request, theirs); });
  }
  const Trajectory trusted = simulate(model.problem, model.request, tight);
  const Program& program = *model.problem.program;
  const std::size_t columns = program.output_names.size();
  all.push_back(times);
  return {std::filesystem::path(path).stem().string(),
          std::to_string(program.states),
          std::to_string(program.hybrid ? program.hybrid->events.size() : 0),
          text("%.2f", median(times.load)),
          text("%.2f", median(times.compile)),
          text("%.3f", median(times.ours)),
          std::to_string(a.outcome.counters.steps),
          text("%.1e", benchmark::column_error(a, trusted, columns)),
          text("%.3f", median(times.theirs)),
          std::to_string(b.outcome.counters.steps),
          text("%.1e", benchmark::column_error(b, trusted, columns))};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: biomodels FOLDER\n");
    return 2;
  }
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1]))
    if (entry.path().extension() == ".xml") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<std::vector<std::string>> rows;
  std::vector<Times> all;
  for (const std::string& path : paths) {
    try {
      rows.push_back(row(path, all));
    } catch (const std::exception& trouble) {
      std::fprintf(stderr, "%s: %s\n", path.c_str(), trouble.what());
    }
  }
  const std::vector<std::string> header{"model",      "states",       "events",      "load ms",
                                        "compile ms", "integrate ms", "steps",       "error",
                                        "cvodes ms",  "cvodes steps", "cvodes error"};
  std::fputs(text_table(header, rows).c_str(), stdout);
  auto total = [&](auto member) {
    double sum = 0;
    for (const Times& times : all) sum += median(times.*member);
    return sum;
  };
  std::printf("\n%zu models, ms in all: load %.0f, compile %.0f, integrate %.0f; cvodes %.0f\n",
              all.size(), total(&Times::load), total(&Times::compile), total(&Times::ours),
              total(&Times::theirs));
}
