// Models without their fast species, against the models and against closed forms.
// SPDX-License-Identifier: Apache-2.0
#include "analysis/reduce/quasi_steady.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "analysis/reduce/escep.h"
#include "base/diagnostic.h"
#include "compiled_model.h"
#include "io/text/read_text.h"
#include "model/library/library.h"
#include "places.h"

namespace stiffit::internal {
namespace {

std::shared_ptr<const Model> read(const std::string& text) {
  auto source = std::make_shared<const Source>("model", text);
  Diagnostics diagnostics(source);
  auto model = read_text(source, diagnostics);
  if (!model) throw InputError(render(diagnostics));
  return std::make_shared<const Model>(std::move(*model));
}
std::shared_ptr<const Model> from_library(const char* name) {
  return read(std::string(find_library_model(name)->text));
}

// Columns of a model at some times.
std::vector<std::vector<double>> curves(const std::shared_ptr<const Model>& model,
                                        const std::vector<std::string>& columns,
                                        const std::vector<double>& times, double rtol = 1e-10) {
  ResolvedSystem resolved = resolve(model);
  std::vector<Output> outputs;
  for (const std::string& name : columns) {
    auto found = resolved.find(name);
    if (!found) throw std::invalid_argument(name);
    outputs.push_back(*found);
  }
  Problem problem = make_problem(compile(resolved.system, outputs));
  Request request;
  request.times = times;
  IntegrationOptions options;
  options.rtol = rtol;
  const Trajectory run = simulate(problem, request, options);
  EXPECT_EQ(run.outcome.status, Status::done) << run.outcome.detail;
  std::vector<std::vector<double>> rows;
  for (std::size_t r = 0; r < times.size(); ++r)
    rows.emplace_back(run.outputs.begin() + static_cast<long>(r * columns.size()),
                      run.outputs.begin() + static_cast<long>((r + 1) * columns.size()));
  return rows;
}

std::shared_ptr<const Model> reduced(const std::shared_ptr<const Model>& model,
                                     const QuasiSteadyRequest& request) {
  return std::make_shared<const Model>(quasi_steady_model(model, request).model);
}

TEST(Escep, OuterSolutionSolvesItsEquation) {
  for (double p : {1e-6, 0.01, 1.5, 40.0})
    for (double share : {0.0, 0.5, 0.99}) {
      const double q = p * share;
      for (double time : {0.0, 1e-3, 1.0, 20.0, 1e4}) {
        const EscepSolution x = escep_outer(p, q, time);
        ASSERT_TRUE(std::isfinite(x.s)) << p << " " << time;
        if (x.s > 1e-300) {
          EXPECT_NEAR(x.s + p * std::log(x.s) + (p - q) * time, 1, 1e-13 * (1 + p * time));
        }
      }
    }
  EXPECT_EQ(escep_composite(0.01, 1.5, 1, 0).s, 1);
  EXPECT_NEAR(escep_composite(0.01, 1.5, 1, 0).c, 0, 1e-16);
}

TEST(Escep, CompositeIsThatOfTheReference) {
  struct Case {
    const char* file;
    double eps, p, q;
  };
  for (const Case& one : {Case{"escep_a.csv", 0.1, 1.5, 1}, Case{"escep_b.csv", 0.01, 1.5, 1},
                          Case{"escep_c.csv", 1e-4, 2, 1.5}}) {
    std::ifstream file(reference_path(one.file));
    std::string line, cell;
    std::getline(file, line);
    int rows = 0;
    while (std::getline(file, line)) {
      std::istringstream cells(line);
      std::vector<double> x;
      while (std::getline(cells, cell, ',')) x.push_back(std::stod(cell));
      const EscepSolution ours = escep_composite(one.eps, one.p, one.q, x[0]);
      EXPECT_NEAR(ours.s, x[3], 2e-14);
      EXPECT_NEAR(ours.c, x[4], 2e-14);
      ++rows;
    }
    EXPECT_GT(rows, 200);
  }
}

// The constants that the error over eps tends to, and that it falls like eps.
TEST(Escep, ErrorOfTheCompositeIsOfOrderEps) {
  struct Case {
    double p, q, s, c;
  };
  for (const Case& one :
       {Case{1.5, 1, 0.3200, 0.0576}, Case{2, 1.5, 0.2778, 0.0494}, Case{1.1, 1, 0.4535, 0.1075}}) {
    CompiledModel model = compile_model(resolve_library("escep-dimensionless"));
    double last_s = 0, last_c = 0;
    for (double eps : {1e-2, 1e-3, 1e-4}) {
      std::vector<double> times;
      for (int i = 1; i <= 300; ++i) times.push_back(eps * 0.1 * i);  // the layer
      for (int i = 1; i <= 400; ++i) times.push_back(30 * eps + 0.05 * i);
      Request request = model.request(times);
      request.parameters = model.parameters({{"eps", eps}, {"p", one.p}, {"q", one.q}});
      IntegrationOptions options;
      options.rtol = 1e-11;
      const Trajectory run = simulate(model.problem, request, options);
      ASSERT_EQ(run.outcome.status, Status::done);
      double s = 0, c = 0;
      for (std::size_t i = 0; i < times.size(); ++i) {
        const EscepSolution x = escep_composite(eps, one.p, one.q, times[i]);
        s = std::max(s, std::fabs(run.states[2 * i] - x.s));
        c = std::max(c, std::fabs(run.states[2 * i + 1] - x.c));
      }
      if (last_s > 0) {
        EXPECT_NEAR(std::log10(last_s / s), 1, 0.02);
        EXPECT_NEAR(std::log10(last_c / c), 1, 0.02);
      }
      if (eps <= 1e-4) {
        EXPECT_NEAR(s / eps, one.s, 0.005 * one.s);
        EXPECT_NEAR(c / eps, one.c, 0.005 * one.c);
      }
      last_s = s;
      last_c = c;
    }
  }
}

TEST(QuasiSteady, ReducedEscepIsTheClosedForm) {
  QuasiSteadyRequest request;
  request.fast = {"c"};
  request.composite = true;
  const auto made = reduced(from_library("escep-dimensionless"), request);
  const std::vector<double> times{1e-3, 0.01, 0.05, 1, 5, 20};
  const auto rows = curves(made, {"s", "c", "c_composite"}, times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const EscepSolution outer = escep_outer(1.5, 1, times[i]);
    EXPECT_NEAR(rows[i][0], outer.s, 1e-9);
    EXPECT_NEAR(rows[i][1], outer.c, 1e-9);
    EXPECT_NEAR(rows[i][2], escep_composite(0.01, 1.5, 1, times[i]).c, 1e-9);
  }
}

TEST(QuasiSteady, WhatMovesWithTheFastKeepsItsSum) {
  for (const std::vector<std::string>& fast :
       {std::vector<std::string>{"C"}, {"E"}, {"C", "E"}, {"E", "C"}}) {
    QuasiSteadyRequest request;
    request.fast = fast;
    const auto made = reduced(from_library("escep"), request);
    const std::vector<double> times{10, 100, 500, 2000};
    const auto rows = curves(made, {"S", "C", "E", "P"}, times);
    for (const auto& row : rows) {
      EXPECT_NEAR(row[1], 0.01 * row[0] / (row[0] + 1.5), 1e-12);
      EXPECT_NEAR(row[1] + row[2], 0.01, 1e-14);
      EXPECT_NEAR(row[0] + row[3], 1, 1e-9);
    }
    const auto full = curves(from_library("escep"), {"S", "C", "E", "P"}, times);
    for (std::size_t i = 0; i < times.size(); ++i)
      for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(rows[i][k], full[i][k], 0.005);
  }
}

// A chain whose middle is fast; two species solved together, in compartments of different size.
TEST(QuasiSteady, SolvesSeveralSpeciesTogether) {
  const std::string text = R"(
compartment c = 2, d = 0.5
species A in c, B in d, C in c, D in c
r1: A -> B; c*k*A
r2: B -> C; d*1000*B - c*200*C
r3: C -> D; c*700*C
A = 3; B = 0; C = 0; D = 0; k = 0.7
)";
  QuasiSteadyRequest request;
  request.fast = {"B", "C"};
  request.composite = true;
  const auto made = reduced(read(text), request);
  const std::vector<double> times{1e-4, 1e-3, 0.01, 0.5, 2};
  const auto rows = curves(made, {"A", "B", "C", "B_composite", "C_composite"}, times);
  const auto full = curves(read(text), {"A", "B", "C"}, times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    // At rest: c*700*C = c*k*A = d*1000*B - c*200*C.
    EXPECT_NEAR(rows[i][2], 0.7 * rows[i][0] / 700, 1e-12);
    EXPECT_NEAR(rows[i][1], (2 * 0.7 * rows[i][0] + 400 * rows[i][2]) / 500, 1e-12);
    EXPECT_NEAR(rows[i][0], full[i][0], 1e-8);
    EXPECT_NEAR(rows[i][3], full[i][1], 1e-2 * 0.006);
    EXPECT_NEAR(rows[i][4], full[i][2], 1e-2 * 0.003);
  }
}

TEST(QuasiSteady, NonlinearEquationsAreSolvedAlongTheRun) {
  QuasiSteadyRequest request;
  request.fast = {"B"};
  const auto made = reduced(from_library("robertson"), request);
  const std::vector<double> times{1, 100, 1e4, 1e5};
  const auto rows = curves(made, {"A", "B", "C"}, times),
             full = curves(from_library("robertson"), {"A", "B", "C"}, times);
  for (std::size_t i = 0; i < times.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(rows[i][k] / full[i][k], 1, 2e-3) << i << k;
}

TEST(QuasiSteady, HoldsWhatIsConstant) {
  QuasiSteadyRequest request;
  request.constant = {"H2"};
  const auto made = reduced(from_library("water-moderate"), request);
  const std::vector<double> times{0.01, 0.1};
  const auto rows = curves(made, {"H2", "H2O"}, times),
             full = curves(from_library("water-moderate"), {"H2", "H2O"}, times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(rows[i][0], 10000);
    EXPECT_NEAR(rows[i][1] / full[i][1], 1, 1e-3);
  }
}

TEST(QuasiSteady, SaysWhatItCannotDo) {
  auto complaint = [](const std::string& text, const QuasiSteadyRequest& request) -> std::string {
    try {
      quasi_steady_model(read(text), request);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string plain =
      "A -> B; k1*A\nB -> C; k2*B\nA = 1; B = 0; C = 0; k1 = 1; k2 = 9; w := 2*A\n";
  EXPECT_EQ(complaint(plain, {{"B"}, {}, true}), "");
  EXPECT_NE(complaint(plain, {{"K1"}, {}, false}).find("did you mean 'k1'"), std::string::npos);
  EXPECT_NE(complaint(plain, {{"k1"}, {}, false}).find("does not move"), std::string::npos);
  EXPECT_NE(complaint(plain, {{}, {"w"}, false}).find("follows a rule"), std::string::npos);
  EXPECT_NE(complaint(plain, {{"B", "B"}, {}, false}).find("twice"), std::string::npos);
  EXPECT_NE(complaint(plain + "at time > 1: B = 2\n", {{"B"}, {}, false}).find("event"),
            std::string::npos);
  EXPECT_NE(complaint("A -> B; k*A\nB -> C; piecewise(B, B > 1, 2*B)\nA = 1; B = 0; C = 0; k = 1\n",
                      {{"B"}, {}, false})
                .find("conditions"),
            std::string::npos);
}

}  // namespace
}  // namespace stiffit::internal
