// Steady states that are known: random networks with rates up to twelve decades apart, in several
// units of time and of each species, and the kinds of approach that are not exponential.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analysis/steady/steady_state.h"
#include "base/number.h"
#include "compiled_model.h"
#include "sanitized.h"

namespace stiffit::internal {
namespace {

struct Found {
  CompiledModel model;
  std::unique_ptr<SteadyProblem> problem;
  SteadyState steady;
  double operator[](const std::string& name) const {
    const auto& names = model.program().state_names;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return steady.state[i];
    return NAN;
  }
};

std::unique_ptr<Found> find(const std::string& text) {
  auto s = std::make_unique<Found>();
  s->model = compile_model(resolve_text("model.ant", text));
  s->problem = std::make_unique<SteadyProblem>(s->model.resolved.system, s->model.problem);
  SteadyOptions options;
  options.integration.rtol = 1e-8;
  s->steady = find_steady_state(*s->problem, {}, options);
  return s;
}

// A text model, line by line.
class Text {
 public:
  Text& reaction(const std::string& equation, const std::string& rate) {
    text_ += equation + "; " + rate + "\n";
    return *this;
  }
  Text& value(const std::string& name, double value) {
    text_ += name + " = " + format_number(value) + "\n";
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double decades(double low, double high) {
    return std::pow(10, std::uniform_real_distribution<double>(low, high)(engine_));
  }
  int count(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }

 private:
  std::mt19937 engine_;
};

std::string name(const char* letter, int i) { return letter + std::to_string(i); }

constexpr double time_units[] = {1, 1e-9, 1e9};
int trials(int all) { return sanitized ? all / 10 : all; }

void expect_near(const Found& s, const std::string& species, double truth, double share,
                 double floor) {
  EXPECT_NEAR(s[species], truth, share * std::fabs(truth) + floor) << species;
}

// -> S0 -> S1 -> ... -> : each holds influx/rate, whatever the others do.
TEST(SteadyNetworks, OpenChains) {
  for (int seed = 0; seed < trials(60); ++seed) {
    Random random(static_cast<unsigned>(seed));
    const double unit = time_units[seed % 3];
    const int n = random.count(2, 7);
    const double influx = random.decades(-3, 3) * unit;
    Text text;
    text.reaction("-> S0", "v").value("v", influx);
    std::vector<double> k;
    for (int i = 0; i < n; ++i) {
      k.push_back(random.decades(-6, 6) * unit);
      text.reaction(name("S", i) + " -> " + (i + 1 < n ? name("S", i + 1) : ""),
                    name("k", i) + "*" + name("S", i));
      text.value(name("k", i), k.back());
      text.value(name("S", i), random.count(0, 1) ? 0 : random.decades(-6, 6));
    }
    auto s = find(text.text());
    ASSERT_TRUE(s->steady.found()) << seed << ": " << s->steady.detail << "\n" << text.text();
    for (int i = 0; i < n; ++i)
      expect_near(*s, name("S", i), influx / k[static_cast<std::size_t>(i)], 1e-9, 0);
    if (HasFailure()) FAIL() << seed << "\n" << text.text();
  }
}

// S0 -> S1 -> ... -> P: all of it ends in P.
TEST(SteadyNetworks, ClosedChains) {
  for (int seed = 0; seed < trials(60); ++seed) {
    Random random(static_cast<unsigned>(100 + seed));
    const double unit = time_units[seed % 3], size = random.decades(-20, 20);
    const int n = random.count(1, 6);
    Text text;
    double total = 0;
    for (int i = 0; i <= n; ++i) {
      const double start = i == 0 ? size : random.count(0, 1) ? 0 : size * random.decades(-6, 2);
      total += start;
      text.value(name("S", i), start);
      if (i == n) break;
      text.reaction(name("S", i) + " -> " + name("S", i + 1), name("k", i) + "*" + name("S", i));
      text.value(name("k", i), random.decades(-6, 6) * unit);
    }
    auto s = find(text.text());
    ASSERT_TRUE(s->steady.found()) << seed << ": " << s->steady.detail << "\n" << text.text();
    for (int i = 0; i < n; ++i) expect_near(*s, name("S", i), 0, 0, 1e-9 * total);
    expect_near(*s, name("S", n), total, 1e-9, 0);
    if (HasFailure()) FAIL() << seed << "\n" << text.text();
  }
}

// S0 <-> S1 <-> ...: detailed balance, the sum is the start's.
TEST(SteadyNetworks, ReversibleChains) {
  for (int seed = 0; seed < trials(60); ++seed) {
    Random random(static_cast<unsigned>(200 + seed));
    const double unit = time_units[seed % 3], size = random.decades(-20, 20);
    const int n = random.count(1, 5);
    Text text;
    double total = 0, sum = 1;
    std::vector<double> share{1};
    for (int i = 0; i <= n; ++i) {
      const double start = i == 0 ? size : random.count(0, 1) ? 0 : size * random.decades(-6, 2);
      total += start;
      text.value(name("S", i), start);
      if (i == n) break;
      const double forward = random.decades(-6, 6), back = forward * random.decades(-4, 4);
      text.reaction(
          name("S", i) + " -> " + name("S", i + 1),
          name("a", i) + "*" + name("S", i) + " - " + name("b", i) + "*" + name("S", i + 1));
      text.value(name("a", i), forward * unit).value(name("b", i), back * unit);
      share.push_back(share.back() * forward / back);
      sum += share.back();
    }
    auto s = find(text.text());
    ASSERT_TRUE(s->steady.found()) << seed << ": " << s->steady.detail << "\n" << text.text();
    for (int i = 0; i <= n; ++i)
      expect_near(*s, name("S", i), total * share[static_cast<std::size_t>(i)] / sum, 1e-6, 0);
    if (HasFailure()) FAIL() << seed << "\n" << text.text();
  }
}

// D -> A, A -> B, A -> C, A -> : nothing conserves B and C, the rates share A out among them.
TEST(SteadyNetworks, SinksShareOut) {
  for (int seed = 0; seed < trials(60); ++seed) {
    Random random(static_cast<unsigned>(300 + seed));
    const double unit = time_units[seed % 3], size = random.decades(-20, 20);
    const double b = random.decades(-1, 1), c = random.decades(-1, 1), lost = random.decades(-1, 1);
    const double fast = random.decades(-6, 6) * unit;
    const double all = size * (1 + random.decades(-2, 2)) - size;
    Text text;
    text.reaction("D -> A", "kd*D").value("kd", random.decades(-6, 6) * unit);
    text.reaction("A -> B", "kb*A").value("kb", b * fast);
    text.reaction("A -> C", "kc*A").value("kc", c * fast);
    text.reaction("A ->", "kl*A").value("kl", lost * fast);
    text.value("D", all).value("A", 0).value("B", 0).value("C", size);
    auto s = find(text.text());
    ASSERT_TRUE(s->steady.found()) << seed << ": " << s->steady.detail << "\n" << text.text();
    expect_near(*s, "B", all * b / (b + c + lost), 1e-6, 0);
    expect_near(*s, "C", size + all * c / (b + c + lost), 1e-6, 0);
    expect_near(*s, "A", 0, 0, 1e-8 * all);
    expect_near(*s, "D", 0, 0, 1e-8 * all);
    if (HasFailure()) FAIL() << seed << "\n" << text.text();
  }
}

// Complexes with conserved sums, in units far apart: A + B <-> C, the root of a quadratic.
TEST(SteadyNetworks, BindingInAnyUnit) {
  for (int seed = 0; seed < trials(60); ++seed) {
    Random random(static_cast<unsigned>(400 + seed));
    const double unit = time_units[seed % 3], size = random.decades(-20, 20);
    const double a = random.decades(-3, 3), b = random.decades(-3, 3), k = random.decades(-4, 4);
    const double off = random.decades(-6, 6) * unit;
    Text text;
    text.reaction("A + B -> C", "on*A*B - off*C");
    text.value("on", off / (k * size)).value("off", off);
    text.value("A", a * size).value("B", b * size).value("C", 0);
    // Beside it, another chain in another unit, slower or faster.
    const double rate = random.decades(-6, 6) * unit, other = random.decades(-20, 20);
    text.reaction("X -> Y", "kx*X").value("kx", rate).value("X", other).value("Y", 0);
    auto s = find(text.text());
    ASSERT_TRUE(s->steady.found()) << seed << ": " << s->steady.detail << "\n" << text.text();
    const double half = 0.5 * (a + b + k);
    const double c = a * b / (half + std::sqrt(half * half - a * b));
    expect_near(*s, "C", c * size, 1e-9, 0);
    expect_near(*s, "A", (a - c) * size, 1e-6, 1e-12 * a * size);
    expect_near(*s, "B", (b - c) * size, 1e-6, 1e-12 * b * size);
    expect_near(*s, "X", 0, 0, 1e-8 * other);
    expect_near(*s, "Y", other, 1e-9, 0);
    if (HasFailure()) FAIL() << seed << "\n" << text.text();
  }
}

// Robertson's A falls as 1/t: every rate is algebraic in the end, and there is no moment at which
// it has all but decayed.
TEST(SteadyNetworks, AlgebraicDecay) {
  for (double unit : time_units) {
    Text robertson;
    robertson.reaction("A -> B", "k1*A").reaction("2 B -> B + C", "k2*B^2");
    robertson.reaction("B + C -> A + C", "k3*B*C");
    robertson.value("k1", 0.04 * unit).value("k2", 3e7 * unit).value("k3", 1e4 * unit);
    robertson.value("A", 1).value("B", 0).value("C", 0);
    auto s = find(robertson.text());
    ASSERT_TRUE(s->steady.found()) << unit << ": " << s->steady.detail;
    expect_near(*s, "A", 0, 0, 1e-9);
    expect_near(*s, "C", 1, 1e-9, 0);
    for (const char* power : {"2", "3", "1.5"}) {
      Text decay;
      decay.reaction("A -> P", std::string("k*A^") + power).reaction("P -> Q", "s*P");
      decay.value("k", unit).value("s", 1e-7 * unit).value("A", 1).value("P", 0).value("Q", 0);
      auto d = find(decay.text());
      ASSERT_TRUE(d->steady.found()) << power << ": " << d->steady.detail;
      expect_near(*d, "A", 0, 0, 1e-9);
      expect_near(*d, "Q", 1, 1e-7, 0);
    }
  }
}

// S is used up by E only as long as E lasts: where it rests depends on the whole way.
TEST(SteadyNetworks, WhatUsesItDiesOut) {
  for (double unit : time_units)
    for (double slow : {1.0, 1e-6, 1e6}) {
      Text text;
      text.reaction("S -> P", "k*E*S").reaction("E ->", "d*E").reaction("X -> Y", "x*X");
      text.value("k", 2 * unit).value("d", unit).value("x", slow * unit);
      text.value("S", 1).value("P", 0).value("E", 0.5).value("X", 1).value("Y", 0);
      auto s = find(text.text());
      ASSERT_TRUE(s->steady.found()) << unit << " " << slow << ": " << s->steady.detail;
      expect_near(*s, "S", std::exp(-1), 1e-6, 0);
      expect_near(*s, "Y", 1, 1e-7, 0);
      // Nothing conserves anything here.
      auto open = find("S ->; k*E*S\nE ->; d*E\nS = 1; E = 0.5\nk = " + format_number(2 * unit) +
                       "\nd = " + format_number(unit));
      ASSERT_TRUE(open->steady.found()) << unit << ": " << open->steady.detail;
      expect_near(*open, "S", std::exp(-1), 1e-6, 0);
    }
}

// Beside fast states one that has hardly begun to leave an unstable state; nearer to it than the
// tolerance it may be lost, but is never taken for one at rest.
TEST(SteadyNetworks, UnstableStatesAreLeft) {
  for (double unit : time_units)
    for (double off : {1e-4, 1e-6, 1e-10}) {
      const std::string k = format_number(unit);
      auto up = find("x' = " + k + "*x*(x - 1)*(3 - x)\ny' = 1e6*" + k +
                     "*(1 - y)\nx = " + format_number(1 + off) + "\ny = 0.1");
      if (off > 1e-8) {
        ASSERT_TRUE(up->steady.found()) << off << " " << up->steady.detail;
      }
      if (!up->steady.found()) continue;
      expect_near(*up, "x", 3, 1e-9, 0);
      expect_near(*up, "y", 1, 1e-9, 0);
    }
}

// What is not there stays away, though it would grow.
TEST(SteadyNetworks, AbsentSpeciesStayAbsent) {
  auto s = find(
      "-> T; 2\nT ->; 0.5*T\nT + V -> I + V; 3*T*V\nI ->; I\nI -> I + V; 50*I\nV ->; V\n"
      "T = 1; I = 0; V = 0");
  ASSERT_TRUE(s->steady.found()) << s->steady.detail;
  expect_near(*s, "T", 4, 1e-9, 0);
  EXPECT_EQ((*s)["V"], 0);
}

TEST(SteadyNetworks, EventsThatWaitAndClocksAreWaitedFor) {
  auto delayed = find("A' = 1 - A\nB' = k - B\nA = 0; B = 0; k = 0\nat 1000 after A > 0.5: k = 2");
  ASSERT_TRUE(delayed->steady.found()) << delayed->steady.detail;
  expect_near(*delayed, "B", 2, 1e-9, 0);
  auto clock = find("A' = piecewise(1, time < 1000, 3) - A\nA = 0");
  ASSERT_TRUE(clock->steady.found()) << clock->steady.detail;
  expect_near(*clock, "A", 3, 1e-9, 0);
}

// A square wave never lets it rest, however fast it follows; without amplitude it is none.
TEST(SteadyNetworks, ClocksThatGoOnForEver) {
  for (const char* wave :
       {"piecewise(1, sin(0.001*time) > 0, 0)", "(floor(0.01*time) - 2*floor(0.005*time))"}) {
    const std::string model = std::string("A' = 1 + a*") + wave + " - 10*A\nA = 0\n";
    auto driven = find(model + "a = 1");
    EXPECT_EQ(driven->steady.status, SteadyStatus::time_dependent) << driven->steady.detail;
    auto idle = find(model + "a = 0");
    ASSERT_TRUE(idle->steady.found()) << idle->steady.detail;
    expect_near(*idle, "A", 0.1, 1e-9, 0);
  }
  auto dosed = find("A' = -A\nA = 1\nat sin(time) > 0: A = A + 1");
  EXPECT_FALSE(dosed->steady.found());
}

// More states than eigenvalues are asked of, all acting on each other: a ring with a rate of its
// own for each step, x_i = flux/k_i.
TEST(SteadyNetworks, LargeRings) {
  for (int seed = 0; seed < trials(10); ++seed) {
    Random random(static_cast<unsigned>(500 + seed));
    const double unit = time_units[seed % 3];
    const int n = 40;
    Text text;
    std::vector<double> k;
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      k.push_back(random.decades(-3, 3) * unit);
      sum += 1 / k.back();
      text.reaction(name("S", i) + " -> " + name("S", (i + 1) % n),
                    name("k", i) + "*" + name("S", i));
      text.value(name("k", i), k.back()).value(name("S", i), i == 0 ? 7 : 0);
    }
    auto s = find(text.text());
    ASSERT_TRUE(s->steady.found()) << seed << ": " << s->steady.detail;
    for (int i = 0; i < n; ++i)
      expect_near(*s, name("S", i), 7 / sum / k[static_cast<std::size_t>(i)], 1e-8, 0);
  }
}

// With delays rest is where the past is the present.
TEST(SteadyNetworks, DelaysRest) {
  auto s = find("y' = 2 - y\nz' = delay(y, 500) - 4*z\ny = 0; z = 0");
  ASSERT_TRUE(s->steady.found()) << s->steady.detail;
  expect_near(*s, "y", 2, 1e-8, 0);
  expect_near(*s, "z", 0.5, 1e-7, 0);
  EXPECT_LT(s->steady.residual, 1e-6);
  auto loop = find("x' = 3 - 0.5*delay(x, 2)\nx = 1");  // 0.5*2 < pi/2: damped
  ASSERT_TRUE(loop->steady.found()) << loop->steady.detail;
  expect_near(*loop, "x", 6, 1e-7, 0);
  auto swings = find("x' = 3 - 2*delay(x, 2)\nx = 1");  // grows
  EXPECT_FALSE(swings->steady.found());
}

// What fast reactions hold at equilibrium is no slow state: influx 2 leaves through 0.4 B, A is 3
// B.
TEST(SteadyNetworks, FastReactionsRest) {
  auto s = find(
      "#: fast J\nJ: A -> B; A - 3*B\nK: B -> ; 0.4*B\nI: -> A; 2\nX -> Y; 1e-7*X\n"
      "A = 0; B = 8; X = 1; Y = 0");
  ASSERT_TRUE(s->steady.found()) << s->steady.detail;
  const double a = (*s)["A"], b = (*s)["B"];
  ASSERT_FALSE(std::isnan(a) && std::isnan(b));
  if (!std::isnan(a)) {
    EXPECT_NEAR(a, 15, 1e-6);
  }
  if (!std::isnan(b)) {
    EXPECT_NEAR(b, 5, 1e-6);
  }
  expect_near(*s, "Y", 1, 1e-8, 0);
}

// A species with a rate rule is a species: not below zero. A parameter with one may be.
TEST(SteadyNetworks, NegativeConcentrationsAreNone) {
  auto oregonator = compile_model(resolve_library("oregonator"));
  SteadyProblem problem(oregonator.resolved.system, oregonator.problem);
  SteadyOptions options;
  options.integration.rtol = 1e-8;
  SteadyState steady = find_steady_state(problem, {}, options);
  EXPECT_EQ(steady.status, SteadyStatus::oscillates) << steady.detail;
  ASSERT_TRUE(newton_steady_state(problem, steady));
  EXPECT_FALSE(steady.stable_route);
  // 1 - x = 2 f (x - q)/(q + x), with x = z
  const double q = 0.005, f = 0.3, half = 0.5 * (1 - q - 2 * f);
  const double x = half + std::sqrt(half * half + q * (1 + 2 * f));
  EXPECT_NEAR(steady.state[0], x, 1e-9);
  EXPECT_NEAR(steady.state[2], x, 1e-9);

  auto voltage = find("V' = -65 - V\nV = -40");
  ASSERT_TRUE(voltage->steady.found());
  EXPECT_NEAR((*voltage)["V"], -65, 1e-6);
  EXPECT_TRUE(voltage->steady.negative.empty());
  auto below = find("species S\nS' = -2 - S\nS = 1");
  ASSERT_TRUE(below->steady.found());
  EXPECT_EQ(below->steady.negative, std::vector<int>{0});
}

TEST(SteadyNetworks, WhatStillMovesIsNamed) {
  auto grows = find("-> A; 2\nA -> A + B; A\nA = 0; B = 0");
  EXPECT_EQ(grows->steady.status, SteadyStatus::grows);
  auto falls = find("A' = -A^30\nA = 1");  // as t^(-1/29)
  EXPECT_EQ(falls->steady.status, SteadyStatus::unsettled);
  EXPECT_NE(falls->steady.detail.find("A still falls"), std::string::npos) << falls->steady.detail;
}

}  // namespace
}  // namespace stiffit::internal
