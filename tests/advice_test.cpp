// Advice on what to measure next: does measuring as advised narrow limits as promised, and is
// nothing promised where nothing helps? SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "base/normal_draw.h"
#include "estimation/uncertainty/design/optimal_design.h"
#include "sanitized.h"
#include "stiffit/stiffit.h"

namespace stiffit::internal {
namespace {

struct World {
  const char* name;
  std::string model;                  // with the true values
  std::vector<std::string> shown;     // what is measured: species
  std::string estimate;               // with start values
  std::vector<std::string> interest;  // empty: what is usual
  double end = 10, noise = 0.05;
  int points = 8;
  std::vector<std::string> measurable = {};
  double relative = 0;   // noise: a share of the value, known
  bool unknown = false;  // how large noise is
};

// The truth at times of the same length in units of their place, with noise.
class Laboratory {
 public:
  Laboratory(const World& world, std::uint64_t seed) : world_(world), random_(stream(seed, 7)) {
    for (int k = 1; k <= world.points; ++k)
      for (const std::string& species : world.shown)
        measure(species, world.end * k / world.points, world.noise);
  }

  void measure(const std::string& species, double time, double error) {
    api::SimulateOptions options;
    options.times = {0, std::max(time, 1e-9 * world_.end)};
    options.show = {species};
    const auto course = api::Model::from_text(world_.model).simulate(options).or_throw();
    const double value = course.column(species).back();
    if (world_.relative > 0) error = std::max(error, world_.relative * value);
    rows_.push_back({time, species, value + error * normal_draw(random_), error});
  }

  // Rows of one time are one measurement each.
  api::Problem problem() {
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const Reading& a, const Reading& b) { return a.time < b.time; });
    std::vector<std::string> species;
    for (const Reading& r : rows_)
      if (std::find(species.begin(), species.end(), r.species) == species.end())
        species.push_back(r.species);
    std::string text = "time";
    for (const std::string& one : species)
      text += "," + one + (world_.unknown ? "" : ",sd(" + one + ")");
    text += "\n";
    for (const Reading& r : rows_) {
      char cell[64];
      snprintf(cell, sizeof cell, "%.12g", r.time);
      text += cell;
      for (const std::string& one : species) {
        snprintf(cell, sizeof cell, ",%.12g,%.12g", r.value, r.error);
        if (world_.unknown) snprintf(cell, sizeof cell, ",%.12g", r.value);
        text += one == r.species ? cell : world_.unknown ? "," : ",,";
      }
      text += "\n";
    }
    return api::Problem::from_data(api::Model::from_text(world_.model), {{"d.csv", text}},
                                   {world_.estimate});
  }

 private:
  struct Reading {
    double time;
    std::string species;
    double value, error;
  };
  const World& world_;
  SplitMix random_;
  std::vector<Reading> rows_;
};

api::FitOptions advised(const World& world) {
  api::FitOptions options;
  options.profiles = "no";
  options.rivals = 0;
  options.interest = world.interest;
  options.measurable = world.measurable;
  options.run.threads = 1;
  return options;
}

double log_width(const api::Fit& fit, const std::string& id) {
  for (const api::FittedParameter& p : fit.parameters)
    if (p.id == id) return std::log(p.high / p.low);
  return NAN;
}

// Every set of so many candidates, by the determinant itself.
double best_of_all(const DesignTask& task, std::size_t count) {
  const auto candidates = static_cast<std::size_t>(task.slopes.cols());
  auto volume = [&](const Eigen::MatrixXd& c) {
    return (task.interest * c * task.interest.transpose()).determinant();
  };
  double best = 0;
  for (std::size_t set = 0; set < (std::size_t{1} << candidates); ++set) {
    if (static_cast<std::size_t>(std::popcount(set)) != count) continue;
    Eigen::MatrixXd information = task.covariance.inverse();
    for (std::size_t k = 0; k < candidates; ++k)
      if (set >> k & 1) {
        const Eigen::VectorXd g = task.slopes.col(static_cast<Eigen::Index>(k));
        information += g * g.transpose();
      }
    best = std::max(best, std::log(volume(task.covariance) / volume(information.inverse())) / 2);
  }
  return best;
}

TEST(OptimalDesign, IsAlmostTheBestOfAll) {
  SplitMix random = stream(11, 1);
  auto drawn = [&](Eigen::Index rows, Eigen::Index columns) {
    Eigen::MatrixXd m(rows, columns);
    for (double& v : m.reshaped()) v = normal_draw(random);
    return m;
  };
  for (int trial = 0; trial < 30; ++trial) {
    const Eigen::Index n = 2 + trial % 4;
    DesignTask task;
    const Eigen::MatrixXd root = drawn(n, n);
    task.covariance = root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
    task.slopes = drawn(n, 9);
    task.interest = drawn(1 + trial % 2, n);
    task.repeatable.assign(9, 0);
    for (std::size_t count : {1, 2, 3}) {
      const std::vector<std::size_t> chosen = optimal_design(task, count);
      ASSERT_EQ(chosen.size(), count);
      const double best = best_of_all(task, count), found = design_gain(task, chosen);
      EXPECT_LE(found, best + 1e-9);
      EXPECT_GE(found, (count == 1 ? 1 - 1e-9 : 0.97) * best) << trial << " " << count;
    }
    // The same interest said twice in other words changes nothing.
    DesignTask twice = task;
    twice.interest.conservativeResize(task.interest.rows() + 1, Eigen::NoChange);
    twice.interest.bottomRows(1) = -3 * task.interest.colwise().sum();
    EXPECT_EQ(optimal_design(twice, 3), optimal_design(task, 3)) << trial;
  }
}

void PrintTo(const World& world, std::ostream* out) { *out << world.name; }

class MeasuringAsAdvised : public testing::TestWithParam<World> {};

TEST_P(MeasuringAsAdvised, NarrowsLimitsByTheFactorPromised) {
  const World& world = GetParam();
  const int sets = sanitized ? 2 : 20;
  std::map<std::size_t, std::pair<double, int>> sums;  // ln of kept over promised, by size
  for (int set = 0; set < sets; ++set) {
    Laboratory before(world, 100 + static_cast<std::uint64_t>(set));
    const api::Fit fit = before.problem().fit(advised(world));
    ASSERT_TRUE(fit.found());
    for (const api::MeasurementDesign& design : fit.next_measurements) {
      Laboratory after = before;
      for (const api::FurtherMeasurement& m : design.measurements)
        after.measure(m.quantity, m.time, m.error);
      api::FitOptions options = advised(world);
      options.advice = false;
      options.interest = options.measurable = {};
      const api::Fit again = after.problem().fit(options);
      ASSERT_TRUE(again.found());
      for (const api::DesignGain& gain : design.gains) {
        if (gain.open_so_far) continue;
        const double kept = log_width(fit, gain.name) / log_width(again, gain.name);
        if (!std::isfinite(kept)) continue;
        auto& [sum, count] = sums[design.measurements.size()];
        sum += std::log(kept / gain.factor);
        ++count;
        EXPECT_GT(gain.factor, 0.99) << gain.name;
      }
    }
  }
  if (sanitized) return;
  EXPECT_TRUE(sums.contains(5));
  for (const auto& [size, kept] : sums) {
    const double average = std::exp(kept.first / kept.second);
    RecordProperty("kept_of_promise_" + std::to_string(size), std::to_string(average));
    EXPECT_GT(average, 1 / 1.3) << size << " measurements, " << kept.second << " limits";
    EXPECT_LT(average, 1.3) << size << " measurements, " << kept.second << " limits";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Worlds, MeasuringAsAdvised,
    testing::Values(
        World{"decay", "A -> B; k*A\nA = 2; B = 0; k = 0.4\n", {"B"}, "k=0.3", {}, 4, 0.1, 6},
        World{"unknown_noise",
              "A -> B; k*A\nA = 2; B = 0; k = 0.4\n",
              {"A"},
              "k=0.3,A=1",
              {"k"},
              5,
              0.1,
              6,
              {},
              0,
              true},
        World{"chain",
              "A -> B; k1*A\nB -> C; k2*B\nA = 1; B = 0; C = 0; k1 = 0.8; k2 = 0.3\n",
              {"C"},
              "k1=1,k2=0.2",
              {"k1"},
              12,
              0.03,
              10},
        World{"saturation",
              "S -> P; V*S/(K + S)\nS = 2; P = 0; V = 0.5; K = 0.6\n",
              {"P"},
              "V=0.4,K=0.5",
              {},
              8,
              0.02,
              8},
        World{"reversible",
              "A -> B; kf*A\nB -> A; kr*B\nA = 1; B = 0; kf = 0.7; kr = 0.2\n",
              {"B"},
              "kf=0.5,kr=0.3",
              {"kr"},
              6,
              0.04,
              6,
              {},
              0.05}),
    [](const auto& one) { return std::string(one.param.name); });

const World two_ways{
    "two_ways", "A -> B; k1*A\nA -> C; k2*A\nA = 1; B = 0; C = 0; k1 = 0.4; k2 = 0.2\n",
    {"A"},      "k1=0.3,k2=0.3",
    {},         5,
    0.01,       10};

std::string joined_words(const api::Fit& fit) {
  std::string text;
  for (const std::string& line : fit.words) text += line + "\n";
  return text;
}

// Only the sum of two rates is in the data: no further datum of the kind tells them apart.
TEST(Advice, IsNotGivenWhereNothingHelps) {
  Laboratory laboratory(two_ways, 1);
  const api::Fit fit = laboratory.problem().fit(advised(two_ways));
  EXPECT_TRUE(fit.next_measurements.empty()) << joined_words(fit);
  EXPECT_NE(joined_words(fit).find("more measurements of A would not determine k1 and k2"),
            std::string::npos)
      << joined_words(fit);
  // Very many data already: five more change nothing that matters.
  World many = two_ways;
  many.estimate = "k1=0.3";
  many.points = 200;
  const api::Fit known = Laboratory(many, 1).problem().fit(advised(many));
  EXPECT_TRUE(known.next_measurements.empty()) << joined_words(known);
}

// With a product that can be measured there is advice, and it keeps its promise.
TEST(Advice, OffersWhatIsSaidToBeMeasurable) {
  World world = two_ways;
  world.measurable = {"B"};
  Laboratory laboratory(world, 1);
  const api::Fit fit = laboratory.problem().fit(advised(world));
  ASSERT_FALSE(fit.next_measurements.empty()) << joined_words(fit);
  const api::MeasurementDesign& last = fit.next_measurements.back();
  EXPECT_TRUE(std::any_of(last.measurements.begin(), last.measurements.end(),
                          [](const auto& m) { return m.quantity == "B" && !m.measured; }));
  for (const api::FurtherMeasurement& m : last.measurements) {
    // About one part in a hundred of the largest value, as for A.
    EXPECT_GT(m.error, 0.004) << m.quantity;
    EXPECT_LT(m.error, 0.02) << m.quantity;
  }
  for (const api::FurtherMeasurement& m : last.measurements)
    laboratory.measure(m.quantity, m.time, m.error);
  api::FitOptions options = advised(two_ways);
  const api::Fit again = laboratory.problem().fit(options);
  for (const api::DesignGain& gain : last.gains) {
    EXPECT_TRUE(gain.open_so_far) << gain.name;
    const double promised = std::log(gain.high / gain.low);
    EXPECT_NEAR(std::log(log_width(again, gain.name) / promised), 0, std::log(1.5)) << gain.name;
  }
}

// A complex of a thousandth of what is measured cannot be measured with errors like these.
TEST(Advice, DoesNotOfferWhatDrownsInTheErrors) {
  World world{"enzyme",
              "E + S -> ES; k1*E*S\nES -> E + S; k_1*ES\nES -> E + P; k2*ES\n"
              "E = 0.001; S = 1; ES = 0; P = 0; k1 = 500; k_1 = 100; k2 = 300\n",
              {"P"},
              "k2=200,k1=400",
              {"k2"},
              10,
              0.01,
              12,
              {"ES"}};
  const api::Fit fit = Laboratory(world, 3).problem().fit(advised(world));
  for (const api::MeasurementDesign& design : fit.next_measurements)
    for (const api::FurtherMeasurement& m : design.measurements) EXPECT_EQ(m.quantity, "P");
  EXPECT_TRUE(std::any_of(fit.messages.begin(), fit.messages.end(), [](const std::string& m) {
    return m.starts_with("no measurement of ES: it stays below 0.000");
  })) << ::testing::PrintToString(fit.messages);
}

api::Problem with_offset(const std::string& estimate) {
  std::string table = "time,signal\n";
  SplitMix random = stream(5, 5);
  for (int k = 0; k <= 10; ++k) {
    char line[60];
    snprintf(line, sizeof line, "%d,%.9g\n", k,
             0.3 + 2 * std::exp(-0.3 * k) + 0.05 * normal_draw(random));
    table += line;
  }
  return api::Problem::from_data(api::Model::from_text("A -> B; k*A\nA = 2; B = 0; k = 0.3\n"),
                                 {{"d.csv", table}}, {estimate},
                                 {"signal = offset + A + drift*time"});
}

// By default for the network's parameters, and never of a species that nobody can measure.
TEST(Advice, IsForTheNetworkAndOfWhatIsMeasured) {
  const api::Problem problem = with_offset("k=0.4,offset=0.1,drift=0.01:-1:1");
  api::FitOptions options;
  const api::Fit fit = problem.fit(options);
  ASSERT_FALSE(fit.next_measurements.empty()) << joined_words(fit);
  for (const api::MeasurementDesign& design : fit.next_measurements) {
    ASSERT_EQ(design.gains.size(), 1u);
    EXPECT_EQ(design.gains.front().name, "k");
    for (const api::FurtherMeasurement& m : design.measurements) {
      EXPECT_EQ(m.quantity, "signal");
      EXPECT_TRUE(m.measured);
    }
  }
  options.interest = {"offset", "half"};
  options.derive = {"half = ln(2)/k"};
  options.measurable = {"A"};
  const api::Fit asked = problem.fit(options);
  ASSERT_FALSE(asked.next_measurements.empty()) << joined_words(asked);
  ASSERT_EQ(asked.next_measurements.front().gains.size(), 2u);
  EXPECT_EQ(asked.next_measurements.front().gains.back().name, "half");
  EXPECT_EQ(joined_words(asked).find("not measured so far"), std::string::npos)
      << joined_words(asked);
  for (const api::MeasurementDesign& design : asked.next_measurements)
    for (const api::FurtherMeasurement& m : design.measurements)
      if (m.quantity == "A") {
        EXPECT_EQ(m.within, std::vector<std::string>{"signal"});
      }
}

TEST(Advice, KnowsNoNamesThatThereAreNot) {
  const api::Problem problem = with_offset("k=0.4,offset=0.1,drift=0.01:-1:1");
  auto refusal = [&](auto change) {
    api::FitOptions options;
    change(options);
    try {
      problem.fit(options);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal([](api::FitOptions& o) { o.interest = {"ofset"}; }).find("ofset"),
            std::string::npos);
  EXPECT_NE(refusal([](api::FitOptions& o) { o.measurable = {"Z"}; }).find("'Z'"),
            std::string::npos);
  EXPECT_NE(refusal([](api::FitOptions& o) {
              o.interest = {"k"};
              o.advice = false;
            }).find("advice"),
            std::string::npos);
}

}  // namespace
}  // namespace stiffit::internal
