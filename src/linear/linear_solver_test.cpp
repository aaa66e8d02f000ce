// Every kind of solver, lane count and instruction set against Gaussian elimination in long double.
// SPDX-License-Identifier: Apache-2.0
#include "linear/linear_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "base/inner_threads.h"
#include "linear/aligned_array.h"
#include "linear/scalar_lanes.h"

namespace stiffit::internal {
namespace {

// Entry (i, j) of lane l of a problem in the solver's layout.
struct Problem {
  Sparsity pattern;
  int lanes = 1;
  std::vector<double> mass, d;
  AlignedArray jacobian, b;

  Problem(Sparsity p, int l)
      : pattern(std::move(p)),
        lanes(l),
        d(l, 1.0),
        jacobian(std::size_t(pattern.nonzeros()) * l),
        b(std::size_t(pattern.n) * l) {}

  void set(int row, int column, int lane, double value) {
    for (int p = pattern.column_start[column]; p < pattern.column_start[column + 1]; ++p)
      if (pattern.row[p] == row) jacobian[std::size_t(p) * lanes + lane] = value;
  }
  std::vector<long double> matrix(int lane) const {
    const int n = pattern.n;
    std::vector<long double> a(std::size_t(n) * n);
    for (int j = 0; j < n; ++j) {
      a[std::size_t(j) * n + j] = (mass.empty() ? 1.0L : mass[j]) * d[lane];
      for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p)
        a[std::size_t(pattern.row[p]) * n + j] -= jacobian.data()[std::size_t(p) * lanes + lane];
    }
    return a;
  }
};

std::vector<double> reference(const Problem& problem, int lane) {
  const int n = problem.pattern.n;
  std::vector<long double> a = problem.matrix(lane), x(n);
  for (int i = 0; i < n; ++i) x[i] = problem.b.data()[std::size_t(i) * problem.lanes + lane];
  auto at = [&](int i, int j) -> long double& { return a[std::size_t(i) * n + j]; };
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k; i < n; ++i)
      if (std::fabs(at(i, k)) > std::fabs(at(best, k))) best = i;
    for (int j = 0; j < n; ++j) std::swap(at(k, j), at(best, j));
    std::swap(x[k], x[best]);
    for (int i = k + 1; i < n; ++i) {
      const long double l = at(i, k) / at(k, k);
      if (l == 0) continue;
      for (int j = k; j < n; ++j) at(i, j) -= l * at(k, j);
      x[i] -= l * x[k];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) x[i] -= at(i, j) * x[j];
    x[i] /= at(i, i);
  }
  return {x.begin(), x.end()};
}

Sparsity pattern_of(int n, const std::vector<std::pair<int, int>>& row_column) {
  std::vector<std::vector<char>> there(n, std::vector<char>(n, 0));
  for (auto [row, column] : row_column) there[column][row] = 1;
  Sparsity pattern;
  pattern.n = n;
  for (int column = 0; column < n; ++column) {
    for (int row = 0; row < n; ++row)
      if (there[column][row]) pattern.row.push_back(row);
    pattern.column_start.push_back(pattern.nonzeros());
  }
  return pattern;
}

// The pattern of a random network: conversions, some with a catalyst, some binding.
Sparsity network(int n, unsigned seed) {
  std::mt19937 random(seed);
  auto species = [&] { return static_cast<int>(random() % n); };
  std::vector<std::pair<int, int>> entries;
  for (int reaction = 0; reaction < 2 * n; ++reaction) {
    const int from = species(), to = species(), other = species();
    for (int column : reaction % 3 == 0 ? std::vector{from, other} : std::vector{from})
      for (int row : {from, to}) entries.emplace_back(row, column);
  }
  return pattern_of(n, entries);
}

// Chains of states, each of which follows its neighbours, and leaves of one hub, the last state;
// more of both than one block of short rows has. Leaves have nothing below the diagonal.
Sparsity chains_and_leaves(bool leaves_first) {
  constexpr int leaves = 12000, links = 12000, length = 40, n = leaves + links + 1;
  std::vector<std::vector<int>> rows(n);
  for (int i = 0; i < n; ++i) rows[i].push_back(i);
  for (int k = 0; k < leaves; ++k) {
    const int leaf = leaves_first ? k : links + k;
    rows[leaf].push_back(n - 1);
    rows[n - 1].push_back(leaf);
  }
  for (int k = 0; k + 1 < links; ++k)
    if (const int link = leaves_first ? leaves + k : k; (k + 1) % length != 0) {
      rows[link].push_back(link + 1);
      rows[link + 1].push_back(link);
    }
  Sparsity pattern;
  pattern.n = n;
  for (std::vector<int>& column : rows) {
    std::sort(column.begin(), column.end());
    pattern.row.insert(pattern.row.end(), column.begin(), column.end());
    pattern.column_start.push_back(pattern.nonzeros());
  }
  return pattern;
}

void fill_random(Problem& problem, unsigned seed, double decades = 7) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(3 - decades, 3), sign(-1, 1);
  for (int lane = 0; lane < problem.lanes; ++lane) problem.d[lane] = 10 + lane;
  for (int j = 0; j < problem.pattern.n; ++j)
    for (int p = problem.pattern.column_start[j]; p < problem.pattern.column_start[j + 1]; ++p)
      for (int lane = 0; lane < problem.lanes; ++lane) {
        const double size = std::pow(10.0, exponent(random));
        problem.jacobian[std::size_t(p) * problem.lanes + lane] =
            problem.pattern.row[p] == j ? -2 * size : (sign(random) < 0 ? -size : size);
      }
  for (std::size_t i = 0; i < problem.b.size(); ++i) problem.b[i] = sign(random);
}

// The lanes of `failed` are expected to fail, and are not compared.
void expect_solves(LinearSolver& solver, const Problem& problem, double tolerance,
                   unsigned failed = 0) {
  ASSERT_EQ(solver.factor(problem.d.data(), problem.jacobian.data()), failed);
  AlignedArray x(problem.b.size());
  std::copy_n(problem.b.data(), problem.b.size(), x.data());
  solver.solve(x.data());
  for (int lane = 0; lane < problem.lanes; ++lane) {
    if (failed >> lane & 1) continue;
    const std::vector<double> expected = reference(problem, lane);
    double norm = 0;
    for (double value : expected) norm = std::max(norm, std::fabs(value));
    for (int i = 0; i < problem.pattern.n; ++i)
      ASSERT_NEAR(x[std::size_t(i) * problem.lanes + lane], expected[i], tolerance * norm)
          << "unknown " << i << ", lane " << lane;
  }
}

struct Way {
  LinearKind kind;
  int lanes;
  Isa isa;
};

std::string name_of_way(const testing::TestParamInfo<Way>& info) {
  static const char* const kinds[] = {"automatic",  "generated", "table",
                                      "short_rows", "dense",     "klu"};
  static const char* const isas[] = {"portable", "avx2", "avx512"};
  return std::string(kinds[static_cast<int>(info.param.kind)]) + "_" +
         std::to_string(info.param.lanes) + "_" + isas[static_cast<int>(info.param.isa)];
}

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (LinearKind kind : {LinearKind::automatic, LinearKind::generated, LinearKind::table,
                          LinearKind::level_scheduled, LinearKind::dense, LinearKind::klu})
    for (int lanes : {1, 4, 8})
      for (Isa isa : {Isa::portable, Isa::avx2, Isa::avx512})
        if (isa <= best_isa() && (lanes == 1 || kind != LinearKind::level_scheduled))
          ways.push_back({kind, lanes, isa});
  return ways;
}

class EveryWay : public testing::TestWithParam<Way> {
 protected:
  std::shared_ptr<const LinearPlan> plan(const Problem& problem) const {
    LinearOptions options;
    options.kind = GetParam().kind;
    options.lanes = GetParam().lanes;
    options.isa = GetParam().isa;
    options.mass = problem.mass;
    return plan_linear(problem.pattern, options);
  }
  int lanes() const { return GetParam().lanes; }
};

INSTANTIATE_TEST_SUITE_P(Linear, EveryWay, testing::ValuesIn(all_ways()), name_of_way);

TEST_P(EveryWay, SolvesWhatHasNoJacobianAtAll) {
  Problem problem(pattern_of(5, {}), lanes());
  fill_random(problem, 1);
  expect_solves(*plan(problem)->make_solver(), problem, 1e-15);
}

TEST_P(EveryWay, SolvesNetworksOfAllSizes) {
  for (int n : {1, 2, 3, 4, 6, 17, 40, 130}) {
    SCOPED_TRACE(n);
    Problem problem(network(n, n), lanes());
    const auto analysed = plan(problem);
    const auto solver = analysed->make_solver();
    for (unsigned seed : {1, 2}) {  // the second factorisation must not remember the first
      fill_random(problem, seed);
      expect_solves(*solver, problem, 1e-9);
    }
    if (GetParam().kind != LinearKind::automatic) {
      EXPECT_EQ(analysed->kind(), GetParam().kind);
    }
    EXPECT_GE(analysed->fill(), n);
  }
}

TEST_P(EveryWay, SolvesAFullMatrix) {
  for (int n : {5, 33, 70}) {
    SCOPED_TRACE(n);
    std::vector<std::pair<int, int>> all;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) all.emplace_back(i, j);
    Problem problem(pattern_of(n, all), lanes());
    fill_random(problem, 3);
    for (int lane = 0; lane < lanes(); ++lane)
      for (int i = 0; i < n; ++i) problem.set(i, i, lane, -5000.0 * n);
    expect_solves(*plan(problem)->make_solver(), problem, 1e-10);
  }
}

TEST_P(EveryWay, SolvesWithoutAJacobian) {
  Problem problem(pattern_of(3, {}), lanes());
  for (std::size_t i = 0; i < problem.b.size(); ++i) problem.b[i] = 1.0 + static_cast<double>(i);
  expect_solves(*plan(problem)->make_solver(), problem, 1e-15);
}

// Small pivots in some lanes, by turns: too small, exactly zero, or fine.
TEST_P(EveryWay, PivotsWhereTheDiagonalFails) {
  for (int n : {3, 30, 90}) {
    SCOPED_TRACE(n);
    Problem problem(network(n, 7), lanes());
    std::vector<std::pair<int, int>> entries;
    for (int j = 0; j < n; ++j) {
      for (int p = problem.pattern.column_start[j]; p < problem.pattern.column_start[j + 1]; ++p)
        entries.emplace_back(problem.pattern.row[p], j);
      entries.emplace_back(j, j);
      entries.emplace_back(j, (j + 1) % n);  // a cycle keeps the matrix regular
      entries.emplace_back((j + 1) % n, j);
    }
    problem = Problem(pattern_of(n, entries), lanes());
    fill_random(problem, 8);
    for (int lane = 0; lane < lanes(); ++lane) {
      if (lane % 4 == 3) continue;
      problem.d[lane] = 0;
      for (int i = 0; i < n; ++i) {
        problem.set(i, i, lane, lane % 4 == 0 ? 1e-16 : lane % 4 == 1 ? 0.0 : -1e-13 * (i % 2));
        problem.set(i, (i + 1) % n, lane, 20.0 + i);
      }
    }
    const auto solver = plan(problem)->make_solver();
    expect_solves(*solver, problem, 1e-9);
    fill_random(problem, 9);  // the lanes come back from the pivoting path
    expect_solves(*solver, problem, 1e-9);
  }
}

TEST_P(EveryWay, ReportsSingularLanesAndKeepsTheOthers) {
  for (int n : {2, 20, 80}) {
    SCOPED_TRACE(n);
    std::vector<std::pair<int, int>> entries;
    for (int i = 0; i < n; ++i)
      for (int j : {i, (i + 1) % n, (i * 7 + 3) % n}) entries.emplace_back(i, j);
    Problem problem(pattern_of(n, entries), lanes());
    fill_random(problem, 4);
    unsigned failed = 0;
    const double infinity = std::numeric_limits<double>::infinity();
    for (int lane = 0; lane < lanes(); ++lane) {
      if (lane % 4 == 2) continue;
      failed |= 1u << lane;
      if (lane % 4 == 0) {  // an empty row
        for (int j = 0; j < n; ++j) problem.set(n / 2, j, lane, j == n / 2 ? problem.d[lane] : 0.0);
      } else if (lane % 4 == 1) {
        problem.set(0, 1, lane, std::nan(""));
      } else {
        problem.set(n - 1, 0, lane, infinity);
      }
    }
    const auto solver = plan(problem)->make_solver();
    expect_solves(*solver, problem, 1e-9, failed);
    fill_random(problem, 5);
    expect_solves(*solver, problem, 1e-9);
  }
}

// NaN in an entry that no pivot depends on: a chain of conversions is triangular.
TEST_P(EveryWay, SeesNaNOutsideTheReachOfPivots) {
  Problem problem(pattern_of(4, {{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 2}, {3, 2}}), lanes());
  fill_random(problem, 6);
  const auto solver = plan(problem)->make_solver();
  expect_solves(*solver, problem, 1e-12);
  problem.set(3, 2, lanes() - 1, std::nan(""));
  expect_solves(*solver, problem, 1e-12, 1u << (lanes() - 1));
}

TEST_P(EveryWay, SolvesWithAlgebraicEquations) {
  // 0: x0' ; 1: 0 = x0 + x1 - x2 (its own diagonal); 2: 0 = x0 - x3; 3: x3' uses x2: rows 2 and
  // 3 have to be paired off the diagonal.
  Problem small(pattern_of(4, {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 2}}),
                lanes());
  fill_random(small, 12);
  small.mass = {1, 0, 0, 1};
  expect_solves(*plan(small)->make_solver(), small, 1e-11);

  for (int n : {24, 75}) {
    SCOPED_TRACE(n);
    std::vector<std::pair<int, int>> entries;
    const Sparsity base = network(n, 13);
    for (int j = 0; j < n; ++j)
      for (int p = base.column_start[j]; p < base.column_start[j + 1]; ++p)
        if (base.row[p] != j || j % 3 != 0) entries.emplace_back(base.row[p], j);
    for (int i = 0; i < n; ++i) entries.emplace_back(i, (i + 1) % n);
    Problem problem(pattern_of(n, entries), lanes());
    fill_random(problem, 14, 3);
    problem.mass.assign(n, 1.0);
    for (int i = 0; i < n; i += 3) problem.mass[i] = 0;
    expect_solves(*plan(problem)->make_solver(), problem, 1e-6);
  }
}

TEST_P(EveryWay, ReportsAStructurallySingularPattern) {
  Problem problem(pattern_of(3, {{0, 0}, {0, 1}, {2, 2}, {2, 0}}), lanes());
  fill_random(problem, 1);
  problem.mass = {1, 0, 1};
  const auto solver = plan(problem)->make_solver();
  EXPECT_EQ(solver->factor(problem.d.data(), problem.jacobian.data()), (1u << lanes()) - 1);
}

// The next matrix of one lane leaves the solutions of the others as they are, to the bit.
TEST_P(EveryWay, FactorsLanesByThemselves) {
  const auto [kind, lanes, isa] = GetParam();
  if (lanes == 1) return;
  const Sparsity pattern = network(60, 3);
  const auto plan = plan_linear(pattern, {kind, lanes, isa, {}});
  const auto single = plan_linear(pattern, {kind, 1, isa, {}});
  for (bool scalar : {false, true}) {
    const std::unique_ptr<LaneSolver> solver =
        scalar ? make_scalar_lanes(single, pattern, lanes) : make_lane_solver(*plan);
    Problem now(pattern, lanes);
    fill_random(now, 5);
    expect_solves(*solver, now, 1e-8);
    auto solution = [&] {
      AlignedArray x(now.b.size());
      std::copy_n(now.b.data(), now.b.size(), x.data());
      solver->solve(x.data());
      return x;
    };
    for (int turn = 0; turn < 3; ++turn) {
      const int lane = (2 + turn) % lanes;
      const AlignedArray before = solution();
      now.d[lane] *= 3;
      for (std::size_t p = lane; p < now.jacobian.size(); p += lanes) now.jacobian[p] *= 0.5;
      ASSERT_EQ(solver->factor_lanes(now.d.data(), now.jacobian.data(), 1u << lane), 0u);
      const AlignedArray after = solution();
      const std::vector<double> expected = reference(now, lane);
      double norm = 0;
      for (double value : expected) norm = std::max(norm, std::fabs(value));
      for (std::size_t i = 0; i < after.size(); ++i)
        if (static_cast<int>(i) % lanes == lane)
          ASSERT_NEAR(after[i], expected[i / lanes], 1e-8 * norm) << scalar << " " << i;
        else
          ASSERT_EQ(after[i], before[i]) << scalar << " " << i;
    }
  }
}

TEST_P(EveryWay, SharesAPlanAmongThreads) {
  const int n = 90;
  Problem problem(network(n, 21), lanes());
  const auto analysed = plan(problem);
  fill_random(problem, 22);
  Problem other(problem.pattern, lanes());
  fill_random(other, 23);
  for (int i = 0; i < 3; ++i) other.set(i, i, 0, other.d[0] - 1e-13);  // sends it to pivoting
  auto run = [&](const Problem& mine, AlignedArray& x) {
    const auto solver = analysed->make_solver();
    for (int repeat = 0; repeat < 20; ++repeat) {
      solver->factor(mine.d.data(), mine.jacobian.data());
      std::copy_n(mine.b.data(), mine.b.size(), x.data());
      solver->solve(x.data());
    }
  };
  AlignedArray alone[2]{AlignedArray(problem.b.size()), AlignedArray(problem.b.size())};
  AlignedArray together[2]{AlignedArray(problem.b.size()), AlignedArray(problem.b.size())};
  run(problem, alone[0]);
  run(other, alone[1]);
  std::thread first(run, std::cref(problem), std::ref(together[0]));
  std::thread second(run, std::cref(other), std::ref(together[1]));
  first.join();
  second.join();
  for (int k = 0; k < 2; ++k)
    for (std::size_t i = 0; i < problem.b.size(); ++i) ASSERT_EQ(alone[k][i], together[k][i]);
}

// Blocks of short rows with and without entries below the diagonal, whoever computes them.
TEST(LevelSchedule, LeaveNobodyOut) {
  for (bool leaves_first : {true, false})
    for (int threads : {1, 2}) {
      const InnerThreads inner(threads);
      Problem problem(chains_and_leaves(leaves_first), 1);
      fill_random(problem, 7, 3);
      auto solver = plan_linear(problem.pattern, {LinearKind::level_scheduled, 1, best_isa(), {}})
                        ->make_solver();
      ASSERT_EQ(solver->factor(problem.d.data(), problem.jacobian.data()), 0u);
      std::vector<double> rest(problem.b.data(), problem.b.data() + problem.pattern.n);
      solver->solve(problem.b.data());
      for (int j = 0; j < problem.pattern.n; ++j) {
        rest[j] -= problem.d[0] * problem.b[j];
        for (int p = problem.pattern.column_start[j]; p < problem.pattern.column_start[j + 1]; ++p)
          rest[problem.pattern.row[p]] += problem.jacobian[p] * problem.b[j];
      }
      for (double value : rest) ASSERT_NEAR(value, 0, 1e-9);
    }
}

}  // namespace
}  // namespace stiffit::internal
