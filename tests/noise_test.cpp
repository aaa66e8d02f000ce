// How noisy data are: formulas, relative errors, limits and heavy tails, beside independent answers
// (scipy: maximum likelihood by direct search, limits by profiles; regression in closed form).
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "base/normal_draw.h"
#include "sanitized.h"
#include "stiffit/stiffit.h"

namespace stiffit::internal {
namespace {

const std::vector<double> times{0, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16};
const std::vector<double> share_noise{3.01,   3.068,  2.73,   2.078,  1.912,  1.514,
                                      1.369,  1.044,  0.9145, 0.5624, 0.6467, 0.4488,
                                      0.3924, 0.2381, 0.1526, 0.109};
const std::vector<double> both_noises{3.239,  2.647,  2.394,  2.344,  1.79,   1.328,
                                      1.356,  0.96,   0.6242, 0.6042, 0.5148, 0.3503,
                                      0.2489, 0.2439, 0.2148, 0.09061};
const std::vector<double> even_noise{2.911, 2.747,  2.518,    2.153,  2.037, 1.723,
                                     1.27,  0.9522, 0.8927,   0.7195, 0.691, 0.2991,
                                     0.288, 0.1408, -0.04948, 0.1194};
const std::vector<double> outliers{3.016,  2.679,  2.473,  2.214,   3.39,   1.61,   1.324,  1.01,
                                   0.8694, 0.7079, 0.5061, -0.4364, 0.3599, 0.2648, 0.1454, 0.1037};
const std::vector<double> heavy_tails{3.032,  2.7,    2.435,  2.178,  1.955,  1.778,
                                      1.23,   0.9315, 0.8926, 0.8069, 0.6309, 0.4761,
                                      0.3738, 0.2119, 0.1338, 0.1572};
const char* const decay = "A -> B; k*A\nA = 1; B = 0; k = 0.5\n";

std::string table(const std::vector<double>& values, double below = -1e9, double above = 1e9) {
  std::string text = "time,A\n";
  for (std::size_t i = 0; i < values.size(); ++i) {
    char line[60];
    const char* sign = values[i] < below ? "<" : values[i] > above ? ">" : "";
    snprintf(line, sizeof line, "%g,%s%.6g\n", times[i], sign,
             std::fmin(std::fmax(values[i], below), above));
    text += line;
  }
  return text;
}

api::Problem problem(const std::string& data, const api::NoiseOptions& noise,
                     const std::string& model = decay, const std::string& estimate = "k,A=2") {
  return api::Problem::from_data(api::Model::from_text(model), {{"d.csv", data}}, {estimate}, {},
                                 {}, noise);
}

api::Fit fitted(const api::Problem& p) {
  api::FitOptions options;
  options.advice = false;
  return p.fit(options);
}

const api::FittedParameter& named(const api::Fit& fit, const std::string& id) {
  for (const api::FittedParameter& p : fit.parameters)
    if (p.id == id) return p;
  throw std::runtime_error("no parameter " + id + "\n" + fit.text);
}

struct Expected {
  const char* what;
  std::string data;
  api::NoiseOptions noise;
  double objective;
  std::vector<std::pair<std::string, double>> values;
  double low = NAN, high = NAN;  // of k, by a profile
};

std::vector<Expected> expected() {
  const std::string limits = table(even_noise, 0.4, 2.5);
  return {
      {"a share of the signal",
       table(share_noise),
       {{"A = s*A"}},
       -20.37040818,
       {{"k", 0.21168985}, {"A(0)", 3.0844426}, {"s", 0.081379729}},
       0.20208109,
       0.22107912},
      {"a share and a constant",
       table(both_noises),
       {{"A = s*A + s0"}},
       -14.99776102,
       {{"k", 0.2336401}, {"A(0)", 3.0633464}, {"s", 0.043605775}, {"s0", 0.051514787}},
       0.21092888,
       0.25786945},
      {"both as independent noises",
       table(both_noises),
       {{"A = sqrt(s0^2 + (s*A)^2)"}},
       -14.92386838,
       {{"k", 0.2332497}, {"A(0)", 3.0520303}, {"s", 0.068776934}, {"s0", 0.057031913}},
       0.21129626,
       0.25690918},
      {"the logarithm of a share",
       table(share_noise),
       {{"A = exp(ls)*A"}},
       -20.37040818,
       {{"k", 0.21168985}, {"ls", std::log(0.081379729)}}},
      {"limits on both sides",
       limits,
       {},
       -6.438885782,
       {{"k", 0.21719799}, {"A(0)", 3.1267463}, {"sd", 0.083404216}},
       0.19534797,
       0.24925357},
      {"limits of noise with tails",
       limits,
       {{}, "", "student-t:5"},
       -5.936890876,
       {{"k", 0.21751603}, {"A(0)", 3.1304535}, {"scale", 0.076677219}}},
      {"outliers, four degrees of freedom",
       table(outliers),
       {{}, "", "student-t"},
       -6.243717006,
       {{"k", 0.21053955}, {"A(0)", 3.0193751}, {"scale", 0.038396818}},
       0.20215885,
       0.22031497},
      {"outliers, given degrees of freedom",
       table(outliers),
       {{"A = s"}, "", "student-t:2.5"},
       -12.41554058,
       {{"k", 0.20959659}, {"A(0)", 3.0189646}, {"s", 0.027628166}}},
      {"degrees of freedom from the data",
       table(heavy_tails),
       {{}, "", "student-t:?"},
       -20.74640297,
       {{"k", 0.2068926}, {"A(0)", 2.9989386}, {"scale", 0.047875753}, {"freedom", 3.2751749}}},
  };
}

TEST(Noise, EstimatesAreThoseOfMaximumLikelihood) {
  for (const Expected& e : expected()) {
    SCOPED_TRACE(e.what);
    const api::Fit fit = fitted(problem(e.data, e.noise));
    EXPECT_EQ(fit.outcome, "converged") << fit.text;
    EXPECT_NEAR(fit.objective, e.objective, 1e-6);
    for (auto& [id, value] : e.values)
      EXPECT_NEAR(named(fit, id).estimate, value, 2e-4 * std::abs(value)) << id;
  }
}

TEST(Noise, ProfilesAllowForTheNoiseThatTheDataHaveToTell) {
  for (const Expected& e : expected()) {
    if (std::isnan(e.low)) continue;
    SCOPED_TRACE(e.what);
    api::ProfileOptions options;
    options.parameters = {"k"};
    const api::Profiles profiles = problem(e.data, e.noise).profile(options);
    ASSERT_EQ(profiles.parameters.size(), 1u);
    EXPECT_NEAR(profiles.parameters[0].low, e.low, 2e-3 * e.low);
    EXPECT_NEAR(profiles.parameters[0].high, e.high, 2e-3 * e.high);
  }
}

TEST(Noise, GradientsOfAllKindsAreDerivatives) {
  std::vector<Expected> all = expected();
  const std::string limits = table(even_noise, 0.4, 2.5);
  all.push_back({"limits of a share", limits, {{"A = s*A + s0"}}, 0, {}});
  all.push_back({"limits, Laplace", limits, {{}, "", "laplace"}, 0, {}});
  all.push_back({"limits, freedom from the data", limits, {{}, "", "student-t:?"}, 0, {}});
  for (const Expected& e : all) {
    SCOPED_TRACE(e.what);
    api::EvaluateOptions options;
    options.check = true;
    options.gradient = true;
    const api::PointEvaluation at = problem(e.data, e.noise).evaluate(options);
    ASSERT_TRUE(at.evaluation.ok()) << at.evaluation.failure;
    ASSERT_TRUE(at.check);
    EXPECT_TRUE(at.check->passed());
  }
}

// A constant noise that is estimated is what is found from the residuals when nothing is said.
TEST(Noise, AConstantGivesTheLimitsOfLeastSquares) {
  api::Fit told, untold;
  // Limits by curvature are the same; those of profiles are closed in on to 1 % of the distance.
  for (const char* profiles : {"yes", "no"}) {
    const auto limits = [&](const api::Problem& p) {
      return p.fit({.advice = false, .profiles = profiles});
    };
    told = limits(problem(table(even_noise), {{"A = s"}}));
    untold = limits(problem(table(even_noise), {}));
    for (const char* id : {"k", "A(0)"}) {
      const api::FittedParameter &a = named(told, id), &b = named(untold, id);
      const double close = *profiles == 'y' ? 0.01 * (b.high - b.low) : 1e-5;
      EXPECT_NEAR(a.estimate, b.estimate, 1e-5);
      EXPECT_NEAR(a.low, b.low, close) << profiles;
      EXPECT_NEAR(a.high, b.high, close) << profiles;
      EXPECT_FALSE(a.noise);
    }
  }
  EXPECT_TRUE(named(told, "s").noise);
  EXPECT_NEAR(told.llh, untold.llh, 1e-6);
  EXPECT_NE(told.text.find("noise parameter"), std::string::npos);
  // Nuisances are not among what the data have told.
  for (const std::string& line : told.words) EXPECT_EQ(line.find(" s"), line.find(" sh")) << line;
  const api::Fit given = fitted(problem(table(even_noise), {{"A = 0.12"}}));
  EXPECT_EQ(given.parameters.size(), 2u);
  EXPECT_NEAR(given.chi2, untold.chi2 / (0.12 * 0.12), 1e-4 * given.chi2);
}

struct Line {
  double a = 0, b = 0, variance_a = 0, variance_b = 0, squares = 0;
};

Line weighted_line(const std::vector<double>& x, const std::vector<double>& y,
                   const std::vector<double>& sd) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double q = 1 / (sd[i] * sd[i]);
    w += q, wx += q * x[i], wy += q * y[i], wxx += q * x[i] * x[i], wxy += q * x[i] * y[i];
  }
  const double d = w * wxx - wx * wx;
  Line line{(wxx * wy - wx * wxy) / d, (w * wxy - wx * wy) / d, wxx / d, w / d, 0};
  for (std::size_t i = 0; i < x.size(); ++i)
    line.squares += std::pow((y[i] - line.a - line.b * x[i]) / sd[i], 2);
  return line;
}

TEST(Noise, RelativeErrorsAreThoseOfWeightedRegression) {
  const std::vector<double> x{0, 1, 2, 3, 5, 8, 9}, sd{0.2, 0.1, 0.3, 0.1, 0.4, 0.2, 0.5},
      y{1.3, 1.1, 3.2, 2.9, 3.4, 5.9, 5.2};
  std::string data = "time,A,sd(A)\n";
  for (std::size_t i = 0; i < x.size(); ++i)
    data += std::to_string(x[i]) + "," + std::to_string(y[i]) + "," + std::to_string(sd[i]) + "\n";
  const Line line = weighted_line(x, y, sd);
  const double freedom = static_cast<double>(x.size()) - 2, s = std::sqrt(line.squares / freedom);
  const double t = boost::math::quantile(boost::math::students_t(freedom), 0.975);
  for (bool relative : {true, false}) {
    const api::Fit fit =
        fitted(problem(data, {{}, relative ? "relative" : "absolute"}, "-> A; k\nA = 1; k = 1\n",
                       "k=1:-10:10:lin,A=1:-10:10:lin"));
    const double half = relative ? t * s : 1.959963984540054;
    EXPECT_NEAR(named(fit, "k").estimate, line.b, 1e-6);
    EXPECT_NEAR(named(fit, "A(0)").estimate, line.a, 1e-6);
    EXPECT_NEAR(named(fit, "k").low, line.b - half * std::sqrt(line.variance_b), 1e-5);
    EXPECT_NEAR(named(fit, "k").high, line.b + half * std::sqrt(line.variance_b), 1e-5);
    EXPECT_NEAR(named(fit, "A(0)").low, line.a - half * std::sqrt(line.variance_a), 1e-5);
    EXPECT_EQ(fit.text.find("errors of the data are relative") != std::string::npos, relative)
        << fit.text;
    EXPECT_NE(fit.json.find(relative ? "\"errors_relative\":true" : "\"errors_relative\":false"),
              std::string::npos);
  }
  // Ten times the errors, the same answer.
  std::string larger = "time,A,sd(A)\n";
  for (std::size_t i = 0; i < x.size(); ++i)
    larger +=
        std::to_string(x[i]) + "," + std::to_string(y[i]) + "," + std::to_string(10 * sd[i]) + "\n";
  const api::Fit fit = fitted(problem(larger, {{}, "relative"}, "-> A; k\nA = 1; k = 1\n",
                                      "k=1:-10:10:lin,A=1:-10:10:lin"));
  EXPECT_NEAR(named(fit, "k").high, line.b + t * s * std::sqrt(line.variance_b), 1e-5);
}

TEST(Noise, RelativeErrorsOfLimitsGetAFactor) {
  std::string data = "time,A,sd(A)\n";
  for (std::size_t i = 0; i < times.size(); ++i)
    data += std::to_string(times[i]) + "," +
            (even_noise[i] < 0.4 ? "<0.4" : std::to_string(even_noise[i])) + ",2\n";
  const api::Fit factor = fitted(problem(data, {{}, "relative"}));
  const api::Fit plain = fitted(problem(table(even_noise, 0.4), {}));
  EXPECT_NEAR(2 * named(factor, "factor").estimate, named(plain, "sd").estimate, 1e-5);
  EXPECT_NEAR(named(factor, "k").low, named(plain, "k").low, 1e-5);
}

TEST(Noise, EachExperimentHasItsOwn) {
  const std::vector<api::DataTable> two{{"one.csv", table(even_noise)},
                                        {"two.csv", table(share_noise)}};
  auto fit_of = [&](const std::vector<std::string>& formulas) {
    return fitted(
        api::Problem::from_data(api::Model::from_text(decay), two, {"k,A=2"}, {}, {}, {formulas}));
  };
  const api::Fit each = fit_of({"A@each = s"});
  const api::Fit named_ones = fit_of({"A@one = p", "A@two = q"});
  EXPECT_NEAR(each.objective, named_ones.objective, 1e-6);
  EXPECT_NEAR(named(each, "s@one").estimate, named(named_ones, "p").estimate, 1e-5);
  EXPECT_NEAR(named(each, "s@two").estimate, named(named_ones, "q").estimate, 1e-5);
  for (const char* id : {"s@one", "s@two"}) EXPECT_TRUE(named(each, id).noise);
  // In closed form: the root mean square of each experiment's residuals.
  for (const char* which : {"one", "two"}) {
    double squares = 0, count = 0;
    for (const api::Datum& d : each.data)
      if (d.experiment == which) {
        squares += std::pow(d.measurement - d.simulation, 2);
        ++count;
      }
    EXPECT_NEAR(named(each, std::string("s@") + which).estimate, std::sqrt(squares / count), 1e-6);
  }
  const api::Fit rest = fit_of({"A@one = 0.12", "A = s*A"});
  EXPECT_EQ(rest.parameters.size(), 3u);
}

TEST(Noise, OutliersDoNotMoveARobustEstimate) {
  // Without the two of them: 0.2096 and 3.017.
  const api::Fit robust = fitted(problem(table(outliers), {{}, "", "student-t:2"}));
  const api::Fit normal = fitted(problem(table(outliers), {}));
  EXPECT_NEAR(named(robust, "k").estimate, 0.2096, 0.003);
  EXPECT_NEAR(named(robust, "A(0)").estimate, 3.017, 0.03);
  EXPECT_GT(std::abs(named(normal, "k").estimate - 0.2096), 0.01);
  EXPECT_GT(std::abs(named(normal, "A(0)").estimate - 3.017), 0.2);
  EXPECT_TRUE(robust.adequacy.accepted) << robust.text;
}

TEST(Noise, LimitsThatTheModelCannotMeetAreReportedFirst) {
  std::string data = table(even_noise);
  const api::Fit good = fitted(problem(data + "18,<0.5\n20,<0.5\n", {}));
  EXPECT_TRUE(good.adequacy.accepted) << good.text;
  ASSERT_EQ(good.data.size(), times.size() + 2);
  EXPECT_EQ(good.data.back().limit, "below");
  EXPECT_TRUE(std::isnan(good.data.back().residual));
  const api::Fit bad = fitted(problem(data + "18,>2\n", {{"A = 0.12"}}));
  EXPECT_FALSE(bad.adequacy.accepted) << bad.text;
  EXPECT_NE(bad.text.find("A at time 18 is above 2"), std::string::npos) << bad.text;
}

std::string refusal_of(const std::string& data, const api::NoiseOptions& noise) {
  try {
    problem(data, noise);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Noise, MistakesAreNamed) {
  const std::string data = table(even_noise);
  auto says = [&](const std::string& text, const api::NoiseOptions& noise, const char* words) {
    EXPECT_NE(refusal_of(text, noise).find(words), std::string::npos) << words << "\n"
                                                                      << refusal_of(text, noise);
  };
  says(data, {{"AA = s"}}, "no table has measurements of 'AA'");
  says(data, {{"B = s"}}, "no table has measurements of 'B'");
  says(data, {{"A@e = s"}}, "no experiment 'e' has measurements of 'A'");
  says(data, {{"A = s", "A = r"}}, "a second noise of 'A'");
  says(data, {{"A s"}}, "expected NAME = formula");
  says(data, {{"A = s +"}}, "expected an expression");
  says(data, {{}, "relative"}, "no table has errors to be relative");
  says(data, {{}, "both"}, "unknown weights 'both'");
  says(data, {{}, "", "cauchy"}, "unknown distribution 'cauchy'");
  says(data, {{}, "", "student-t:-1"}, "degrees of freedom");
  says("time,A,sd(A)\n0,3,0.1\n1,2,0.1\n2,1,0.1\n", {{"A = s"}}, "a column of errors and a noise");
  says(data + "20,<\n", {}, "d.csv:18:4");
  says(data + "20,<x1\n", {}, "'x1' is not a number");
  says(data + "20,0.1<\n", {}, "'0.1<' is not a number");
}

// Twelve curves of one noise or the other: 95 % limits hold in about 95 % of the cases, with the
// noise estimated from 14 points.
TEST(Noise, LimitsHoldAsOftenAsTheySay) {
  const int sets = sanitized ? 20 : 250;
  for (bool relative : {false, true}) {
    int held = 0;
    for (int set = 0; set < sets; ++set) {
      SplitMix random = stream(relative ? 5 : 6, static_cast<std::uint64_t>(set));
      std::string data = "time,A\n";
      for (int i = 0; i < 14; ++i) {
        const double value = 3 * std::exp(-0.25 * i);
        const double noise = relative ? 0.12 * value : 0.1;
        data +=
            std::to_string(i) + "," + std::to_string(value + noise * normal_draw(random)) + "\n";
      }
      const api::Fit fit = fitted(problem(data, {{relative ? "A = s*A" : "A = s"}}));
      held += named(fit, "k").low <= 0.25 && named(fit, "k").high >= 0.25;
    }
    const double share = static_cast<double>(held) / sets;
    EXPECT_GE(share, sanitized ? 0.75 : 0.92) << relative;
    EXPECT_LE(share, sanitized ? 1.0 : 0.98) << relative;
    RecordProperty(relative ? "relative" : "constant", std::to_string(share));
  }
}

}  // namespace
}  // namespace stiffit::internal
