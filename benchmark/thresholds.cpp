// Measures the limits of src/base/thresholds.h on this machine and prints them beside the values in
// use, as Markdown. Times are processor time, the shortest of several.
//   thresholds [STUDY]     all of them, or one
// SPDX-License-Identifier: Apache-2.0
#include "base/thresholds.h"

#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "linear/dense_kernel.h"
#include "model/library/generated_network.h"
#include "ode/driver/matrix_policy.h"
#include "random_graph.h"
#include "threshold_tools.h"

namespace {

using namespace stiffit::internal;
using namespace stiffit::internal::benchmark;

void generated_or_table() {
  std::printf(
      "\n## LU as code or from tables, us per lane\n\n| species | lanes | flops | code | "
      "table |\n|---|---|---|---|---|\n");
  for (const auto& [lanes, limit] : thresholds::generated_flops) {
    double last_better = 0, first_worse = 0;
    for (int species : {40, 100, 200, 300, 500, 700}) {
      auto program = network(generated_benchmark_network(species), lanes);
      AtStart start(*program);
      const LinearTimes code = time_linear(start, LinearKind::generated);
      const LinearTimes table = time_linear(start, LinearKind::table);
      std::printf("| %d | %d | %.0f | %.2f | %.2f |\n", species, lanes, code.flops,
                  1e6 * code.factor / lanes, 1e6 * table.factor / lanes);
      if (code.factor < table.factor)
        last_better = code.flops;
      else if (first_worse == 0)
        first_worse = code.flops;
    }
    std::printf(
        "\ngenerated_flops, %d lanes: code is quicker up to %.0f, tables from %.0f; in use "
        "%.0f\n\n",
        lanes, last_better, first_worse, limit);
  }
}

void table_costs() {
  std::printf("\n## Multiply-adds from tables and in dense blocks\n\n");
  for (int lanes : {1, 4}) {
    auto program = network(generate_module_tree(100, 1), lanes, 0);
    AtStart start(*program);
    const LinearTimes times = time_linear(start, LinearKind::table);
    std::printf(
        "sparse_update, %d lanes: at most %.2f ns per lane in a tree of 2000 species; in "
        "use %.2f\n\n",
        lanes, 2e9 * times.factor / times.flops / lanes,
        lanes == 1 ? thresholds::sparse_update_one_lane : thresholds::sparse_update_lanes);
  }
  const int n = 300;
  const auto stride = std::size_t(dense_stride(n));
  std::mt19937 random(1);
  AlignedArray matrix(n * stride), work(n * stride);
  for (std::size_t i = 0; i < std::size_t(n); ++i)
    for (std::size_t j = 0; j < std::size_t(n); ++j)
      matrix[i * stride + j] = double(random() % 1000) - (i == j ? 5000.0 : 0.0);
  std::vector<int> pivot(std::size_t(n), 0);
  const double time = shortest([&] {
    std::copy_n(matrix.data(), matrix.size(), work.data());
    factor_dense(work.data(), n, pivot.data(), nullptr, best_isa());
  });
  std::printf("dense_update: %.3f ns at %d species; in use %.2f\n\n",
              3e9 * time / (1.0 * n * n * n), n, thresholds::dense_update);
}

void newton_costs() {
  std::printf(
      "\n## What a Newton iteration costs, in flops of an LU\n\n| species | LU ns per flop | "
      "solve, flops per entry of L + U | f, flops per entry of J |\n|---|---|---|---|\n");
  for (int species : {500, 1000, 2000}) {
    auto program = network(generated_benchmark_network(species), 1, 0);
    AtStart start(*program);
    const LinearTimes times = time_linear(start, LinearKind::table);
    const double flop = times.factor / times.flops;
    const double rhs = shortest([&] { start.run(program->rhs, start.f); });
    std::printf("| %d | %.3f | %.1f | %.1f |\n", species, 1e9 * flop,
                times.solve / times.fill / flop, rhs / program->pattern.nonzeros() / flop);
  }
  std::printf("\nsolve_flops %.0f and rhs_flops %.0f in use\n", thresholds::solve_flops,
              thresholds::rhs_flops);
}

// The parts of a table that are small enough are code.
void code_in_tables() {
  std::printf(
      "\n## Parts of a table as code or as loops, one lane, us\n\n| network | slots | updates | "
      "solve, code | loops | LU, code | loops | making both, ms "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (int species : {200, 300, 500, 700, 1000, 1400}) {
    auto program = network(generated_benchmark_network(species), 1);
    AtStart start(*program);
    double making = seconds();
    LinearTimes code, loops;
    Thresholds all, none;
    all.generated_slots = all.generated_updates = 1e9;
    none.generated_slots = none.generated_updates = 0;
    plan_linear(program->pattern, {LinearKind::table, 1, program->isa, {}, all});
    making = seconds() - making;
    code = time_linear(start, LinearKind::table, all);
    loops = time_linear(start, LinearKind::table, none);
    std::printf("| random, %d species | %.0f | %.0f | %.2f | %.2f | %.2f | %.2f | %.1f |\n",
                species, code.fill, code.flops / 2, 1e6 * code.solve, 1e6 * loops.solve,
                1e6 * code.factor, 1e6 * loops.factor, 1e3 * making);
  }
  std::printf("\ngenerated_slots %.0f and generated_updates %.0f (before the dense block) in use\n",
              Thresholds{}.generated_slots, Thresholds{}.generated_updates);
}

void level_scheduled_or_table() {
  std::printf(
      "\n## Rows sorted by length or one after the other, one lane, us\n\n| network | entries of "
      "L + U per row | LU, sorted | as they come | solve, sorted | as they come "
      "|\n|---|---|---|---|---|---|\n");
  auto compare = [&](const std::string& name, const std::string& text) {
    auto program = network(text, 1, 0);
    AtStart start(*program);
    const LinearTimes sorted = time_linear(start, LinearKind::level_scheduled);
    const LinearTimes table = time_linear(start, LinearKind::table);
    std::printf("| %s, %d species | %.1f | %.1f | %.1f | %.1f | %.1f |\n", name.c_str(),
                program->states, sorted.fill / program->states, 1e6 * sorted.factor,
                1e6 * table.factor, 1e6 * sorted.solve, 1e6 * table.solve);
  };
  for (int modules : {50, 150, 500, 1500}) compare("tree", generate_module_tree(modules, 1));
  for (int n : {300, 1000, 3000}) compare("random graph", benchmark::random_graph(n));
  for (int n : {300, 1000}) compare("random network", generated_benchmark_network(n));
  std::printf("\n| pivots of a block | LU of 30,000 species, us | solve |\n|---|---|---|\n");
  auto program = network(generate_module_tree(1500, 1), 1, 0);
  AtStart start(*program);
  for (int block : {250, 1000, 4000, 16000, 64000}) {
    Thresholds varied;
    varied.level_schedule_block = block;
    const LinearTimes times = time_linear(start, LinearKind::level_scheduled, varied);
    std::printf("| %d | %.0f | %.0f |\n", block, 1e6 * times.factor, 1e6 * times.solve);
  }
  std::printf("\nshort_row %.0f (updates per entry of L) and short_row_block %d in use\n",
              Thresholds{}.level_scheduled_updates, Thresholds{}.level_schedule_block);
}

// The BDF with matrices kept as long as they serve, or renewed at the first sign.
void thrift() {
  std::printf(
      "\n## Matrices kept as long as they serve, ms of a run of the BDF (rtol 1e-6, 0 .. 10)\n\n| "
      "network | an LU in iterations | kept | steps, LU | renewed | steps, LU | renewed / kept |\n"
      "|---|---|---|---|---|---|---|\n");
  auto compare = [&](const std::string& name, const std::string& text) {
    const int straight = ProgramOptions{}.largest_straight_line;
    Thresholds limits[2];
    limits[0].jacobian_reuse_threshold = 0;
    limits[1].jacobian_reuse_threshold = 1e9;
    const Problem kept = make_problem(network(text, 1, straight, nullptr, limits[0])),
                  renewed = make_problem(network(text, 1, straight, nullptr, limits[1]));
    Request request;
    for (int i = 1; i <= 10; ++i) request.times.push_back(i);
    IntegrationOptions options;
    options.method = "bdf";
    double best[2] = {INFINITY, INFINITY};
    Counters counters[2];
    for (int round = 0; round < 5; ++round)
      for (int side : {0, 1}) {
        const double begin = seconds();
        counters[side] = simulate(side ? renewed : kept, request, options).outcome.counters;
        best[side] = std::min(best[side], seconds() - begin);
      }
    std::printf("| %s, %d species | %.2f | %.1f | %ld, %ld | %.1f | %ld, %ld | %.2f |\n",
                name.c_str(), kept.program->states,
                iterations_per_factorisation(kept.linear->flops(), kept.linear->fill(),
                                             kept.program->pattern.nonzeros()),
                1e3 * best[0], counters[0].steps, counters[0].lu, 1e3 * best[1], counters[1].steps,
                counters[1].lu, best[1] / best[0]);
    std::fflush(stdout);
  };
  for (int modules : {5, 50, 150}) compare("tree", generate_module_tree(modules, 1));
  for (int n : {40, 100, 200, 300, 500, 700, 1000, 1400})
    compare("random network", generated_benchmark_network(n));
  for (int n : {100, 300, 600, 1000, 2000}) compare("random graph", benchmark::random_graph(n));
  std::printf("\nthrift_iterations %.1f in use\n", Thresholds{}.jacobian_reuse_threshold);
}

void code_or_tables_for_f() {
  std::printf(
      "\n## f as code or from tables, us\n\n| species | terms | code | table |\n"
      "|---|---|---|---|\n");
  for (int modules : {20, 50, 100, 200, 400, 800}) {
    const std::string text = generate_module_tree(modules, 1);
    std::size_t terms = 0;
    auto code = network(text, 1), table = network(text, 1, 0, &terms);
    AtStart with_code(*code), with_table(*table);
    std::printf("| %d | %zu | %.2f | %.2f |\n", code->states, terms,
                1e6 * shortest([&] { with_code.run(code->rhs, with_code.f); }),
                1e6 * shortest([&] { with_table.run(table->rhs, with_table.f); }));
  }
  std::printf("\nlargest_straight_line %d in use\n", ProgramOptions{}.largest_straight_line);
}

void four_or_eight_lanes() {
  std::printf(
      "\n## Four lanes or eight, us per trajectory (rodas5p)\n\n| species | 4 | 8 |\n"
      "|---|---|---|\n");
  for (int species : {5, 10, 20, 30, 40, 60, 100, 200, 500}) {
    double time[2];
    for (int wide : {0, 1}) {
      const Problem problem =
          make_problem(network(generated_benchmark_network(species), wide ? 8 : 4));
      time[wide] = time_of_rodas5p(problem);
    }
    std::printf("| %d | %.1f | %.1f |\n", species, 1e6 * time[0], 1e6 * time[1]);
  }
  std::printf("\nstates_for_eight_lanes %d, again from %d in use\n",
              thresholds::states_for_eight_lanes, thresholds::states_for_eight_lanes_again);
}

// Steps of the BDF for one of Rodas5P, both at the error that Rodas5P leaves at 1e-6.
void bdf_or_rodas() {
  std::printf(
      "\n## BDF or Rodas5P at the same error\n\n| species | error | rodas5p | bdf | ratio "
      "|\n|---|---|---|---|---|\n");
  double product = 1;
  const int sizes[] = {40, 100, 200, 500};
  for (int species : sizes) {
    const Problem problem = make_problem(network(generated_benchmark_network(species), 1));
    Request request;
    for (int i = 1; i <= 20; ++i) request.times.push_back(100 * std::pow(10.0, (i - 20) / 4.0));
    auto run = [&](const char* method, double rtol) {
      IntegrationOptions options;
      options.method = method;
      options.rtol = rtol;
      return simulate(problem, request, options);
    };
    const Trajectory reference = run("rodas5p", 1e-11);
    auto error = [&](const Trajectory& other) {
      double sum = 0;
      for (std::size_t i = 0; i < other.states.size(); ++i) {
        const double share =
            (other.states[i] - reference.states[i]) / (std::fabs(reference.states[i]) + 1e-6);
        sum += share * share;
      }
      return std::sqrt(sum / double(other.states.size()));
    };
    const Trajectory rodas = run("rodas5p", 1e-6);
    const double target = error(rodas);
    double steps = NAN, steps_before = NAN, error_before = NAN;
    for (double rtol = 1e-3; rtol > 1e-11; rtol /= 3) {
      const Trajectory bdf = run("bdf", rtol);
      const double reached = error(bdf);
      steps = double(bdf.outcome.counters.steps);
      if (reached <= target) {
        const double share = std::log(target / error_before) / std::log(reached / error_before);
        if (share > 0) steps = steps_before * std::pow(steps / steps_before, share);
        break;
      }
      steps_before = steps;
      error_before = reached;
    }
    const double ratio = steps / double(rodas.outcome.counters.steps);
    std::printf("| %d | %.1e | %ld | %.0f | %.1f |\n", species, target,
                rodas.outcome.counters.steps, steps, ratio);
    product *= ratio;
  }
  std::printf("\nbdf_steps: %.1f (geometric mean); in use %.0f\n",
              std::pow(product, 1.0 / std::size(sizes)), thresholds::bdf_steps);
}

}  // namespace

int main(int count, char** words) {
  const std::pair<const char*, void (*)()> studies[] = {{"generated", generated_or_table},
                                                        {"tables", table_costs},
                                                        {"code", code_in_tables},
                                                        {"short-rows", level_scheduled_or_table},
                                                        {"newton", newton_costs},
                                                        {"thrift", thrift},
                                                        {"f", code_or_tables_for_f},
                                                        {"stretches", stretches_of_f},
                                                        {"orders", orders_of_elimination},
                                                        {"whole", fused_steps_or_parts},
                                                        {"lanes", four_or_eight_lanes},
                                                        {"bdf", bdf_or_rodas},
                                                        {"threads", two_threads},
                                                        {"products", products},
                                                        {"costs", step_costs}};
  try {
    std::printf("# Limits between one way of computing and another\n");
    for (const auto& [name, study] : studies)
      if (count < 2 || !std::strcmp(words[1], name)) study();
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "thresholds: %s\n", trouble.what());
    return 1;
  }
}
