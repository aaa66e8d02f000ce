// The library as a program uses it, through its public headers only.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "places.h"
#include "stiffit/stiffit.h"

namespace {

const char* const escep =
    "species S = 1, E = 0.01, C = 0, P = 0\nE + S <-> C; k1, k_1\nC -> E + P; k2\n"
    "k1 = 1; k_1 = 1; k2 = 0.5\n";

std::string example(const std::string& name) {
  return stiffit::internal::source_path("examples/escep/" + name);
}

stiffit::Problem enzyme() {
  return stiffit::Problem::from_data(
      stiffit::Model::load(example("escep.rxn")),
      {{example("low.csv")}, {example("middle.csv")}, {example("high.csv")}}, {"k1,k2,off=0"},
      {"A405 = 10*P + off"});
}

std::string complaint(const auto& run) {
  try {
    run();
  } catch (const stiffit::InputError& error) {
    return error.what();
  }
  return "nothing is wrong";
}

bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(Facade, SimulatesWhatItLoads) {
  const auto model = stiffit::Model::from_text(escep);
  EXPECT_EQ(model.species().size(), 4u);
  EXPECT_EQ(model.parameters().front().first, "k1");
  const auto course = model.simulate({.end = 1000, .points = 10}).or_throw();
  ASSERT_EQ(course.times.size(), 11u);
  EXPECT_EQ(course.columns.size(), 4u);
  const auto substrate = course.column("S"), product = course.column("P");
  EXPECT_EQ(substrate.front(), 1);
  EXPECT_NEAR(substrate.back() + product.back() + course.column("C").back(), 1, 1e-6);
  EXPECT_TRUE(says(complaint([&] { course.column("SS"); }), "did you mean 'S'"));
  EXPECT_TRUE(std::isnan(model.end()));
  EXPECT_EQ(stiffit::Model::load("oregonator").end(), 40);
  EXPECT_GT(stiffit::models().size(), 10u);
  EXPECT_TRUE(says(stiffit::model_text("oregonator"), "model"));
  EXPECT_GT(stiffit::methods().size(), 20u);
}

TEST(Facade, SettingValuesIsTheSameAsWritingThem) {
  const auto model = stiffit::Model::from_text(escep);
  std::string other = escep;
  other.replace(other.find("k2 = 0.5"), 8, "k2 = 0.2");
  const auto written = stiffit::Model::from_text(other).simulate({.end = 500});
  const auto set = model.simulate({.end = 500, .set = {{"k2", 0.2}}});
  ASSERT_EQ(written.values.size(), set.values.size());
  for (std::size_t i = 0; i < set.values.size(); ++i)
    EXPECT_NEAR(set.values[i], written.values[i], 1e-6);
  const auto before = model.simulate({.end = 500});
  EXPECT_GT(before.column("P").back(), 1.5 * set.column("P").back());
}

TEST(Facade, SaysWhatIsWrongWithTheInput) {
  const std::string text =
      complaint([] { stiffit::Model::from_text("A -> B; k\nA = 1\n k = 3 4"); });
  EXPECT_TRUE(says(text, "^")) << text;
  EXPECT_TRUE(says(text, "model:3")) << text;
  EXPECT_TRUE(says(complaint([] { stiffit::Model::load("oregonatr"); }), "oregonator"));
  const auto model = stiffit::Model::load("oregonator");
  const std::string unknown = complaint([&] { model.simulate({.set = {{"epss", 1}}}); });
  EXPECT_TRUE(says(unknown, "did you mean 'eps'")) << unknown;
  EXPECT_FALSE(says(unknown, "--")) << unknown;
  EXPECT_NE(complaint([&] { model.simulate({.end = -1}); }), "nothing is wrong");
  EXPECT_NE(complaint([&] { model.simulate({.points = 0}); }), "nothing is wrong");
  EXPECT_NE(complaint([&] { model.simulate({.times = {2, 1}}); }), "nothing is wrong");
  EXPECT_NE(complaint([&] { model.simulate({.set = {{"eps", NAN}}}); }), "nothing is wrong");
  EXPECT_TRUE(says(complaint([&] { model.simulate({.method = "rodas5"}); }), "rodas5p"));
  EXPECT_NE(complaint([&] { model.simulate({.method = "euler"}); }), "nothing is wrong");
  EXPECT_NE(complaint([&] { model.simulate({.rtol = 0}); }), "nothing is wrong");
  EXPECT_TRUE(says(complaint([&] { stiffit::Problem::from_data(model, {{"nowhere.csv"}}, {"f"}); }),
                   "nowhere.csv"));
}

TEST(Facade, FailedNumericsKeepTheRowsReached) {
  const auto course = stiffit::Model::from_text("X = 1\nX' = X^2\n").simulate({.end = 2});
  EXPECT_FALSE(course.done());
  EXPECT_NEAR(course.reached, 1, 1e-3);
  EXPECT_GT(course.times.size(), 40u);
  EXPECT_LT(course.times.size(), 52u);
  EXPECT_THROW(course.or_throw(), stiffit::NumericsError);
  try {
    course.or_throw();
  } catch (const stiffit::NumericsError& error) {
    EXPECT_EQ(error.time(), course.reached);
    EXPECT_TRUE(says(error.what(), "X")) << error.what();
  }
}

TEST(Facade, SensitivitiesAreDerivatives) {
  const auto model = stiffit::Model::from_text(escep);
  const stiffit::SimulateOptions plain{.end = 300, .points = 3, .rtol = 1e-9};
  auto derived = plain;
  derived.sensitivities = {"k1", "S"};
  const auto course = model.simulate(derived).or_throw();
  ASSERT_EQ(course.derivatives.size(), 4u * 4u * 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    auto up = plain, down = plain;
    up.set = {{derived.sensitivities[k], 1 + 1e-4}};
    down.set = {{derived.sensitivities[k], 1 - 1e-4}};
    const auto high = model.simulate(up), low = model.simulate(down);
    for (std::size_t i = 0; i < course.values.size(); ++i)
      EXPECT_NEAR(course.derivatives[2 * i + k], (high.values[i] - low.values[i]) / 2e-4, 1e-4);
  }
}

TEST(Facade, KnowsStiffnessAndRest) {
  const auto stiff = stiffit::Model::load("robertson").stiffness({.end = 100, .points = 20});
  EXPECT_EQ(stiff.verdict, "stiff");
  EXPECT_GE(stiff.times.size(), 21u);  // and the peak
  EXPECT_EQ(stiff.eigenvalues.size(), 3u);
  EXPECT_FALSE(stiff.recommended.empty());
  const auto rest = stiffit::Model::from_text("A -> B; 2\nB -> A; 1\nA = 3\nB = 0").steady();
  ASSERT_TRUE(rest.found) << rest.message;
  EXPECT_NEAR(rest.values[0], 1, 1e-8);
  EXPECT_EQ(rest.stability, "stable");
  EXPECT_FALSE(stiffit::Model::from_text("-> A; 1\nA = 0").steady().found);
}

TEST(Facade, CloudsDoNotDependOnThreads) {
  const auto model = stiffit::Model::from_text(escep);
  stiffit::ParameterEnsembleOptions options;
  options.sample = {{"k2", "lognormal(0.5,0.3)"}, {"S", "uniform(0.5,2)"}};
  options.samples = 300;
  options.end = 200;
  options.points = 4;
  options.run.threads = 1;
  double last = 0;
  options.run.progress = [&](double share) { last = share; };
  const auto one = model.ensemble(options);
  options.run.threads = 3;
  const auto three = model.ensemble(options);
  EXPECT_EQ(one.mean, three.mean);
  EXPECT_EQ(one.quantiles, three.quantiles);
  EXPECT_EQ(one.samples, 300);
  EXPECT_EQ(one.failures, 0);
  EXPECT_EQ(last, 1);
  const std::size_t cells = one.times.size() * one.columns.size();
  ASSERT_EQ(one.quantiles.size(), 5 * cells);
  EXPECT_LT(one.quantiles[cells - 1], one.quantiles[5 * cells - 1]);  // P at the end
}

TEST(Facade, GradientsAreDerivatives) {
  const auto problem = enzyme();
  const auto objective = problem.objective();
  ASSERT_EQ(objective.unknowns().size(), 3u);
  EXPECT_TRUE(objective.least_squares());
  const std::vector<double> theta = problem.to_theta({1.2, 0.4, 0.1});
  EXPECT_NEAR(problem.to_values(theta)[1], 0.4, 1e-12);
  const auto at = objective.evaluate(theta, stiffit::Need::fisher);
  ASSERT_TRUE(at.ok()) << at.failure;
  double half = 0;
  for (double r : at.residuals) half += r * r / 2;
  EXPECT_NEAR(half, at.value, 1e-9 * at.value);
  for (std::size_t i = 0; i < theta.size(); ++i) {
    auto up = theta, down = theta;
    up[i] += 1e-5;
    down[i] -= 1e-5;
    const auto values = objective.values({up, down});
    EXPECT_NEAR(at.gradient[i], (values[0].value - values[1].value) / 2e-5,
                1e-4 * std::fabs(at.gradient[i]) + 1e-6);
  }
  EXPECT_NE(complaint([&] { objective.evaluate({1.0}); }), "nothing is wrong");
  EXPECT_EQ(objective.data(theta).size(), static_cast<std::size_t>(objective.data_count()));
}

TEST(Facade, EvaluatesAtNamedPointsAndChecksItself) {
  const auto problem = enzyme();
  const auto at = problem.evaluate({.at = "k1=1.2,k2=0.4,off=0.1", .hessian = true, .check = true});
  ASSERT_TRUE(at.evaluation.ok()) << at.evaluation.failure;
  EXPECT_NEAR(problem.to_values(at.theta)[1], 0.4, 1e-12);
  EXPECT_EQ(at.evaluation.fisher.size(), 9u);
  ASSERT_TRUE(at.check.has_value());
  EXPECT_TRUE(at.check->passed());
  ASSERT_EQ(at.check->methods.size(), 2u);
  for (const auto& method : at.check->methods) {
    EXPECT_TRUE(method.passed()) << method.method;
    EXPECT_EQ(method.entries.size(), 3u);
  }
  EXPECT_NE(complaint([&] { problem.evaluate({.at = "k9=1"}); }), "nothing is wrong");
  EXPECT_NE(complaint([&] { problem.evaluate({.objective = {.gradient = "x"}}); }),
            "nothing is wrong");
}

TEST(Facade, FitsTheEnzymeAndItsProfiles) {
  const auto problem = enzyme();
  const auto fit = problem.fit();
  ASSERT_EQ(fit.status, "done");
  ASSERT_EQ(fit.parameters.size(), 3u);
  EXPECT_NEAR(fit.parameters[0].estimate, 1.3, 0.05);
  EXPECT_NEAR(fit.parameters[1].estimate, 0.42, 0.01);
  EXPECT_LT(fit.parameters[0].low, 1.3);
  EXPECT_GT(fit.parameters[0].high, 1.3);
  EXPECT_EQ(fit.data.size(), static_cast<std::size_t>(fit.n_data));
  EXPECT_TRUE(says(fit.json, "\"parameters\""));
  EXPECT_TRUE(says(fit.json, "input ") || says(fit.json, "low.csv"));
  stiffit::ProfileOptions options;
  options.parameters = {"k2"};
  const auto profiles = problem.profile(options);
  ASSERT_EQ(profiles.parameters.size(), 1u);
  const auto& k2 = profiles.parameters.front();
  EXPECT_LT(k2.low, k2.estimate);
  EXPECT_GT(k2.high, k2.estimate);
  EXPECT_TRUE(std::is_sorted(k2.values.begin(), k2.values.end()));
  EXPECT_NE(complaint([&] { problem.fit({.method = "trustregion"}); }), "nothing is wrong");
  EXPECT_NE(complaint([&] { problem.fit({.starts = -2}); }), "nothing is wrong");
}

TEST(Facade, DrawsParametersThatFit) {
  stiffit::PosteriorOptions options;
  options.samples = 800;
  options.warmup = 300;
  options.band_samples = 50;
  options.points = 5;
  const auto posterior = enzyme().ensemble(options);
  ASSERT_EQ(posterior.parameters.size(), 3u);
  EXPECT_EQ(posterior.draws.size(), posterior.chains * posterior.draws_each * 3);
  EXPECT_GE(posterior.chains * posterior.draws_each, 800u);
  EXPECT_NEAR(posterior.parameters[0].median, 1.3, 0.05);
  EXPECT_FALSE(posterior.bands.empty());
  EXPECT_LE(posterior.bands.back().quantiles[0], posterior.bands.back().quantiles[4]);
}

TEST(Facade, StopsWhenAskedAndKeepsWhatItHas) {
  std::atomic<bool> stop{true};
  stiffit::SimulateOptions options;
  options.run.interrupt = &stop;
  const auto course = stiffit::Model::load("oregonator").simulate(options);
  EXPECT_EQ(course.status, "interrupted");
  EXPECT_LT(course.times.size(), 101u);
  stop = false;
  stiffit::FitOptions fit;
  fit.starts = 50;
  fit.run.threads = 1;
  fit.run.interrupt = &stop;
  fit.run.progress = [&](double share) { stop = share > 0.05; };
  const auto reached = enzyme().fit(fit);
  EXPECT_EQ(reached.status, "interrupted");
  EXPECT_GE(reached.starts.size(), 2u);
  EXPECT_LT(reached.starts.size(), 50u);
  EXPECT_TRUE(reached.found());
}

// Data so good that errors of the default tolerance are larger than theirs: the answer is that of
// the data all the same, and says what was done for it.
TEST(Facade, AFitIsOfTheDataAndNotOfTheTolerance) {
  const double k1 = 1.25, k2 = 0.3;
  for (const double share : {1e-3, 1e-11}) {
    stiffit::DataTable table{"d.csv", "time,B\n"};
    double chi2 = 0;
    for (int i = 1; i <= 20; ++i) {
      const double t = 0.4 * i;
      const double b = k1 / (k1 - k2) * (std::exp(-k2 * t) - std::exp(-k1 * t));
      const double off = b * share * std::sin(70 * t);
      chi2 += off * off;
      char line[80];
      std::snprintf(line, sizeof line, "%.17g,%.17g\n", t, b + off);
      table.text += line;
    }
    const auto model = stiffit::Model::from_text(
        "A -> B; k1*A\nB -> C; k2*B\nA = 1; B = 0; C = 0; k1 = 1; k2 = 0.5\n");
    const auto problem = stiffit::Problem::from_data(model, {table}, {"k1,k2"}, {});
    const auto fit = problem.fit();
    ASSERT_TRUE(fit.found());
    SCOPED_TRACE(share);
    EXPECT_LT(fit.chi2, 1.02 * chi2);  // that of the truth is no minimum, but near it
    EXPECT_GT(fit.chi2, 0.7 * chi2);
    EXPECT_NEAR(fit.parameters[0].estimate, k1, 4 * fit.parameters[0].standard_error);
    EXPECT_NEAR(fit.parameters[1].estimate, k2, 4 * fit.parameters[1].standard_error);
    EXPECT_EQ(fit.messages.empty(), share > 1e-6);
    stiffit::FitOptions as_given;
    as_given.rtol = 2e-8;
    EXPECT_TRUE(problem.fit(as_given).messages.empty());
  }
}

// Raised by another thread at any moment after a start has ended, it takes nothing away.
TEST(Facade, AnInterruptAtAnyMomentKeepsTheStartsThatHaveEnded) {
  const auto problem = enzyme();
  // In every third round after the last start too, while its answer is looked at.
  for (int n = 0; n < 45; ++n) {
    std::atomic<bool> stop{false}, ended{false};
    stiffit::FitOptions fit;
    fit.starts = n % 3 == 2 ? 1 : 500;
    fit.run.threads = 2;
    fit.run.interrupt = &stop;
    fit.run.progress = [&](double share) { ended = ended || share > 0; };
    std::thread other([&] {
      while (!ended) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::microseconds(40 * n));
      stop = true;
    });
    const auto reached = problem.fit(fit);
    other.join();
    ASSERT_GE(reached.starts.size(), 1u) << "in round " << n;
  }
}

TEST(Facade, ThreadsMayShareAModel) {
  const auto model = stiffit::Model::from_text(escep);
  const auto objective = enzyme().objective();
  const double expected = model.simulate({.set = {{"k1", 2}}}).values.back();
  const double value = objective.evaluate({0, -1, 0}).value;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        wrong += model.simulate({.set = {{"k1", 2}}}).values.back() != expected;
        wrong += objective.evaluate({0, -1, 0}).value != value;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
