// Studies of what the pieces of steps cost, by which methods are chosen.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "base/thresholds.h"
#include "model/library/generated_network.h"
#include "sensitivity/sparse_product.h"
#include "threshold_tools.h"

namespace stiffit::internal::benchmark {
namespace {

SparseRows rows_of(const Sparsity& pattern) {
  std::vector<std::vector<int>> columns(std::size_t(pattern.n));
  for (int j = 0; j < pattern.n; ++j)
    for (int p = pattern.column_start[std::size_t(j)]; p < pattern.column_start[std::size_t(j) + 1];
         ++p)
      columns[std::size_t(pattern.row[std::size_t(p)])].push_back(j);
  SparseRows rows;
  for (const std::vector<int>& row : columns) {
    rows.column.insert(rows.column.end(), row.begin(), row.end());
    rows.row_start.push_back(int(rows.column.size()));
  }
  return rows;
}

}  // namespace

// J times vectors side by side, as code or in loops.
void products() {
  std::printf(
      "\n## Products of J with four vectors, us\n\n| species | entries | code | loops | making the "
      "code, ms |\n|---|---|---|---|---|\n");
  constexpr int lanes = 4;
  for (int species : {100, 300, 1000, 1500, 3000, 6000}) {
    auto program = network(generated_benchmark_network(species), 1, 0);
    const SparseRows rows = rows_of(program->pattern);
    AlignedArray out(std::size_t(species) * lanes), x(out.size()), entries(rows.nonzeros() * lanes);
    x.fill(1);
    entries.fill(1e-9);
    double* arrays[3] = {out.data(), x.data(), entries.data()};
    double spent[2], making = 0;
    for (int code : {0, 1}) {
      const double begin = seconds();
      const Kernel kernel = sparse_product({&rows}, lanes, program->isa, code ? 1e9 : 0.0);
      making = seconds() - begin;
      spent[code] = shortest([&] { kernel(arrays); });
    }
    std::printf("| %d | %zu | %.2f | %.2f | %.1f |\n", program->states, rows.nonzeros(),
                1e6 * spent[1], 1e6 * spent[0], 1e3 * making);
    std::fflush(stdout);
  }
  std::printf("\nproduct_entries in use %.0f\n", Thresholds{}.product_entries);
}

// The pieces of a step of Rodas5P, in flops of the LU.
void step_costs() {
  std::printf(
      "\n## What steps are made of, in flops of an LU\n\n| species | lanes | LU, ns per flop and "
      "lane | solve, per entry of L + U | f, per entry of J | J, per entry | a step besides, per "
      "state |\n|---|---|---|---|---|---|---|\n");
  for (int lanes : {1, 4, 8})
    for (int species : {40, 100, 300}) {
      auto program = network(generated_benchmark_network(species), lanes);
      const Problem problem = make_problem(program);
      AtStart start(*program);
      const LinearTimes linear = time_linear(start, problem.linear->kind());
      const double f = shortest([&] { start.run(program->rhs, start.f); });
      const double j = shortest([&] { start.run(program->jacobian, start.jacobian); });
      const double flop = linear.factor / linear.flops, entries = program->pattern.nonzeros();
      // Of one trajectory in all lanes alike, so that steps of one are steps of all.
      IntegrationOptions options;
      options.method = "rodas5p";
      Request request;
      request.times = {100};
      const std::vector<Request> alike(std::size_t(lanes), request);
      const Counters counters = simulate_many(problem, alike, options, 1).front().outcome.counters;
      const double run = shortest([&] { simulate_many(problem, alike, options, 1); });
      const double parts = double(counters.f) * f + double(counters.j) * j +
                           double(counters.lu) * (linear.factor + 8 * linear.solve);
      std::printf("| %d | %d | %.3f | %.1f | %.1f | %.1f | %.0f |\n", species, lanes,
                  1e9 * flop / lanes, linear.solve / linear.fill / flop, f / entries / flop,
                  j / entries / flop, (run - parts) / double(counters.lu) / species / flop);
      std::fflush(stdout);
    }
  std::printf(
      "\nin use, one lane: solve 2, f and J 3 where they are not counted, %.0f + 50 a state around "
      "a step; several: solve %.1f, f %.1f, J %.0f, %.0f a state\n",
      thresholds::step_operations, thresholds::lane_solve, thresholds::lane_f, thresholds::lane_j,
      thresholds::lane_state);
}

}  // namespace stiffit::internal::benchmark
