// Limits, verdicts and the search for other minima, through the program, on problems whose answers
// are known in closed form. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "places.h"
#include "program_run.h"

namespace stiffit::internal {
namespace {

// Column -> first cell of the row -> cell; rows of the same name: the last one.
using Columns = std::map<std::string, std::map<std::string, std::string>>;

std::vector<std::vector<std::string>> cells_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    rows.emplace_back();
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, '\t');) rows.back().push_back(cell);
  }
  return rows;
}

Columns columns_of(const std::string& path) {
  Columns columns;
  const auto rows = cells_of(path);
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 1; c < rows[r].size(); ++c) columns[rows[0][c]][rows[r][0]] = rows[r][c];
  return columns;
}

// A line, whose parameters' limits, predictions and regions are those of linear regression.
struct Line {
  std::vector<double> t, y;
  double a = 0, b = 0, s2 = 0, mean = 0, sxx = 0;

  Line(double start, double slope, double noise, int n) {
    unsigned state = 12345;  // noise that is the same everywhere
    for (int i = 0; i < n; ++i) {
      double sum = -6;
      for (int k = 0; k < 12; ++k) {
        state = state * 1664525u + 1013904223u;
        sum += state / 4294967296.0;
      }
      t.push_back(1.5 * i);
      y.push_back(start - slope * t.back() + noise * sum);
    }
    double st = 0, sy = 0, stt = 0, sty = 0;
    for (int i = 0; i < n; ++i) {
      st += t[i], sy += y[i], stt += t[i] * t[i], sty += t[i] * y[i];
    }
    mean = st / n;
    sxx = stt - st * mean;
    b = -(sty - st * sy / n) / sxx;  // falls
    a = sy / n + b * mean;
    for (int i = 0; i < n; ++i) s2 += std::pow(y[i] - a + b * t[i], 2) / (n - 2);
  }
  double student(double level) const {
    return boost::math::quantile(boost::math::students_t(static_cast<double>(t.size()) - 2),
                                 0.5 + level / 2);
  }
  std::string table() const {
    std::ostringstream text;
    text.precision(12);
    text << "time,A\n";
    for (std::size_t i = 0; i < t.size(); ++i) text << t[i] << "," << y[i] << "\n";
    return text.str();
  }
};

constexpr const char* line_model = "model m\n  A' = -k\n  A = c; c = 20; k = 0.3\nend\n";

TEST(Uncertainty, LimitsPredictionsAndRegionsOfALineAreThoseOfRegression) {
  const Line line(42, 0.8, 1.3, 14);
  const auto n = static_cast<double>(line.t.size());
  for (const double level : {0.95, 0.8}) {
    Scratch s;
    s.write("m.rxn", line_model);
    s.write("d.csv", line.table());
    const ProgramRun run = s.stiffit(
        "profile m.rxn --data d.csv --estimate c=30,k=0.5 --predict 'A at 35' --predict "
        "'A at 4.5' --pairs c:k -o out --level " +
        std::to_string(level));
    ASSERT_EQ(run.exit_code, 0) << run.messages;
    Columns table = columns_of(s.folder() + "/out/intervals.tsv");
    const double q = line.student(level), s_k = std::sqrt(line.s2 / line.sxx);
    const double s_c = std::sqrt(line.s2 * (1 / n + line.mean * line.mean / line.sxx));
    EXPECT_NEAR(std::stod(table["low"]["k"]), line.b - q * s_k, 0.01 * q * s_k);
    EXPECT_NEAR(std::stod(table["high"]["k"]), line.b + q * s_k, 0.01 * q * s_k);
    EXPECT_NEAR(std::stod(table["low"]["c"]), line.a - q * s_c, 0.01 * q * s_c);
    EXPECT_NEAR(std::stod(table["high"]["c"]), line.a + q * s_c, 0.01 * q * s_c);
    Columns predicted = columns_of(s.folder() + "/out/predictions.tsv");
    for (const double at : {35.0, 4.5}) {
      const std::string name = at == 35 ? "A at 35" : "A at 4.5";
      const double half = q * std::sqrt(line.s2 * (1 / n + std::pow(at - line.mean, 2) / line.sxx));
      EXPECT_NEAR(std::stod(predicted["low"][name]), line.a - line.b * at - half, 0.01 * half);
      EXPECT_NEAR(std::stod(predicted["high"][name]), line.a - line.b * at + half, 0.01 * half);
    }
    const double wanted =
        2 * boost::math::quantile(boost::math::fisher_f(2, n - 2), level) * line.s2;
    const auto contour = cells_of(s.folder() + "/out/pairs.tsv");
    EXPECT_GT(contour.size(), 20u);
    for (std::size_t r = 1; r < contour.size(); ++r) {
      const double c = std::stod(contour[r][2]), k = std::stod(contour[r][3]);
      double more = 0;
      for (double t : line.t) more += std::pow((c - line.a) - (k - line.b) * t, 2);
      EXPECT_NEAR(more, wanted, 0.03 * wanted);
    }
    // A fit says the same without being asked for profiles.
    ASSERT_EQ(s.stiffit("fit m.rxn --data d.csv --estimate c=30,k=0.5 -o fitted --advice no "
                        "--level " +
                        std::to_string(level))
                  .exit_code,
              0);
    Columns fitted = columns_of(s.folder() + "/fitted/parameters.tsv");
    EXPECT_NEAR(std::stod(fitted["limit_low"]["k"]), line.b - q * s_k, 0.06 * q * s_k);
    EXPECT_NEAR(std::stod(fitted["limit_high"]["k"]), line.b + q * s_k, 0.06 * q * s_k);
  }
}

// A -> B -> C with B in unknown units: the two rates can change places, exactly. Whoever starts in
// one of the two basins has to hear of the other.
struct Exchange {
  double k1, k2, scale, noise;
};
class RatesChangePlaces : public testing::TestWithParam<Exchange> {};

TEST_P(RatesChangePlaces, BothMinimaAreFoundAndSaid) {
  const Exchange& e = GetParam();
  Scratch s;
  s.write("m.rxn",
          "model m\n  A -> B; k1*A\n  B -> C; k2*B\n  A = 1; B = 0; C = 0\n  k1 = 1; k2 = 1; s = "
          "1\nend\n");
  std::ostringstream table;
  table << "time,Y\n";
  unsigned state = 99;
  for (int i = 1; i <= 20; ++i) {
    const double t = i * 2.5 / (e.k1 + e.k2);
    double sum = -6;
    for (int k = 0; k < 12; ++k) {
      state = state * 1664525u + 1013904223u;
      sum += state / 4294967296.0;
    }
    const double y = e.scale * e.k1 / (e.k2 - e.k1) * (std::exp(-e.k1 * t) - std::exp(-e.k2 * t));
    table << t << "," << y + e.noise * e.scale * sum << "\n";
  }
  s.write("d.csv", table.str());
  const std::string problem =
      " m.rxn --data d.csv --observe 'Y = s*B' --estimate k1=" + std::to_string(1.3 * e.k1) +
      ",k2=" + std::to_string(0.8 * e.k2) + ",s=" + std::to_string(e.scale);
  const ProgramRun run = s.stiffit("fit" + problem + " --advice no -o out");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  const ProgramRun shown = s.stiffit("fit" + problem + " --advice no");
  EXPECT_NE(shown.out.find("another minimum"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("different minima"), std::string::npos) << shown.out;
  Columns fitted = columns_of(s.folder() + "/out/parameters.tsv");
  const double low = std::min(e.k1, e.k2), high = std::max(e.k1, e.k2);
  for (const char* k : {"k1", "k2"}) {
    EXPECT_NE(fitted["determination"][k], "determined") << shown.out;
    EXPECT_LT(std::stod(fitted["limit_low"][k]), low) << shown.out;
    EXPECT_GT(std::stod(fitted["limit_high"][k]), high) << shown.out;
  }
  ASSERT_EQ(s.stiffit("profile" + problem + " -o prof").exit_code, 0);
  Columns profiled = columns_of(s.folder() + "/prof/intervals.tsv");
  for (const char* k : {"k1", "k2"}) {
    const std::string intervals = profiled["intervals"][k];
    ASSERT_EQ(std::count(intervals.begin(), intervals.end(), ';'), 1) << intervals;
    std::array<double, 4> ends{};
    ASSERT_EQ(
        sscanf(intervals.c_str(), "%lf to %lf; %lf to %lf", &ends[0], &ends[1], &ends[2], &ends[3]),
        4)
        << intervals;
    EXPECT_LT(ends[0], low);
    EXPECT_GT(ends[1], low);
    EXPECT_LT(ends[1], ends[2]);
    EXPECT_LT(ends[2], high);
    EXPECT_GT(ends[3], high);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, RatesChangePlaces,
                         testing::Values(Exchange{1.2, 0.3, 5, 0.01},
                                         Exchange{0.02, 0.09, 700, 0.003},
                                         Exchange{30, 6, 0.4, 0.005}));

TEST(Uncertainty, WhatIsSaidDoesNotDependOnTheNumberOfStarts) {
  STIFFIT_NEEDS_SHARED("petab-benchmarks/Boehm_JProteomeRes2014");
  const std::string problem =
      shared_path("petab-benchmarks/Boehm_JProteomeRes2014/Boehm_JProteomeRes2014.yaml");
  std::map<std::string, std::string> first;
  for (const char* starts : {"--starts 1", "--starts 20", ""}) {
    Scratch s;
    ASSERT_EQ(s.stiffit("fit " + problem + " --advice no -o out " + starts).exit_code, 0);
    Columns fitted = columns_of(s.folder() + "/out/parameters.tsv");
    if (first.empty()) first = fitted["verdict"];
    ASSERT_EQ(first.size(), 9u);
    EXPECT_EQ(fitted["verdict"], first) << starts;
  }
  EXPECT_EQ(first["Epo_degradation_BaF3"].find("roughly determined: 0.018"), 0u)
      << first["Epo_degradation_BaF3"];
}

// Time for limits that is not enough is said, with the names.
TEST(Uncertainty, WhenTheTimeForLimitsRunsOutThatIsSaid) {
  const Line line(3, 0.11, 0.4, 9);
  Scratch s;
  s.write("m.rxn", "model m\n  A -> B; k*A\n  A = c; B = 0; c = 3; k = 0.1\nend\n");
  s.write("d.csv", line.table());
  const std::string fit = "fit m.rxn --data d.csv --estimate c=3,k=0.1 --advice no";
  EXPECT_EQ(s.stiffit(fit).out.find("there was no time"), std::string::npos);
  const std::string hasty = s.stiffit(fit + " --limits-time 1e-9").out;
  EXPECT_EQ(hasty.find("(profile)"), std::string::npos) << hasty;
  EXPECT_EQ(s.stiffit(fit + " --limits-time -1").exit_code, 2);
  EXPECT_EQ(s.stiffit(fit + " --level 95").exit_code, 2);
  EXPECT_EQ(s.stiffit(fit + " --rivals 0").out.find("more starts"), std::string::npos);
  EXPECT_NE(s.stiffit(fit + " --rivals 3").out.find("from 3 more starts"), std::string::npos);
  EXPECT_NE(s.stiffit(fit).out.find("evidence, not proof"), std::string::npos);
}

TEST(Uncertainty, PredictionsAreNamedOrRefusedWithTheNearestName) {
  Scratch s;
  s.write("m.rxn", line_model);
  s.write("d.csv", Line(42, 0.8, 1.3, 14).table());
  const std::string profile = "profile m.rxn --data d.csv --estimate c=30,k=0.5 ";
  for (const auto& [option, words] :
       {std::pair("--predict 'a at 3'", "there is no species or observable 'a'"),
        {"--predict 'A at noon'", "is not of the form"},
        {"--predict 'A'", "is not of the form"},
        {"--predict 'A at 3 in Paris'", "there is no experiment 'Paris'"},
        {"--pairs c", "takes two parameters"},
        {"--pairs c:c", "one parameter twice"},
        {"--pairs c:q", "is not an estimated parameter"}}) {
    const ProgramRun run = s.stiffit(profile + option);
    EXPECT_EQ(run.exit_code, 2) << option << run.messages;
    EXPECT_NE(run.messages.find(words), std::string::npos) << run.messages;
  }
}

}  // namespace
}  // namespace stiffit::internal
