// Studies of limits that a whole run is needed for, or two threads.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "base/inner_threads.h"
#include "base/thresholds.h"
#include "linear/dense_kernel.h"
#include "model/library/generated_network.h"
#include "random_graph.h"
#include "threshold_tools.h"

namespace stiffit::internal::benchmark {

// A step of Rodas5P as one piece of code, or put together from kernels.
void fused_steps_or_parts() {
  std::printf(
      "\n## Steps of Rodas5P in one piece of code or put together, us per trajectory\n\n| species "
      "| "
      "lanes | in one | put together |\n|---|---|---|---|\n");
  Thresholds all;
  all.fused_step_one_lane = all.fused_step_lanes = 1e9;
  for (int species : {5, 10, 15, 20, 25, 31})
    for (int lanes : {1, 4, 8}) {
      const Problem whole =
          make_problem(network(generated_benchmark_network(species), lanes, INT_MAX, nullptr, all));
      Problem apart = whole;
      apart.steps = nullptr;
      time_of_rodas5p(whole);  // makes the code
      std::printf("| %d | %d | %.1f | %.1f |\n", species, lanes, 1e6 * time_of_rodas5p(whole),
                  1e6 * time_of_rodas5p(apart));
    }
  std::printf("\nwhole_step_one_lane %.0f, whole_step_lanes %.0f, states below %d in use\n",
              Thresholds{}.fused_step_one_lane, Thresholds{}.fused_step_lanes,
              thresholds::states_for_corrected_output);
}

// Markowitz' order beside minimum degree: what it takes to find, and what it saves.
void orders_of_elimination() {
  std::printf(
      "\n## Orders of elimination, one lane\n\n| network | planning with Markowitz, ms | without | "
      "Mflop of an LU with | without |\n|---|---|---|---|---|\n");
  auto compare = [&](const char* name, const std::string& text) {
    auto program = network(text, 1, 0);
    double milliseconds[2], flops[2];
    for (int with : {0, 1}) {
      Thresholds limit;
      limit.markowitz_states = with ? INT_MAX : 0;
      const double begin = seconds();
      flops[with] =
          plan_linear(program->pattern, {LinearKind::automatic, 1, program->isa, {}, limit})
              ->flops();
      milliseconds[with] = 1e3 * (seconds() - begin);
    }
    std::printf("| %s, %d species | %.1f | %.1f | %.4g | %.4g |\n", name, program->states,
                milliseconds[1], milliseconds[0], 1e-6 * flops[1], 1e-6 * flops[0]);
    std::fflush(stdout);
  };
  for (int modules : {50, 150, 500}) compare("tree", generate_module_tree(modules, 1));
  for (int n : {300, 1000, 3000}) compare("random graph", random_graph(n));
  for (int n : {300, 1000, 3000}) compare("random network", generated_benchmark_network(n));
  std::printf("\nmarkowitz_states in use %d\n", Thresholds{}.markowitz_states);
}

void stretches_of_f() {
  std::printf(
      "\n## f from tables, us by states of a stretch\n\n| species | 128 | 512 | 2048 | 4096 | "
      "32768 |\n"
      "|---|---|---|---|---|---|\n");
  for (int modules : {500, 1500, 5000}) {
    const std::string text = generate_module_tree(modules, 1);
    std::printf("| %d |", 20 * modules);
    for (int stretch : {128, 512, 2048, 4096, 32768}) {
      Thresholds limit;
      limit.rhs_stretch = stretch;
      auto program = network(text, 1, 0, nullptr, limit);
      AtStart start(*program);
      std::printf(" %.1f |", 1e6 * shortest([&] { start.run(program->rhs, start.f); }));
    }
    std::printf("\n");
  }
  std::printf("\nrhs_stretch in use %d\n", Thresholds{}.rhs_stretch);
}

namespace {

void dense_on_two_threads() {
  std::printf(
      "\n| dense rows | multiply-adds of the first block | LU, one, us | two "
      "|\n|---|---|---|---|\n");
  for (int n : {100, 200, 300, 500, 800, 1500}) {
    const int stride = dense_stride(n);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    AlignedArray full(std::size_t(n) * std::size_t(stride)), work(full.size());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        full[std::size_t(i) * std::size_t(stride) + std::size_t(j)] =
            uniform(random) + n * (i == j);
    std::vector<int> pivot(std::size_t(n), 0);
    double spent[2];
    for (int two : {0, 1})
      spent[two] = shortest(
          [&] {
            std::copy_n(full.data(), full.size(), work.data());
            factor_dense(work.data(), n, pivot.data(), nullptr, best_isa(), 1 + two, 0);
          },
          CLOCK_MONOTONIC);
    const double block = 128;
    std::printf("| %d | %.2g | %.0f | %.0f |\n", n, block * n * std::max(0.0, n - block),
                1e6 * spent[0], 1e6 * spent[1]);
  }
  std::printf("\ndense_updates_for_threads %.1g in use\n", Thresholds{}.dense_updates_for_threads);
}

}  // namespace

// By the clock: only an otherwise idle machine can tell.
void two_threads() {
  std::printf(
      "\n## One thread or two, us by the clock\n\n| tree of species | f, one | two | entries of L "
      "+ "
      "U | LU, one | two | solve, one | two |\n|---|---|---|---|---|---|---|---|\n");
  Thresholds none;
  none.terms_for_threads = none.entries_for_threads = 0;
  for (int modules : {50, 150, 500, 1500, 5000}) {
    auto program = network(generate_module_tree(modules, 1), 1, 0, nullptr, none);
    AtStart start(*program);
    double f[2];
    LinearTimes linear[2];
    for (int two : {0, 1}) {
      const InnerThreads threads(1 + two);
      f[two] = shortest([&] { start.run(program->rhs, start.f); }, CLOCK_MONOTONIC);
      linear[two] = time_linear(start, LinearKind::level_scheduled, none, CLOCK_MONOTONIC);
    }
    std::printf("| %d | %.1f | %.1f | %.0f | %.1f | %.1f | %.1f | %.1f |\n", program->states,
                1e6 * f[0], 1e6 * f[1], linear[0].fill, 1e6 * linear[0].factor,
                1e6 * linear[1].factor, 1e6 * linear[0].solve, 1e6 * linear[1].solve);
    std::fflush(stdout);
  }
  std::printf("\nterms_for_threads %.0f and entries_for_threads %.0f in use\n",
              Thresholds{}.terms_for_threads, Thresholds{}.entries_for_threads);
  dense_on_two_threads();
}

}  // namespace stiffit::internal::benchmark
