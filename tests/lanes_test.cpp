// Lanes, threads, output grids, the interpreter and machine code: however a trajectory is run, it
// is the same trajectory. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiled_model.h"
#include "model/library/generated_network.h"
#include "ode/method_registry.h"

namespace stiffit::internal {
namespace {

std::vector<std::string> lane_methods() {
  std::vector<std::string> names;
  for (const MethodEntry& entry : method_entries())
    if (entry.lanes) names.emplace_back(entry.info.name);
  return names;
}

CompiledModel compile_for(const std::string& name, int lanes, Isa isa = best_isa()) {
  ProgramOptions options;
  options.lanes = lanes;
  options.isa = isa;
  return compile_model(resolve_library(name), options);
}

// The largest deviation of a state over that state's largest value in `expected`.
double deviation(const Trajectory& run, const Trajectory& expected, std::size_t states) {
  if (run.states.size() != expected.states.size()) return INFINITY;
  double worst = 0;
  for (std::size_t k = 0; k < states; ++k) {
    double largest = 0, apart = 0;
    for (std::size_t i = k; i < run.states.size(); i += states) {
      largest = std::max(largest, std::fabs(expected.states[i]));
      double here = std::fabs(run.states[i] - expected.states[i]);
      if (!(here <= apart)) apart = here;
    }
    if (apart == 0) continue;
    if (!(apart / largest <= worst)) worst = apart / largest;
  }
  return worst;
}

bool bit_identical(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// Requests whose parameters all differ a little, so that lanes take steps of their own.
std::vector<Request> varied_requests(const CompiledModel& model, const std::vector<double>& times,
                                     int count) {
  std::vector<Request> requests;
  for (int r = 0; r < count; ++r) {
    Request request = model.request(times);
    request.parameters = model.program().parameter_values;
    for (std::size_t i = 0; i < request.parameters.size(); ++i)
      request.parameters[i] *= 1 + 0.02 * std::sin(1.0 + 3.0 * r + static_cast<double>(i));
    requests.push_back(std::move(request));
  }
  return requests;
}

// A step every explicit method bears: a tenth over the largest row sum of |J| near the start, where
// every species is there.
double bearable_step(const CompiledModel& model) {
  const Program& p = model.program();
  std::vector<double> values = p.parameter_values;
  values.resize(static_cast<std::size_t>(p.parameter_slots));
  std::vector<double> y(static_cast<std::size_t>(p.states)), j(p.pattern.row.size());
  double time = p.start_time;
  double* start[2] = {values.data(), y.data()};
  p.prepare(start);
  p.initial(start);
  for (double& state : y)
    if (state == 0) state = 1;
  double* arrays[4] = {&time, y.data(), values.data(), j.data()};
  p.jacobian(arrays);
  std::vector<double> row_sum(y.size(), 0);
  for (std::size_t k = 0; k < j.size(); ++k)
    row_sum[static_cast<std::size_t>(p.pattern.row[k])] += std::fabs(j[k]);
  return 0.1 / std::max(1e-6, *std::max_element(row_sum.begin(), row_sum.end()));
}

class LibraryModelRuns : public testing::TestWithParam<SmallModel> {
 protected:
  static const SmallModel& model() { return GetParam(); }
};

// Forty steps: 1e-13 of each state's maximum is a few hundred roundings.
TEST_P(LibraryModelRuns, FixedStepsGiveTheSameNumbersToRounding) {
  CompiledModel oracle = compile_for(model().name, 1, Isa::portable);
  const double h = bearable_step(oracle);
  for (const std::string& method : lane_methods()) {
    if (find_method(method)->info.family == "multistep") continue;  // has no fixed steps
    IntegrationOptions options;
    options.method = method;
    options.fixed_step = h;
    if (!refusal(oracle.problem, options).empty()) continue;  // not polynomial
    const Request request = oracle.request(even_times(40 * h, 16));
    const Trajectory expected = simulate(oracle.problem, request, options);
    ASSERT_EQ(expected.outcome.status, Status::done);
    for (Isa isa : possible_isas())
      for (int lanes : {1, 4, 8}) {
        CompiledModel other = compile_for(model().name, lanes, isa);
        std::vector<Request> requests(9, request);
        for (const Trajectory& run : simulate_many(other.problem, requests, options, 1)) {
          EXPECT_EQ(run.outcome.status, Status::done);
          EXPECT_LE(deviation(run, expected, oracle.resolved.system.states.size()), 1e-13)
              << method << ", " << lanes << " lanes, isa " << static_cast<int>(isa);
        }
      }
  }
}

// Each lane has parameters of its own and must agree with the scalar run of the same parameters.
TEST_P(LibraryModelRuns, LanesAgreeWithScalarRunsWithinTolerance) {
  CompiledModel scalar = compile_for(model().name, 1);
  const std::vector<Request> requests = varied_requests(scalar, even_times(model().end, 20), 11);
  for (const std::string& method :
       {std::string("rodas5p"), std::string("bdf"), std::string("dopri5")}) {
    IntegrationOptions options;
    options.method = method;
    options.rtol = 1e-7;
    options.max_steps = 20'000;  // explicit methods stop early on stiff models, all the same way
    const std::vector<Trajectory> expected = simulate_many(scalar.problem, requests, options, 1);
    if (expected[0].outcome.status != Status::done) continue;
    for (int lanes : {4, 8}) {
      CompiledModel wide = compile_for(model().name, lanes);
      const std::vector<Trajectory> runs = simulate_many(wide.problem, requests, options, 1);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        ASSERT_EQ(runs[i].outcome.status, Status::done);
        EXPECT_LE(deviation(runs[i], expected[i], scalar.resolved.system.states.size()), 1e-5)
            << method << ", " << lanes << " lanes, request " << i;
      }
    }
  }
}

TEST_P(LibraryModelRuns, ThreadsAndOrderChangeNoBit) {
  for (int lanes : {1, 4, 8}) {
    CompiledModel compiled = compile_for(model().name, lanes);
    const std::vector<Request> requests =
        varied_requests(compiled, even_times(model().end, 20), 21);
    for (const std::string& method :
         {std::string("rodas5p"), std::string("bdf"), std::string("dopri5")}) {
      IntegrationOptions options;
      options.method = method;
      options.max_steps = 2'000;  // also a run that gives up is the same run
      const auto expected = simulate_many(compiled.problem, requests, options, 1);
      for (int threads : {2, 3}) {
        const auto runs = simulate_many(compiled.problem, requests, options, threads);
        for (std::size_t i = 0; i < runs.size(); ++i) {
          EXPECT_TRUE(bit_identical(runs[i].states, expected[i].states))
              << method << ", " << lanes << " lanes, " << threads << " threads, request " << i;
          EXPECT_EQ(runs[i].outcome.counters.steps, expected[i].outcome.counters.steps);
        }
      }
      const std::vector<Request> backwards(requests.rbegin(), requests.rend());
      const auto runs = simulate_many(compiled.problem, backwards, options, 2);
      for (std::size_t i = 0; i < runs.size(); ++i)
        EXPECT_TRUE(bit_identical(runs[i].states, expected[runs.size() - 1 - i].states))
            << method << ", " << lanes << " lanes, request " << i;
    }
  }
}

TEST_P(LibraryModelRuns, TheOutputGridChangesNoBit) {
  for (int lanes : {1, 4}) {
    CompiledModel compiled = compile_for(model().name, lanes);
    const auto n = compiled.resolved.system.states.size();
    const std::vector<double> few = even_times(model().end, 8), many = even_times(model().end, 64);
    for (const std::string& method :
         {std::string("rodas5p"), std::string("bdf"), std::string("dopri5")}) {
      IntegrationOptions options;
      options.method = method;
      options.max_steps = 20'000;
      const Trajectory coarse = simulate(compiled.problem, compiled.request(few), options);
      const Trajectory fine = simulate(compiled.problem, compiled.request(many), options);
      EXPECT_EQ(coarse.outcome.counters.steps, fine.outcome.counters.steps);
      for (std::size_t i = 0; i < few.size(); ++i)
        for (std::size_t k = 0; k < n; ++k) {
          double a = coarse.states[i * n + k], b = fine.states[8 * i * n + k];
          EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b)))
              << method << " at " << few[i] << ": " << a << " " << b;
        }
    }
  }
}

TEST_P(LibraryModelRuns, ARunInTwoPartsAgreesWithinTolerance) {
  CompiledModel compiled = compile_for(model().name, 1);
  const auto n = compiled.resolved.system.states.size();
  for (const MethodEntry& entry : method_entries()) {
    if (entry.fixed_step_only) continue;
    IntegrationOptions options;
    options.method = entry.info.name;
    options.rtol = 1e-7;
    options.max_steps = 20'000;
    if (!refusal(compiled.problem, options).empty()) continue;
    const Request whole = compiled.request(even_times(model().end, 27));
    const std::size_t middle = 10, rows = whole.times.size();
    const Trajectory expected = simulate(compiled.problem, whole, options);
    if (expected.outcome.status != Status::done) continue;  // explicit on a stiff model
    Request first = compiled.request({}), rest;
    first.times.assign(whole.times.begin(), whole.times.begin() + middle + 1);
    first.keep_end = true;
    rest.from = simulate(compiled.problem, first, options).end;
    rest.times.assign(whole.times.begin() + middle, whole.times.end());
    Trajectory run = simulate(compiled.problem, rest, options);
    ASSERT_EQ(run.outcome.status, Status::done);
    // The first part as it was, so that states are judged by their largest value of all.
    run.states.insert(run.states.begin(), expected.states.begin(),
                      expected.states.begin() + static_cast<long>(middle * n));
    ASSERT_EQ(run.states.size(), rows * n);
    // Errors grow along an orbit (two thousandfold on Lotka-Volterra): what the tolerance comes to
    // is the error of the whole run, of this method or, where it was lucky, of another. Two runs
    // are apart by the errors of both.
    IntegrationOptions tight;
    tight.rtol = 1e-11;
    const Trajectory truth = simulate(compiled.problem, whole, tight);
    options.method = "rodas5p";
    const Trajectory other = simulate(compiled.problem, whole, options);
    const double usual = std::max(deviation(expected, truth, n), deviation(other, truth, n));
    EXPECT_LE(deviation(run, expected, n), 10 * options.rtol + 2 * usual) << entry.info.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, LibraryModelRuns, testing::ValuesIn(small_library_models()),
                         [](const testing::TestParamInfo<SmallModel>& test) {
                           return test_name(test.param.name);
                         });

// x' = k x^2 from 1 leaves every bound at t = 1/k.
TEST(ManyTrajectories, OneThatBlowsUpDoesNotDisturbTheOthers) {
  for (const std::string& method :
       {std::string("rodas5p"), std::string("bdf"), std::string("dopri5")})
    for (int lanes : {1, 4, 8}) {
      ProgramOptions wide;
      wide.lanes = lanes;
      CompiledModel model =
          compile_model(resolve_text("blow-up", "species x; x' = k*x^2; k = 0.1; x = 1;\n"), wide);
      std::vector<Request> requests;
      for (int i = 0; i < 20; ++i) {
        requests.push_back(model.request(even_times(2, 10)));
        requests.back().parameters = model.parameters({{"k", i % 7 == 3 ? 4.5 : 0.01 * i}});
      }
      IntegrationOptions options;
      options.method = method;
      const auto runs = simulate_many(model.problem, requests, options, 2);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        if (i % 7 == 3) {
          EXPECT_NE(runs[i].outcome.status, Status::done);
          EXPECT_NEAR(runs[i].outcome.time, 1 / 4.5, 1e-3);
          EXPECT_EQ(runs[i].outcome.state, 0);
          EXPECT_EQ(runs[i].rows_reached, 2u);
          EXPECT_TRUE(std::isnan(runs[i].states.back()));
          continue;
        }
        ASSERT_EQ(runs[i].outcome.status, Status::done) << method << " " << lanes << " " << i;
        const double k = 0.01 * static_cast<double>(i);
        EXPECT_NEAR(runs[i].states.back() * (1 - 2 * k), 1, 1e-4);
        // A trajectory alone in its lanes is the same to the last bit.
        const auto alone = simulate_many(model.problem, {&requests[i], 1}, options, 1);
        EXPECT_TRUE(bit_identical(alone[0].states, runs[i].states))
            << method << " " << lanes << " " << i;
      }
    }
}

// x' = k from 0, back to 0 at 1: an event every 1/k, in each lane at times of its own.
TEST(ManyTrajectories, EachLaneHasEventsAtItsOwnTimes) {
  for (const std::string& method : {std::string("automatic"), std::string("bdf")})
    for (int lanes : {1, 4, 8}) {
      ProgramOptions wide;
      wide.lanes = lanes;
      CompiledModel model = compile_model(
          resolve_text("saw", "species x; x' = k; k = 1; x = 0; at (x > 1): x = 0;\n"), wide);
      std::vector<Request> requests;
      for (int i = 0; i < 13; ++i) {
        requests.push_back(model.request(even_times(3, 6)));
        requests.back().parameters = model.parameters({{"k", 0.3 * i}});
      }
      IntegrationOptions options;
      options.method = method;
      const auto runs = simulate_many(model.problem, requests, options, 2);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        const double k = 0.3 * static_cast<double>(i);
        ASSERT_EQ(runs[i].outcome.status, Status::done);
        std::size_t expected = 0;
        for (; static_cast<double>(expected + 1) < 3 * k - 1e-6; ++expected) {
          ASSERT_LT(expected, runs[i].events.size()) << lanes << " lanes, k = " << k;
          EXPECT_NEAR(runs[i].events[expected].time, static_cast<double>(expected + 1) / k, 1e-9);
        }
        EXPECT_LE(runs[i].events.size(), expected + 1);  // one may fall on the end itself
      }
    }
}

// A decay that starts anew at doses of its own, in each lane when its level has fallen to its own
// limit: order one again in one lane, whatever the order of the others.
TEST(ManyTrajectories, DosesInLanesAreThoseOfScalarRunsToTheBit) {
  const char* text =
      "species a, b; a' = -k*a; b' = k*a - 0.3*b; k = 1; low = 0.2; a = 1; b = 0;\n"
      "at (a < low): a = a + 1;\n";
  ProgramOptions wide;
  wide.lanes = 4;
  CompiledModel lanes = compile_model(resolve_text("doses", text), wide);
  std::vector<Request> requests;
  for (int i = 0; i < 9; ++i) {
    requests.push_back(lanes.request(even_times(12, 24)));
    requests.back().parameters = lanes.parameters({{"k", 0.5 + 0.2 * i}, {"low", 0.1 + 0.03 * i}});
  }
  IntegrationOptions options;
  options.method = "bdf";
  options.rtol = 1e-8;
  const auto together = simulate_many(lanes.problem, requests, options, 1);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto alone = simulate_many(lanes.problem, {&requests[i], 1}, options, 1);
    ASSERT_EQ(together[i].outcome.status, Status::done);
    EXPECT_TRUE(bit_identical(together[i].states, alone[0].states)) << i;
    ASSERT_EQ(together[i].events.size(), alone[0].events.size());
    // Between doses a falls from where the dose has brought it to the limit.
    const double k = 0.5 + 0.2 * static_cast<double>(i), low = 0.1 + 0.03 * static_cast<double>(i);
    double expected = std::log(1 / low) / k;
    for (const ExecutedEvent& event : together[i].events) {
      EXPECT_NEAR(event.time, expected, 1e-6);
      expected += std::log((low + 1) / low) / k;
    }
    EXPECT_GT(expected, 12 - 1e-6);
  }
}

// Clocks that events set, another in every lane: a row at the very moment of its own lane's clock
// shows what has happened, whatever the others are doing.
TEST(ManyTrajectories, ClocksThatEventsSetAreExactInLanes) {
  const std::string text =
      "species n; n' = 0; n = 0; x' = piecewise(1, 3*(until - time) >= 0, -x); x = 0;\n"
      "gap = 0.1; next = 0.1; var next; until = 0.35; var until;\n"
      "at (7*time >= 7*next): n = n + 1, next = next + gap;\n"
      "at (until - time < 0): until = until + 3.7;\n";
  for (const char* method : {"rodas5p", "bdf", "dopri5"})
    for (int lanes : {4, 8}) {
      ProgramOptions program;
      program.lanes = lanes;
      CompiledModel model = compile_model(resolve_text("model", text), program);
      std::vector<Request> requests;
      for (int r = 0; r < 2 * lanes + 3; ++r) {
        const double gap = 0.07 + 0.013 * r;
        std::vector<double> times;
        for (double next = 0.1; times.size() < 100; next += gap) times.push_back(next);
        requests.push_back(model.request(times));
        requests.back().parameters = model.parameters({{"gap", gap}});
      }
      IntegrationOptions options;
      options.method = method;
      const std::vector<Trajectory> runs = simulate_many(model.problem, requests, options, 1);
      for (std::size_t r = 0; r < runs.size(); ++r) {
        ASSERT_EQ(runs[r].outcome.status, Status::done);
        const std::size_t states = runs[r].states.size() / requests[r].times.size();
        for (std::size_t row = 0; row < requests[r].times.size(); ++row)
          ASSERT_EQ(runs[r].states[row * states], static_cast<double>(row + 1))
              << method << ", " << lanes << " lanes, run " << r << ", row " << row;
      }
    }
}

// Forty species, every rate constant of every lane its own, against CVODES.
TEST(ManyTrajectories, NetworkInLanesAgainstCvodes) {
  const std::string text = generated_benchmark_network(40);
  ProgramOptions four;
  four.lanes = 4;
  CompiledModel scalar = compile_model(resolve_text("network-40", text)),
                wide = compile_model(resolve_text("network-40", text), four);
  const std::vector<Request> requests = varied_requests(scalar, even_times(100, 10), 6);
  IntegrationOptions options, trusted;
  trusted.method = "cvodes";
  trusted.rtol = 1e-10;
  options.rtol = 1e-7;
  for (const std::string& method : {std::string("rodas5p"), std::string("bdf")}) {
    options.method = method;
    const auto runs = simulate_many(wide.problem, requests, options, 1);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Trajectory expected = simulate(scalar.problem, requests[i], trusted);
      ASSERT_EQ(expected.outcome.status, Status::done);
      ASSERT_EQ(runs[i].outcome.status, Status::done);
      EXPECT_LE(deviation(runs[i], expected, 40), 3e-6) << method << " " << i;
    }
  }
}

// Columns that are all states are copied; any other is computed from them.
TEST(ManyTrajectories, ColumnsAreStatesOrComputed) {
  ProgramOptions wide;
  wide.lanes = 4;
  ResolvedSystem turned = resolve_library("robertson"), doubled = resolve_library("robertson");
  std::reverse(turned.columns.begin(), turned.columns.end());
  Graph& graph = doubled.system.graph;
  doubled.columns.push_back({"twice", graph.mul(graph.number(2), doubled.columns[0].node)});
  const CompiledModel plain = compile_for("robertson", 4),
                      other = compile_model(std::move(turned), wide),
                      more = compile_model(std::move(doubled), wide);
  EXPECT_EQ(plain.problem.program->output_states, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(other.problem.program->output_states, (std::vector<int>{2, 1, 0}));
  EXPECT_TRUE(more.problem.program->output_states.empty());
  Request request;
  request.times = even_times(100, 7);
  const Trajectory a = simulate(plain.problem, request, {}),
                   b = simulate(other.problem, request, {}),
                   c = simulate(more.problem, request, {});
  ASSERT_EQ(a.outputs.size(), 3 * request.times.size());
  ASSERT_EQ(c.outputs.size(), 4 * request.times.size());
  EXPECT_TRUE(bit_identical(a.outputs, a.states));
  for (std::size_t row = 0; row < request.times.size(); ++row) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(b.outputs[3 * row + k], a.states[3 * row + 2 - k]);
      EXPECT_EQ(c.outputs[4 * row + k], a.states[3 * row + k]);
    }
    EXPECT_EQ(c.outputs[4 * row + 3], 2 * a.states[3 * row]);
  }
}

}  // namespace
}  // namespace stiffit::internal
