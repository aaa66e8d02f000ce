// Limits where the best fit may lie on a plateau: A and B exchange so fast that only the ratio of
// their rates is felt. Of what else is estimated the limits have to hold at every speed that fits.
// The oracle is the closed form of two linear equations. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>

#include "base/normal_draw.h"
#include "sanitized.h"
#include "stiffit/stiffit.h"

namespace stiffit::internal {
namespace {

struct Exchange {
  const char* name;
  double kf, kb, k, end, noise;
};

struct Two {
  double a = 0, b = 0;
};

// A -> B; kf, B -> A; kb, B -> C; k from A = 1.
Two closed_form(double kf, double kb, double k, double t) {
  const double sum = kf + kb + k, root = std::sqrt(sum * sum - 4 * kf * k);
  const double fast = (sum + root) / 2, slow = kf * k / fast;
  const double es = std::exp(-slow * t), ef = std::exp(-fast * t);
  return {((kf - slow) * ef + (fast - kf) * es) / (fast - slow), kf * (es - ef) / (fast - slow)};
}

// By golden sections.
template <class Function>
double lowest(double low, double high, Function f) {
  constexpr double golden = 0.6180339887498949;
  double x = high - golden * (high - low), y = low + golden * (high - low);
  double at_x = f(x), at_y = f(y);
  for (int round = 0; round < 24; ++round)
    if (at_x < at_y) {
      high = y, y = x, at_y = at_x;
      x = high - golden * (high - low), at_x = f(x);
    } else {
      low = x, x = y, at_x = at_y;
      y = low + golden * (high - low), at_y = f(y);
    }
  return std::min(at_x, at_y);
}

struct Data {
  std::vector<double> t, a, b;

  Data(const Exchange& e, std::uint64_t seed) {
    SplitMix random = stream(seed, 11);
    for (int i = 1; i <= 24; ++i) {
      t.push_back(e.end * i / 24);
      const Two y = closed_form(e.kf, e.kb, e.k, t.back());
      a.push_back(y.a + e.noise * normal_draw(random));
      b.push_back(y.b + e.noise * normal_draw(random));
    }
  }
  std::string table() const {
    std::string text = "time,A,B\n";
    for (std::size_t i = 0; i < t.size(); ++i) {
      char row[80];
      snprintf(row, sizeof row, "%.15g,%.12g,%.12g\n", t[i], a[i], b[i]);
      text += row;
    }
    return text;
  }
  double squares(double kf, double kb, double k) const {
    double sum = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
      const Two y = closed_form(kf, kb, k, t[i]);
      sum += (y.a - a[i]) * (y.a - a[i]) + (y.b - b[i]) * (y.b - b[i]);
    }
    return sum;
  }
  double least_at_speed(double kf, double k) const {
    return lowest(std::log(kf / 8), std::log(kf * 4),
                  [&](double kb) { return squares(kf, std::exp(kb), k); });
  }
  // The least over kb and many speeds.
  double least(double k, double slowest, double fastest) const {
    constexpr int speeds = 40;
    const double step = std::log(fastest / slowest) / speeds;
    double best = INFINITY, at = 0;
    for (int s = 0; s <= speeds; ++s) {
      const double speed = std::log(slowest) + s * step, value = least_at_speed(std::exp(speed), k);
      if (value < best) best = value, at = speed;
    }
    return std::min(best, lowest(at - step, at + step,
                                 [&](double speed) { return least_at_speed(std::exp(speed), k); }));
  }
  // The least over kb and k at one speed.
  double least_with(double kf, double k) const {
    return lowest(std::log(k / 1.5), std::log(k * 1.5),
                  [&](double other) { return least_at_speed(kf, std::exp(other)); });
  }
};

api::Problem problem_of(const Exchange& e, const Data& data) {
  char text[300];
  snprintf(text, sizeof text,
           "A -> B; kf*A\nB -> A; kb*B\nB -> C; k*B\nA = 1; B = 0; C = 0; kf = %g; kb = %g; k = %g",
           e.kf, e.kb, e.k);
  return api::Problem::from_data(api::Model::from_text(text), {{"data.csv", data.table()}},
                                 {"kf,kb,k"});
}

// How often what is said of kf excludes the truth, though the limits are right.
int excluded(const Exchange& e, int sets) {
  int told_and_outside = 0;
  for (int seed = 1; seed <= sets; ++seed) {
    const Data data(e, seed);
    api::FitOptions options;
    options.advice = false;
    options.run.threads = 1;
    const api::Fit f = problem_of(e, data).fit(options);
    EXPECT_TRUE(f.found()) << f.message;
    if (!f.found()) continue;
    const double least = 2 * f.objective, freedom = 45;
    const double wanted = boost::math::quantile(boost::math::fisher_f(1, freedom), 0.95);
    for (const api::FittedParameter& p : f.parameters) {
      const double truth = p.id == "kf" ? e.kf : p.id == "kb" ? e.kb : e.k;
      const bool told = p.determination == "determined" || p.determination == "roughly-determined";
      if (p.id == "kf" && told && (truth < p.low || truth > p.high)) {
        // Some noise excludes the truth; then the closed form says so, too, and further out as
        // well.
        ++told_and_outside;
        for (const double speed : {truth, 30 * truth})
          EXPECT_GT((data.least_with(speed, e.k) - least) / (least / freedom), wanted)
              << seed << " " << speed << " " << p.verdict;
      }
      if (p.id != "k") continue;
      for (const double limit : {p.low, p.high}) {
        EXPECT_TRUE(std::isfinite(limit)) << seed << p.verdict;
        const double ratio =
            (data.least(limit, e.kf / 300, e.kf * 300) - least) / (least / freedom);
        EXPECT_NEAR(ratio, wanted, 0.12 * wanted) << seed << ": " << limit << " " << p.verdict;
      }
    }
  }
  return told_and_outside;
}

TEST(Plateau, LimitsHoldAtEverySpeedThatFits) {
  const int sets = sanitized ? 1 : 20;
  int outside = 0, all = 0;
  for (const Exchange& e :
       {Exchange{"fast", 300, 150, 0.2, 10, 0.01}, Exchange{"slower", 2, 3, 0.01, 300, 0.02},
        Exchange{"faster", 5e4, 2e4, 30, 0.06, 0.005}}) {
    SCOPED_TRACE(e.name);
    outside += excluded(e, sets);
    all += sets;
  }
  EXPECT_LE(outside, all / 20) << "of " << all;
}

}  // namespace
}  // namespace stiffit::internal
