// How time grows with the size of a network: read, compile, order and run, for trees of modules of
// 20 species and for random graphs of mean degree 3. Prints Markdown with the slope of
// log(time) against log(non-zeros of J).
//   growth [LARGEST SPECIES OF TREES [OF RANDOM GRAPHS [THREADS]]]   default 100000, 10000 and 1
// Every size is run several times; the turn of median time counts.
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
#include "base/inner_threads.h"
#include "io/text/read_text.h"
#include "model/library/generated_network.h"
#include "ode/simulate.h"
#include "random_graph.h"

namespace {

using namespace stiffit::internal;

constexpr int module_size = 20;

double seconds_of(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}
double seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

std::string tree(int n) { return generate_module_tree(n / module_size, 1); }

struct Row {
  int nonzeros = 0;
  long fill = 0;
  double flops = 0;
  enum Phase { reading, resolving, compiling, ordering, running, phases };
  double spent[phases] = {}, total = 0;
  double clock = 0;  // of the run
  Outcome outcome;
};

Row measure_once(const std::string& text) {
  Row row;
  double last = seconds();
  auto lap = [&](Row::Phase phase) {
    const double now = seconds();
    row.spent[phase] = now - last;
    row.total += now - last;
    last = now;
  };
  auto source = std::make_shared<Source>("network", text);
  Diagnostics diagnostics(source);
  auto read = read_text(source, diagnostics);
  if (!read) throw std::runtime_error(render(diagnostics));
  auto model = std::make_shared<const Model>(std::move(*read));
  lap(Row::reading);
  ResolvedSystem resolved = resolve(model);
  lap(Row::resolving);
  auto program = compile(resolved.system, resolved.columns, {});
  lap(Row::compiling);
  const Problem problem = make_problem(program);
  lap(Row::ordering);
  Request request;
  for (int i = 1; i <= 10; ++i) request.times.push_back(i);
  const double began = seconds_of(CLOCK_MONOTONIC);
  row.outcome = simulate(problem, request, {}).outcome;
  row.clock = seconds_of(CLOCK_MONOTONIC) - began;
  lap(Row::running);
  if (row.outcome.status != Status::done)
    throw std::runtime_error(describe(row.outcome, program->state_names));
  row.nonzeros = program->pattern.nonzeros();
  row.fill = problem.linear->fill();
  row.flops = problem.linear->flops();
  return row;
}

// The turn in the middle of those that fit into some seconds, at least three.
Row measure(int n, const std::string& text) {
  std::vector<Row> turns;
  double all = 0;
  do {
    turns.push_back(measure_once(text));
    all += turns.back().total;
  } while (turns.size() < 3 || (all < 2 && turns.size() < 101));
  std::sort(turns.begin(), turns.end(), [](auto& a, auto& b) { return a.total < b.total; });
  const Row row = turns[turns.size() / 2];
  std::printf("| %d | %d | %ld | %.3g |", n, row.nonzeros, row.fill, row.flops * 1e-6);
  for (double spent : row.spent) std::printf(" %.4f |", spent);
  std::printf(" %.4f | %s; rejected %ld, LU %ld | %.4f | %zu |\n", row.clock,
              row.outcome.used.c_str(), row.outcome.counters.rejected, row.outcome.counters.lu,
              row.total, turns.size());
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
      "s | order s | run s | run, clock s | steps | all s | turns |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
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
    const int threads = count > 3 ? std::atoi(words[3]) : 1;
    const InnerThreads inside(threads);
    std::printf("# Growth, 0 .. 10, default settings, seconds of the processor, %d thread%s\n",
                threads, threads == 1 ? "" : "s");
    study("Trees of modules of 20 species", tree, count > 1 ? std::atoi(words[1]) : 100000);
    study("Random graphs of mean degree 3", benchmark::random_graph,
          count > 2 ? std::atoi(words[2]) : 10000);
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "growth: %s\n", trouble.what());
    return 1;
  }
}
