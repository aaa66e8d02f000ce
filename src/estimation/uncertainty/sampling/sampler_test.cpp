// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/sampling/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "estimation/optimizers/trial_objectives.h"
#include "estimation/uncertainty/sampling/diagnostics.h"

using namespace stiffit::internal;

namespace {

// Two correlated unknowns: U = 1/2 (a^2 + ((b - 0.9 a)/0.4)^2), so sd(a) = 1, sd(b) = 0.985.
TrialLeastSquares correlated(double lower = -50, bool unknown_noise = false) {
  return TrialLeastSquares(
      {{"a", lower, 50, 0}, {"b", -50, 50, 0}},
      [](std::span<const double> p) -> std::vector<double> {
        return {p[0], (p[1] - 0.9 * p[0]) / 0.4};
      },
      unknown_noise);
}

Sampler sampler_of(const Objective& objective, SamplerOptions options,
                   std::vector<double> start = {0, 0}) {
  const Evaluation at = objective.evaluate(start, Need::fisher);
  return Sampler(objective, {start}, first_covariance(objective, at), options);
}

void run(Sampler& sampler, long samples) {
  while (sampler.iteration() < sampler.iterations_for(samples)) ASSERT_TRUE(sampler.advance());
}

std::vector<double> sorted(const Sampler& sampler, std::size_t unknown) {
  std::vector<double> all;
  for (auto& chain : sampler.draws())
    for (auto& x : chain) all.push_back(x[unknown]);
  std::sort(all.begin(), all.end());
  return all;
}

double quantile(const std::vector<double>& v, double share) {
  return v[static_cast<std::size_t>(share * static_cast<double>(v.size() - 1))];
}

SamplerOptions options_of(SamplerKind kind) {
  SamplerOptions o;
  o.kind = kind;
  o.temperatures = kind == SamplerKind::tempered ? 4 : 1;
  o.seed = 3;
  return o;
}

constexpr SamplerKind all_kinds[] = {SamplerKind::adaptive, SamplerKind::tempered,
                                     SamplerKind::langevin};

TEST(Sampler, DrawsANormalDistribution) {
  const TrialLeastSquares objective = correlated();
  for (SamplerKind kind : all_kinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    Sampler sampler = sampler_of(objective, options_of(kind));
    run(sampler, 20000);
    for (std::size_t i : {0u, 1u}) {
      const Convergence c = convergence(chains_of(sampler.draws(), i));
      EXPECT_TRUE(converged(c, {})) << c.r_hat << " " << c.bulk_size << " " << c.tail_size;
      const std::vector<double> v = sorted(sampler, i);
      const double sd = i == 0 ? 1 : std::sqrt(0.81 + 0.16),
                   error = 4 * sd / std::sqrt(c.bulk_size);
      EXPECT_NEAR(quantile(v, 0.5), 0, 1.3 * error);
      EXPECT_NEAR(quantile(v, 0.975), 1.96 * sd, 2.7 * error);
      EXPECT_NEAR(quantile(v, 0.025), -1.96 * sd, 2.7 * error);
    }
    EXPECT_GT(sampler.acceptance(), 0.1);
    EXPECT_LT(sampler.acceptance(), 0.9);
    EXPECT_EQ(sampler.draws().size(), 8u);
  }
}

// a >= 0.5: the rest of a normal distribution; reflections at the bound must not pile up there.
TEST(Sampler, KeepsToBoundsWithoutBendingTheDistribution) {
  const TrialLeastSquares objective = correlated(0.5);
  for (SamplerKind kind : all_kinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    Sampler sampler = sampler_of(objective, options_of(kind), {1, 0.9});
    run(sampler, 20000);
    const std::vector<double> v = sorted(sampler, 0);
    EXPECT_GE(v.front(), 0.5);
    const double error = 4 / std::sqrt(convergence(chains_of(sampler.draws(), 0)).bulk_size);
    EXPECT_NEAR(quantile(v, 0.5), 1.0183, 0.6 * error);  // of the normal tail beyond 0.5
    EXPECT_NEAR(quantile(v, 0.95), 2.1590, 3 * error);
  }
}

// With noise of unknown size and a linear model the distribution is Student's with N - m degrees.
TEST(Sampler, NoiseOfUnknownSizeGivesStudentsDistribution) {
  std::vector<double> data{0.3, -0.2, 0.9, -0.6, 0.1, -0.5};  // mean 0
  const TrialLeastSquares objective(
      {{"a", -100, 100, 0}},
      [&](std::span<const double> p) {
        std::vector<double> r;
        for (double y : data) r.push_back(p[0] - y);
        return r;
      },
      true);
  double squares = 0;
  for (double y : data) squares += y * y;
  const double error_of_mean = std::sqrt(squares / 5 / 6);
  Sampler sampler = sampler_of(objective, options_of(SamplerKind::adaptive), {0});
  run(sampler, 40000);
  const std::vector<double> v = sorted(sampler, 0);
  EXPECT_NEAR(quantile(v, 0.975), 2.5706 * error_of_mean, 0.12 * error_of_mean);
  EXPECT_NEAR(quantile(v, 0.75), 0.7267 * error_of_mean, 0.04 * error_of_mean);
}

// Two hollows far apart, one of them three times as wide: only tempering visits both as it should.
TEST(Sampler, TemperingVisitsDistantHollows) {
  class Two final : public Objective {
   public:
    double left = -8, right = 9;
    const std::vector<EstimatedParameter>& unknowns() const override { return unknowns_; }
    int data_count() const override { return 1; }
    bool least_squares() const override { return false; }
    Evaluation evaluate(std::span<const double> x, Need) const override {
      Evaluation e;
      auto density = [&](double at, double width) {
        return std::exp(-0.5 * std::pow((x[0] - at) / width, 2));
      };
      e.value = -std::log(density(left, 0.5) + density(right, 1.5) + 1e-200);
      e.fisher = {4};
      e.gradient = {0};
      return e;
    }

   private:
    std::vector<EstimatedParameter> unknowns_{{"x", -40, 40, -8}};
  } objective;
  auto share = [&](SamplerKind kind) {
    SamplerOptions o = options_of(kind);
    o.temperatures = kind == SamplerKind::tempered ? 6 : 1;
    Sampler sampler = sampler_of(objective, o, {objective.left});
    run(sampler, 16000);
    const std::vector<double> v = sorted(sampler, 0);
    const auto right = v.end() - std::lower_bound(v.begin(), v.end(), 0.0);
    return std::pair(static_cast<double>(right) / static_cast<double>(v.size()),
                     convergence(chains_of(sampler.draws(), 0)).r_hat);
  };
  EXPECT_LT(share(SamplerKind::adaptive).first, 0.3) << "the trial is too easy";
  for (double away : {4.0, 8.0}) {
    objective.left = -away;
    objective.right = away + 1;
    const auto [right, r_hat] = share(SamplerKind::tempered);
    EXPECT_NEAR(right, 0.75, 0.06) << away;
    EXPECT_LT(r_hat, 1.05) << away;
  }
}

// b follows a^2, narrowly: a is normal, b nearly chi-square with one degree of freedom.
TEST(Sampler, FollowsABentValley) {
  const TrialLeastSquares objective({{"a", -50, 50, 0}, {"b", -50, 50, 0}},
                                    [](std::span<const double> p) -> std::vector<double> {
                                      return {p[0], (p[1] - p[0] * p[0]) / 0.05};
                                    });
  Sampler sampler = sampler_of(objective, options_of(SamplerKind::adaptive));
  auto all_converged = [&] {
    return converged(convergence(chains_of(sampler.draws(), 0)), {}) &&
           converged(convergence(chains_of(sampler.draws(), 1)), {});
  };
  run(sampler, 16000);
  EXPECT_FALSE(all_converged()) << "the trial is too easy";
  while (!all_converged() && sampler.round() < 3) {
    sampler.begin_again();
    run(sampler, 16000);
  }
  EXPECT_TRUE(all_converged());
  EXPECT_NEAR(quantile(sorted(sampler, 0), 0.975), 1.96, 0.15);
  EXPECT_NEAR(quantile(sorted(sampler, 0), 0.025), -1.96, 0.15);
  EXPECT_NEAR(quantile(sorted(sampler, 1), 0.5), 0.455, 0.06);
  EXPECT_NEAR(quantile(sorted(sampler, 1), 0.95), 3.84, 0.4);
}

// Distributions that are known, drawn as the program draws them: by default, in rounds until they
// have converged.
class Known final : public Objective {
 public:
  Known(std::vector<EstimatedParameter> unknowns, std::function<double(std::span<const double>)> u)
      : unknowns_(std::move(unknowns)), u_(std::move(u)) {}
  const std::vector<EstimatedParameter>& unknowns() const override { return unknowns_; }
  int data_count() const override { return 1; }
  bool least_squares() const override { return false; }
  Evaluation evaluate(std::span<const double> x, Need) const override {
    Evaluation e;
    e.value = u_(x);
    const std::size_t n = unknowns_.size();
    e.gradient.assign(n, 0);
    e.fisher.assign(n * n, 0);
    for (std::size_t i = 0; i < n; ++i) e.fisher[i * n + i] = 1;
    return e;
  }

 private:
  std::vector<EstimatedParameter> unknowns_;
  std::function<double(std::span<const double>)> u_;
};

bool all_converged(const Sampler& sampler, std::size_t unknowns) {
  for (std::size_t i = 0; i < unknowns; ++i)
    if (!converged(convergence(chains_of(sampler.draws(), i)), {})) return false;
  return true;
}

Sampler drawn(const Objective& objective, SamplerOptions o, long samples = 16000) {
  const std::size_t n = objective.unknowns().size();
  Sampler sampler = sampler_of(objective, o, std::vector<double>(n, 0.0));
  for (run(sampler, samples); !all_converged(sampler, n) && sampler.round() < 3;) {
    sampler.begin_again();
    run(sampler, samples);
  }
  return sampler;
}

double share_of(const Sampler& sampler, const std::function<bool(const std::vector<double>&)>& in) {
  double count = 0, all = 0;
  for (auto& chain : sampler.draws())
    for (auto& x : chain) count += in(x), all += 1;
  return count / all;
}

// Two hollows, of which the chains begin in one.
TEST(Sampler, ANeighbouringHollowHasItsShare) {
  const Known objective({{"x", -30, 30, 0}, {"y", -30, 30, 0}}, [](std::span<const double> p) {
    auto log_density = [&](double at, double width) {
      return -0.5 * (std::pow((p[0] - at) / width, 2) + p[1] * p[1]);
    };
    const double a = log_density(0, 1), b = log_density(15, 2);
    return -std::max(a, b) - std::log1p(std::exp(-std::fabs(a - b)));
  });
  const Sampler sampler = drawn(objective, options_of(SamplerKind::adaptive));
  EXPECT_TRUE(all_converged(sampler, 2));
  auto right = [](const std::vector<double>& x) { return x[0] > 5; };
  EXPECT_NEAR(share_of(sampler, right), 2.0 / 3, 0.03);  // as twice the width says
}

// Student's distribution with three degrees of freedom: its far tails.
TEST(Sampler, HeavyTailsAreReached) {
  const Known objective(
      {{"x", -1000, 1000, 0}, {"y", -1000, 1000, 0}},
      [](std::span<const double> p) { return 2.5 * std::log1p((p[0] * p[0] + p[1] * p[1]) / 3); });
  const Sampler sampler = drawn(objective, options_of(SamplerKind::adaptive));
  EXPECT_TRUE(all_converged(sampler, 2));
  for (std::size_t i : {0u, 1u}) {
    const std::vector<double> v = sorted(sampler, i);
    EXPECT_NEAR(quantile(v, 0.75), 0.765, 0.05);
    EXPECT_NEAR(quantile(v, 0.975), 3.182, 0.25);
    EXPECT_NEAR(quantile(v, 0.025), -3.182, 0.25);
    EXPECT_NEAR(quantile(v, 0.995), 5.841, 0.9);
  }
}

// A hollow in a wide plain: little density, but much room. Of the whole, e^-7 times the area of the
// plain against 2 pi (1 - e^-7) of the hollow.
TEST(Sampler, APlainAroundAHollowHasItsShare) {
  const double height = 7, half = 40;
  const Known objective({{"x", -half, half, 0}, {"y", -half, half, 0}},
                        [&](std::span<const double> p) {
                          return std::min(height, 0.5 * (p[0] * p[0] + p[1] * p[1]));
                        });
  const double hollow = 2 * std::numbers::pi * (1 - std::exp(-height)),
               plain = (4 * half * half - 2 * std::numbers::pi * height) * std::exp(-height);
  const Sampler sampler = drawn(objective, options_of(SamplerKind::adaptive));
  EXPECT_TRUE(all_converged(sampler, 2));
  const double share = share_of(sampler, [&](const std::vector<double>& x) {
    return x[0] * x[0] + x[1] * x[1] > 2 * height;
  });
  EXPECT_NEAR(share, plain / (plain + hollow), 0.04);
  // Uniform there: a quarter of the plain lies beyond half of the way to the right.
  const double right = share_of(sampler, [&](const std::vector<double>& x) { return x[0] > 20; });
  EXPECT_NEAR(right, share / 4, 0.025);
}

TEST(Sampler, BeginsAgainAndLearnsFromItsDraws) {
  const TrialLeastSquares objective = correlated();
  SamplerOptions o = options_of(SamplerKind::adaptive);
  o.warmup = 60;
  Sampler whole = sampler_of(objective, o);
  run(whole, 800);
  const long before = whole.iteration(), thin = whole.options().thin;
  RecordWriter old;
  whole.save_draws(old, 0);
  whole.begin_again();
  EXPECT_EQ(whole.kept(), 0);
  EXPECT_EQ(whole.options().warmup, before);
  EXPECT_EQ(whole.options().thin, 2 * thin);
  RecordWriter state;
  whole.save(state);
  run(whole, 16000);
  EXPECT_EQ(whole.draws().front().size(), 2000u);
  EXPECT_NEAR(quantile(sorted(whole, 0), 0.975), 1.96, 0.15);
  // A run that goes on from there does not take up the draws that were given up.
  Sampler second = sampler_of(objective, o);
  RecordReader reader(state.bytes()), draws(old.bytes());
  second.restore(reader);
  second.restore_draws(draws);
  draws.finish();
  run(second, 16000);
  EXPECT_EQ(second.draws(), whole.draws());
}

TEST(Sampler, ARunThatWasKeptGoesOn) {
  const TrialLeastSquares objective = correlated();
  for (SamplerKind kind : all_kinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    SamplerOptions o = options_of(kind);
    o.warmup = 200;
    Sampler whole = sampler_of(objective, o);
    o.threads = 3;
    Sampler first = sampler_of(objective, o);
    std::vector<std::string> pieces;
    long saved = 0;
    std::string state;
    while (whole.iteration() < 1000) {
      whole.advance();
      if (whole.iteration() > 500) continue;
      first.advance();
      RecordWriter draws, rest;
      first.save_draws(draws, saved);
      saved = first.kept();
      pieces.push_back(draws.bytes());
      if (first.iteration() > 480) continue;  // the last draws outlive the state
      first.save(rest);
      state = rest.bytes();
    }
    Sampler second = sampler_of(objective, o);
    RecordReader reader(state);
    second.restore(reader);
    reader.finish();
    for (const std::string& piece : pieces) {
      RecordReader draws(piece);
      second.restore_draws(draws);
      draws.finish();
    }
    while (second.iteration() < 1000) second.advance();
    EXPECT_EQ(second.draws(), whole.draws());
    EXPECT_EQ(second.evaluations(), whole.evaluations());
    // What another round learns from was kept too.
    for (Sampler* sampler : {&whole, &second}) {
      sampler->begin_again();
      while (sampler->iteration() < 1500) sampler->advance();
    }
    EXPECT_EQ(second.draws(), whole.draws());
  }
}

TEST(Sampler, PlacesThatCannotBeEvaluatedAreLeftOut) {
  TrialLeastSquares objective = correlated();
  objective.fails = [](std::span<const double> p) { return p[0] < 0; };
  Sampler sampler = sampler_of(objective, options_of(SamplerKind::adaptive), {0.5, 0.5});
  run(sampler, 4000);
  EXPECT_GE(sorted(sampler, 0).front(), 0);
  EXPECT_GT(sampler.failures(), 0);
}

}  // namespace
