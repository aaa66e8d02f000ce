// An interrupt stops work wherever it is: at whichever look the flag is found raised, nothing goes
// on after it; and every part of the work polls often enough for its size.
// SPDX-License-Identifier: Apache-2.0
#include "base/interrupt.h"

#include <gtest/gtest.h>

#include <set>

#include "analysis/pipeline/time_course.h"
#include "base/threads.h"
#include "estimation/objective/problem_objective.h"
#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/strategies/multi_start.h"
#include "io/bng/write_net.h"
#include "io/data/read_data.h"
#include "io/files/load_model.h"
#include "io/files/load_problem.h"
#include "io/sbml/write_sbml.h"
#include "model/library/generated_network.h"
#include "model/model_settings.h"
#include "sanitized.h"

namespace stiffit::internal {
namespace {

const std::atomic<bool> never{false};

// How often the work polls.
template <class Work>
long polls_of(Work work) {
  const InterruptScope scope(&never);
  const long before = InterruptScope::polls();
  work();
  return InterruptScope::polls() - before;
}

// At the first polls, at the last ones and at some between.
std::vector<long> places(long polls) {
  std::vector<long> list;
  for (long k = 1; k <= polls; k = k < 4 ? k + 1 : k + std::max(1L, k / (sanitized ? 1 : 3)))
    list.push_back(k);
  list.push_back(polls);
  return list;
}

template <class Work>
void expect_stops(Work work) {
  const long polls = polls_of(work);
  ASSERT_GT(polls, 0);
  for (const long k : places(polls)) {
    const InterruptScope scope(&never, k);
    const long before = InterruptScope::polls();
    EXPECT_THROW(work(), Interrupted) << "at look " << k << " of " << polls;
    EXPECT_EQ(InterruptScope::polls() - before, k) << "it went on";
  }
}

std::string network(int species) {
  NetworkRecipe recipe;
  recipe.species = species;
  recipe.reactions = 2 * species;
  return generate_network(recipe);
}

std::shared_ptr<const Model> model_of(const std::string& name, const std::string& text) {
  return load_model_text(name, text).model;
}

TEST(Interrupt, IsNoticedInItsScopeOnly) {
  std::atomic<bool> flag{true};
  EXPECT_NO_THROW(check_interrupt());
  {
    const InterruptScope scope(&flag);
    EXPECT_THROW(check_interrupt(), Interrupted);
    {
      const InterruptScope nothing_stops_this(nullptr);
      EXPECT_NO_THROW(check_interrupt());
    }
    EXPECT_THROW(check_interrupt(), Interrupted);
    InterruptScope::heard();
    EXPECT_NO_THROW(check_interrupt());
  }
  EXPECT_NO_THROW(check_interrupt());
}

TEST(Interrupt, ReachesThreads) {
  std::atomic<bool> flag{true};
  const InterruptScope scope(&flag);
  EXPECT_THROW(on_threads(3,
                          [](std::size_t k) {
                            if (k == 2) check_interrupt();
                          }),
               Interrupted);
}

TEST(Interrupt, StopsReaders) {
  const std::string text = network(400);
  expect_stops([&] { model_of("m.rxn", text); });
  const auto model = model_of("m.rxn", text);
  const std::string sbml = write_sbml(*model).text, net = write_net(*model).text;
  expect_stops([&] { model_of("m.xml", sbml); });
  expect_stops([&] { model_of("m.net", net); });
}

TEST(Interrupt, StopsWhatPreparesARun) {
  const auto model = model_of("m.rxn", network(300));
  TimeCourseOptions options;
  expect_stops([&] { prepare_course(model, options); });
}

// The polls grow with the work: several for every reaction while it is read, and again while its
// equations are derived and compiled.
TEST(Interrupt, LooksGrowWithTheModel) {
  for (const int species : {200, 800}) {
    const std::string text = network(species);
    const long reading = polls_of([&] { model_of("m.rxn", text); });
    const auto model = model_of("m.rxn", text);
    const long preparing = polls_of([&] { prepare_course(model, {}); });
    EXPECT_GT(reading, species / 10);
    EXPECT_GT(preparing, species / 10);
  }
}

// In the middle of a run, what was reached stays, and what has not begun is said to be interrupted.
TEST(Interrupt, ARunThatPreparesSomethingKeepsItsRows) {
  const auto model = model_of("m.rxn", "A -> B; k*A\nB -> A; k*B\nA = 1; B = 0; k = 1\n");
  TimeCourseOptions options;
  options.end = 1000;
  options.points = 1000;
  options.integration.method = "rk4";
  options.integration.fixed_step = 0.1;
  options.integration.progress = [](double) { check_interrupt(); };  // as anything a step calls
  const PreparedCourse course = prepare_course(model, options);
  const std::vector<Request> requests(3, course.request);
  const auto work = [&] { return simulate_many(course.problem, requests, options.integration, 1); };
  EXPECT_EQ(work().back().outcome.status, Status::done);
  const InterruptScope scope(&never, 3);
  const std::vector<Trajectory> results = work();
  ASSERT_EQ(results.size(), requests.size());
  for (const Trajectory& result : results) EXPECT_EQ(result.outcome.status, Status::interrupted);
  EXPECT_GT(results.front().rows_reached, 10u);
  EXPECT_LT(results.front().rows_reached, 100u);
  EXPECT_EQ(results.back().rows_reached, 0u);
}

// A gradient that is stopped says so, wherever it was; the next one is as good as ever.
TEST(Interrupt, StopsAGradient) {
  const auto model = model_of("m.rxn",
                              "A -> B; k1*A\nB -> C; k2*B\nC -> A; k3*C\n"
                              "A = 1; B = 0; C = 0; k1 = 1; k2 = 2; k3 = 0.5\n");
  const DataRequest data{{{"d.csv", "time,B\n1,0.3\n2,0.3\n5,0.2\n"}}, {"k1,k2,k3"}, {}};
  const LoadedProblem loaded = load_data_problem(model, data);
  for (const GradientMethod gradient : {GradientMethod::forward, GradientMethod::adjoint}) {
    ObjectiveOptions options;
    options.gradient = gradient;
    expect_stops([&] { ProblemObjective(loaded.problem, options); });
    const ProblemObjective objective(loaded.problem, options);
    const std::vector<double> theta(3, 0.1);
    const Evaluation good = objective.evaluate(theta, Need::gradient);
    ASSERT_TRUE(good.ok()) << good.failure;
    const long polls = polls_of([&] { objective.evaluate(theta, Need::gradient); });
    if (gradient == GradientMethod::adjoint) {
      EXPECT_GT(polls, 0);
    }
    for (long k = 1; k <= polls; ++k) {
      const InterruptScope scope(&never, k);
      EXPECT_EQ(objective.evaluate(theta, Need::gradient).failure, "interrupted");
    }
    EXPECT_EQ(objective.evaluate(theta, Need::gradient).gradient, good.gradient);
  }
}

// Wherever the flag is found raised, the starts that have ended are kept and no other begins.
TEST(Interrupt, AFitKeepsTheStartsThatHaveEnded) {
  const std::vector<EstimatedParameter> unknowns{{.id = "a", .lower = -3, .upper = 3, .start = 0},
                                                 {.id = "b", .lower = -3, .upper = 3, .start = 0}};
  const TrialLeastSquares objective(unknowns, [](std::span<const double> at) {
    check_interrupt();  // as anything that an evaluation prepares
    return std::vector<double>{10 * (at[1] - at[0] * at[0]), 1 - at[0]};
  });
  MultiStartOptions options;
  options.starts = 3;
  options.method = fit_trust_region;
  const auto work = [&](std::size_t& ended) {
    MultiStart fit(objective, options);
    fit.on_finished = [&](const StartResult&) { ++ended; };
    return fit.run().size();
  };
  std::size_t all = 0;
  const long polls = polls_of([&] { work(all); });
  ASSERT_EQ(all, options.starts);
  std::set<std::size_t> kept;
  for (const long k : places(polls)) {
    const InterruptScope scope(&never, k);
    const long before = InterruptScope::polls();
    std::size_t ended = 0;
    EXPECT_EQ(work(ended), ended) << "at look " << k << " of " << polls;
    EXPECT_EQ(InterruptScope::polls() - before, k) << "it went on";
    kept.insert(ended);
  }
  EXPECT_EQ(kept, (std::set<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace stiffit::internal
