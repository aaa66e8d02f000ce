// How time grows with the size of a network: read, compile, order and run, for trees of modules of
// 20 species and for random graphs of mean degree 3. Prints Markdown with the slope of
// log(time) against log(non-zeros of J).
//   growth [LARGEST SPECIES OF TREES [OF RANDOM GRAPHS]]     default 100000 and 10000
// SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/diagnostic.h"
#include "integrate/simulate.h"
#include "library/generated_network.h"
#include "random_graph.h"
#include "read/text/read_text.h"

namespace {

using namespace stiffit;

constexpr int module_size = 20;

double seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

std::string tree(int n) { return generate_module_tree(n / module_size, 1); }

struct Row {
  int nonzeros = 0;
  double total = 0;
};

Row measure(int n, const std::string& text) {
  double last = seconds();
  auto lap = [&] {
    const double now = seconds(), spent = now - last;
    last = now;
    return spent;
  };
  auto source = std::make_shared<Source>("network", text);
  Diagnostics diagnostics(source);
  auto read = read_text(source, diagnostics);
  if (!read) throw std::runtime_error(render(diagnostics));
  auto model = std::make_shared<const Model>(std::move(*read));
  const double reading = lap();
  ResolvedSystem resolved = resolve(model);
  const double resolving = lap();
  auto program = compile(resolved.system, resolved.columns, {});
  const double compiling = lap();
  const Problem problem = make_problem(program);
  const double ordering = lap();
  Request request;
  for (int i = 1; i <= 10; ++i) request.times.push_back(i);
  const Trajectory run = simulate(problem, request, {});
  const double running = lap();
  if (run.outcome.status != Status::done)
    throw std::runtime_error(describe(run.outcome, program->state_names));
  const Row row{program->pattern.nonzeros(), reading + resolving + compiling + ordering + running};
  std::printf(
      "| %d | %d | %ld | %.3g | %.3f | %.3f | %.3f | %.3f | %.3f | %s; rejected %ld, LU %ld | %.3f "
      "|\n",
      n, row.nonzeros, problem.linear->fill(), problem.linear->flops() * 1e-6, reading, resolving,
      compiling, ordering, running, run.outcome.used.c_str(), run.outcome.counters.rejected,
      run.outcome.counters.lu, row.total);
  std::fflush(stdout);
  return row;
}

// Least squares of log(total) on log(non-zeros).
double slope(const std::vector<Row>& rows) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const Row& row : rows) {
    const double u = std::log(row.nonzeros), v = std::log(row.total);
    x += u;
    y += v;
    xx += u * u;
    xy += u * v;
  }
  const double count = double(rows.size());
  return (count * xy - x * y) / (count * xx - x * x);
}

void study(const char* title, std::string (*make)(int), int largest) {
  if (largest < 300) return;
  std::printf(
      "\n## %s\n\n| species | non-zeros | in L + U | Mflop of an LU | read s | resolve s | compile "
      "s "
      "| order s | run s | steps | all s |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
      title);
  std::vector<Row> rows;
  for (int n : {100, 300, 1000, 3000, 10000, 30000, 100000})
    if (n <= largest) rows.push_back(measure(n, make(n)));
  std::printf("\nslope of log(all) against log(non-zeros): %.2f; over the last three: %.2f\n",
              slope(rows), slope({rows.end() - std::min<long>(3, long(rows.size())), rows.end()}));
}

}  // namespace

int main(int count, char** words) {
  try {
    std::printf("# Growth, 0 .. 10, default settings, seconds of the processor\n");
    study("Trees of modules of 20 species", tree, count > 1 ? std::atoi(words[1]) : 100000);
    study("Random graphs of mean degree 3", benchmark::random_graph,
          count > 2 ? std::atoi(words[2]) : 10000);
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "growth: %s\n", trouble.what());
    return 1;
  }
}
