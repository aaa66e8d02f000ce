// Laws of fractional order, k*S^(2/3) and the like: what they consume is used up in finite time and
// stays at zero. Every adaptive method, against closed forms and, for random networks, against the
// classical Runge-Kutta method with very small steps in extended precision, written here.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>

#include "base/number.h"
#include "compiled_model.h"
#include "ode/method_registry.h"
#include "sanitized.h"
#include "sensitivity/sensitivity.h"

namespace stiffit::internal {
namespace {

std::vector<std::string> adaptive_methods() {
  std::vector<std::string> names;
  for (const MethodEntry& entry : method_entries())
    if (!entry.fixed_step_only && entry.info.name != "taylor-guaranteed")
      names.emplace_back(entry.info.name);
  return names;
}

std::string text_of(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

// A network of reactions with rates k * product of S_i^order_i.
struct Network {
  struct Law {
    double k = 1;
    std::vector<std::pair<int, double>> orders;  // species, order: these are consumed too
    std::vector<int> products;
  };
  std::vector<double> start;
  std::vector<Law> laws;
  double end = 1;

  std::string text() const {
    std::string out = "model network\n";
    for (std::size_t r = 0; r < laws.size(); ++r) {
      std::string left, right, rate = "k" + std::to_string(r);
      for (auto [s, order] : laws[r].orders) {
        left += (left.empty() ? "S" : " + S") + std::to_string(s);
        const std::string name = "S" + std::to_string(s);
        rate += order == 0.5 ? "*sqrt(" + name + ")"
                : order == 1 ? "*" + name
                             : "*" + name + "^" + text_of(order);
      }
      for (int s : laws[r].products) right += (right.empty() ? "S" : " + S") + std::to_string(s);
      out += "  R" + std::to_string(r) + ": " + left + " -> " + right + "; " + rate + ";\n";
      out += "  k" + std::to_string(r) + " = " + text_of(laws[r].k) + ";\n";
    }
    for (std::size_t s = 0; s < start.size(); ++s)
      out += "  S" + std::to_string(s) + " = " + text_of(start[s]) + ";\n";
    return out + "end\n";
  }

  using Vector = std::vector<long double>;
  Vector slope(const Vector& y, Vector* taken = nullptr) const {
    Vector f(y.size(), 0);
    for (const Law& law : laws) {
      long double rate = law.k;
      for (auto [s, order] : law.orders) {
        const long double x = y[static_cast<std::size_t>(s)];
        rate *= x > 0 ? (order == 1 ? x : std::pow(x, static_cast<long double>(order))) : 0;
      }
      for (auto [s, order] : law.orders) {
        f[static_cast<std::size_t>(s)] -= rate;
        if (taken) (*taken)[static_cast<std::size_t>(s)] += rate;
      }
      for (int s : law.products) f[static_cast<std::size_t>(s)] += rate;
    }
    return f;
  }
  // At end/rows, 2 end/rows, ...: steps of a small part of what each species lasts. Empty where
  // that takes too many: next to zero, where an inflow is used up at once.
  std::vector<Vector> solution(int rows) const {
    Vector y(start.begin(), start.end());
    std::vector<Vector> out;
    const long double span = static_cast<long double>(end) / rows;
    int steps = 0;
    for (int row = 0; row < rows; ++row) {
      for (long double t = 0; span - t > 1e-12L * span; ++steps) {
        Vector taken(y.size(), 0);
        const Vector f = slope(y, &taken);
        long double h = span / 40;
        for (std::size_t i = 0; i < y.size(); ++i) {
          if (taken[i] > 0) h = std::min(h, std::max(0.03L * y[i] / taken[i], span * 2e-6L));
          if (y[i] == 0 && f[i] > 0) h = std::min(h, span * 2e-6L);
        }
        h = std::min(h, span - t);
        advance(y, f, h);
        t += h;
        if (steps > 60000) return {};
      }
      out.push_back(y);
    }
    return out;
  }
  void advance(Vector& y, const Vector& k1, long double h) const {
    auto moved = [&](const Vector& k, long double by) {
      Vector z = y;
      for (std::size_t i = 0; i < y.size(); ++i) z[i] += by * k[i];
      return z;
    };
    const Vector k2 = slope(moved(k1, h / 2)), k3 = slope(moved(k2, h / 2)),
                 k4 = slope(moved(k3, h));
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = std::max(0.0L, y[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]));
  }
};

// Orders that use up and orders that do not, amounts of any unit.
Network random_network(unsigned seed) {
  std::mt19937_64 random(seed);
  auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  constexpr double orders[] = {0.5, 2.0 / 3, 1.0 / 3, 0.75, 0.1, 0.9, 1, 1.5};
  Network net;
  const double unit = std::pow(10, uniform(-9, 6));
  const int species = 2 + pick(4), reactions = 1 + pick(4);
  for (int s = 0; s < species; ++s) net.start.push_back(unit * (pick(4) ? uniform(0.1, 2) : 0));
  net.start[0] = unit;
  for (int r = 0; r < reactions; ++r) {
    Network::Law law;
    const int a = r == 0 ? 0 : pick(species);
    double total = orders[r == 0 ? pick(6) : pick(8)];
    law.orders.emplace_back(a, total);
    if (pick(2)) {
      const int b = (a + 1 + pick(species - 1)) % species;
      const double order = orders[pick(8)];
      law.orders.emplace_back(b, order);
      total += order;
    }
    for (int p = pick(3); p > 0; --p) {
      const int s = pick(species);
      if (std::none_of(law.orders.begin(), law.orders.end(),
                       [&](auto& x) { return x.first == s; }) &&
          std::find(law.products.begin(), law.products.end(), s) == law.products.end())
        law.products.push_back(s);
    }
    // Time scales within two decades, whatever the unit.
    law.k = std::pow(10, uniform(-1, 1)) * std::pow(unit, 1 - total);
    net.laws.push_back(std::move(law));
  }
  net.end = uniform(3, 30);
  return net;
}

// All methods are compared with the same solutions.
const std::vector<Network::Vector>& solution_of(unsigned seed, int rows) {
  static std::map<unsigned, std::vector<Network::Vector>> known;
  auto found = known.find(seed);
  if (found == known.end()) found = known.emplace(seed, random_network(seed).solution(rows)).first;
  return found->second;
}

// Largest deviation, of each species over the largest of all: what is used up leaves nothing.
double worst_error(const CompiledModel& model, const Network& net,
                   const std::vector<Network::Vector>& exact, const Trajectory& run) {
  const auto n = static_cast<std::size_t>(model.program().states);
  double worst = 0;
  std::vector<double> largest(net.start.begin(), net.start.end());
  for (const auto& row : exact)
    for (std::size_t s = 0; s < row.size(); ++s)
      largest[s] = std::max(largest[s], static_cast<double>(row[s]));
  for (std::size_t i = 0; i < n; ++i) {
    const auto s = static_cast<std::size_t>(std::stoi(model.program().state_names[i].substr(1)));
    if (largest[s] == 0) continue;
    for (std::size_t row = 0; row < exact.size(); ++row) {
      const double off = std::fabs(run.states[row * n + i] - static_cast<double>(exact[row][s]));
      if (!(off / largest[s] <= worst)) worst = off / largest[s];
    }
  }
  return worst;
}

class FractionalOrders : public testing::TestWithParam<std::string> {};

TEST_P(FractionalOrders, OneSpeciesHasItsClosedForm) {
  const std::string method = GetParam();
  for (double q : {0.5, 2.0 / 3, 1.0 / 3, 0.1, 0.75, 0.9, 0.95})
    for (double unit : {1.0, 3e-9, 7e5}) {
      Network net;
      net.start = {unit, 0};
      net.laws = {{0.7 * std::pow(unit, 1 - q), {{0, q}}, {1}}};
      const double gone = 1 / (0.7 * (1 - q));
      const CompiledModel model = compile_model(resolve_text("network", net.text()));
      std::vector<double> times;
      for (double share : {0.25, 0.5, 0.75, 0.9, 0.99, 1.01, 1.2, 5.0})
        times.push_back(share * gone);
      IntegrationOptions options;
      options.method = method;
      // A first-order method would take millions of steps for what is asked of the others.
      const bool first_order = method == "backward-euler";
      if (first_order) options.rtol = 1e-4;
      const Trajectory run = simulate(model.problem, model.request(times), options);
      ASSERT_EQ(run.outcome.status, Status::done)
          << method << " " << q << " " << unit << ": "
          << describe(run.outcome, model.program().state_names);
      std::vector<Network::Vector> exact;
      for (double t : times) {
        const long double left = std::max(0.0L, 1 - static_cast<long double>(t) / gone);
        const long double s = unit * std::pow(left, 1 / (1 - static_cast<long double>(q)));
        exact.push_back({s, unit - s});
      }
      EXPECT_LT(worst_error(model, net, exact, run), 100 * options.rtol)
          << method << " " << q << " " << unit;
      const auto zero = static_cast<std::size_t>(model.program().state_names[0] == "S0" ? 0 : 1);
      // Orders near one come so close to zero that a method may be a while in getting there.
      EXPECT_GE(run.states[6 * 2 + zero], 0) << method << " " << q << " " << unit;
      EXPECT_LE(run.states[6 * 2 + zero], q < 0.8 ? 0 : 1e-9 * unit) << method << " " << q;
      EXPECT_EQ(run.states[7 * 2 + zero], 0) << method << " " << q << " " << unit;
      EXPECT_EQ(run.used_up.size(), 1u) << method << " " << q << " " << unit;
    }
}

TEST_P(FractionalOrders, RandomNetworksAreRightOrRefused) {
  const std::string method = GetParam();
  if (method == "backward-euler") return;  // of first order: see above
  const bool main = method == "automatic" || method == "rodas5p" || method == "bdf" ||
                    method == "radau" || method == "dopri5" || method == "cvodes";
  unsigned refused = 0, used_up = 0, unknown = 0;
  const unsigned count = sanitized ? 8 : main ? 160 : 30;
  for (unsigned seed = 1; seed <= count; ++seed) {
    const Network net = random_network(seed);
    constexpr int rows = 8;
    const std::vector<Network::Vector>& exact = solution_of(seed, rows);
    if (exact.empty()) {
      ++unknown;
      continue;
    }
    const CompiledModel model = compile_model(resolve_text("network", net.text()));
    std::vector<double> times;
    for (int row = 1; row <= rows; ++row) times.push_back(net.end * row / rows);
    IntegrationOptions options;
    options.method = method;
    options.max_steps = 50000;
    const Trajectory run = simulate(model.problem, model.request(times), options);
    if (run.outcome.status != Status::done) {
      ++refused;
      EXPECT_EQ(run.outcome.status, Status::too_many_steps)
          << method << " " << seed << ": " << describe(run.outcome, model.program().state_names)
          << "\n"
          << net.text();
      continue;
    }
    used_up += !run.used_up.empty();
    EXPECT_LT(worst_error(model, net, exact, run), 1e-4) << method << " " << seed << "\n"
                                                         << net.text();
  }
  std::printf("%s: %u networks, %u refused, %u used something up, %u without an oracle\n",
              method.c_str(), count, refused, used_up, unknown);
  // A share of the whole sample; the first few alone are no sample of it.
  if (!sanitized) {
    EXPECT_LE(refused, main ? count / 20 : count / 5) << method;
  }
  EXPECT_LE(unknown, count / 5);
  EXPECT_GT(used_up, count / 4) << method;
}

// An inflow that comes later takes it from zero again: S' = a - k sqrt(S) tends to (a/k)^2.
TEST_P(FractionalOrders, AnInflowReleasesIt) {
  const CompiledModel model = compile_model(resolve_text(
      "release", "species S; S' = piecewise(0.2, time > 6, 0) - 0.7*sqrt(S); S = 1;\n"));
  IntegrationOptions options;
  options.method = GetParam();
  if (options.method == "backward-euler") options.rtol = 1e-4;
  const double near = 100 * options.rtol;
  const Trajectory run = simulate(model.problem, model.request({1, 4, 5.9, 30}), options);
  ASSERT_EQ(run.outcome.status, Status::done)
      << GetParam() << ": " << describe(run.outcome, model.program().state_names);
  EXPECT_NEAR(run.states[0], 0.65 * 0.65, near) << GetParam();
  EXPECT_EQ(run.states[1], 0) << GetParam();
  EXPECT_EQ(run.states[2], 0) << GetParam();
  EXPECT_NEAR(run.states[3], 4.0 / 49, near) << GetParam();
}

// The law of fractional order makes something of S and takes nothing from it: what is lost in
// proportion to itself is never used up, however little is left.
TEST_P(FractionalOrders, WhatIsLostInProportionIsNotUsedUp) {
  for (double n : {0.3, 0.5, 0.8})
    for (double rate : {0.3, 1.0, 7.0})
      for (double unit : {1.0, 2e-7}) {
        const std::string power = "S^n/(" + format_number(unit) + "^n + S^n)";
        const CompiledModel model = compile_model(resolve_text(
            "proportion", "species S, P; S' = -" + std::to_string(rate) + "*S; P' = " + power +
                              " - P; S = " + format_number(unit) +
                              "; P = 0; n = " + std::to_string(n) + ";\n"));
        IntegrationOptions options;
        options.method = GetParam();
        if (options.method == "backward-euler") options.rtol = 1e-3;
        options.max_steps = 20000;
        const Trajectory run =
            simulate(model.problem, model.request({10 / rate, 50 / rate, 100 / rate}), options);
        EXPECT_TRUE(run.used_up.empty()) << GetParam() << " " << n << " " << rate << " " << unit;
      }
}

INSTANTIATE_TEST_SUITE_P(All, FractionalOrders, testing::ValuesIn(adaptive_methods()),
                         [](const testing::TestParamInfo<std::string>& test) {
                           return test_name(test.param);
                         });

// Networks that have no oracle here: methods of different families that get through agree.
TEST(FractionalOrdersNextToZero, MethodsThatGetThroughAgree) {
  int networks = 0, compared = 0, refused = 0;
  for (unsigned seed = 1; seed <= (sanitized ? 8u : 160u); ++seed) {
    if (!solution_of(seed, 8).empty()) continue;
    ++networks;
    const Network net = random_network(seed);
    const CompiledModel model = compile_model(resolve_text("network", net.text()));
    const auto n = static_cast<std::size_t>(model.program().states);
    std::vector<double> first;
    for (const char* method : {"automatic", "radau", "bdf", "cvodes", "dopri5"}) {
      IntegrationOptions options;
      options.method = method;
      options.max_steps = 20000;
      const Trajectory run =
          simulate(model.problem, model.request({net.end / 4, net.end / 2, net.end}), options);
      if (run.outcome.status != Status::done) {
        ++refused;
        continue;
      }
      if (first.empty()) {
        first = run.states;
        continue;
      }
      ++compared;
      const double unit = *std::max_element(net.start.begin(), net.start.end());
      for (std::size_t i = 0; i < first.size(); ++i)
        EXPECT_NEAR(run.states[i] / unit, first[i] / unit, 2e-4)
            << method << " " << seed << " " << model.program().state_names[i % n] << "\n"
            << net.text();
    }
  }
  std::printf("%d networks, %d comparisons, %d runs refused\n", networks, compared, refused);
}

// What a condition guards is the modeller's: below the threshold another branch holds.
TEST(FractionalOrdersInConditions, AreLeftAlone) {
  const CompiledModel model = compile_model(resolve_text(
      "guarded", "species S; S' = piecewise(-0.3*sqrt(S - 0.5), S > 0.5, 0) - 0.1; S = 1;\n"));
  EXPECT_TRUE(model.program().vanishing.empty());
  for (const char* method : {"automatic", "bdf", "dopri5"}) {
    IntegrationOptions options;
    options.method = method;
    const Trajectory run = simulate(model.problem, model.request({6, 10, 20}), options);
    EXPECT_TRUE(run.used_up.empty()) << method;
    if (run.outcome.status != Status::done) continue;  // it could not get across
    EXPECT_NEAR(run.states[1] - run.states[2], 1, 1e-5) << method;
  }
}

// A lane is used up at its own time, whatever its neighbours do.
TEST(FractionalOrdersInLanes, AgreeWithOneAlone) {
  Network net;
  net.start = {1, 0};
  net.laws = {{1, {{0, 0.5}}, {1}}};
  ResolvedSystem resolved = resolve_text("network", net.text());
  ResolvedSystem again = resolve_text("network", net.text());
  ProgramOptions four;
  four.lanes = 4;
  const CompiledModel alone = compile_model(std::move(resolved)),
                      lanes = compile_model(std::move(again), four);
  std::vector<Request> requests;
  for (int i = 0; i < 11; ++i) {
    requests.push_back(lanes.request({0.5, 1, 2, 3, 8}));
    requests.back().parameters = lanes.parameters({{"k0", 0.4 + 0.2 * i}});
  }
  for (const char* method : {"rodas5p", "bdf", "dopri5", "taylor"}) {
    IntegrationOptions options;
    options.method = method;
    const auto together = simulate_many(lanes.problem, requests, options, 1);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const double k = 0.4 + 0.2 * static_cast<double>(i);
      ASSERT_EQ(together[i].outcome.status, Status::done) << method << " " << i;
      EXPECT_EQ(together[i].used_up.size(), 2 / k < 8 ? 1u : 0u) << method << " " << i;
      const Trajectory one = simulate(alone.problem, requests[i], options);
      const std::size_t s = alone.program().state_names[0] == "S0" ? 0 : 1;
      for (std::size_t row = 0; row < 5; ++row) {
        const double left = std::max(0.0, 1 - k * requests[i].times[row] / 2);
        EXPECT_NEAR(together[i].states[2 * row + s], left * left, 1e-5) << method << " " << i;
        EXPECT_NEAR(together[i].states[2 * row + s], one.states[2 * row + s], 1e-5) << method;
      }
    }
  }
}

// d/dk of (1 - (1-q) k t)^(1/(1-q)), before it is used up and after.
TEST(FractionalOrdersSensitivities, AreThoseOfTheClosedForm) {
  for (double q : {0.5, 2.0 / 3, 0.3})
    for (const char* method : {"rodas5p", "bdf"}) {
      Network net;
      net.start = {1, 0};
      net.laws = {{0.8, {{0, q}}, {1}}};
      CompiledModel model = compile_model(resolve_text("network", net.text()));
      System& system = model.resolved.system;
      const int k = system.parameter_index("k0");
      const std::vector<int> indices{k};
      auto derivatives = make_sensitivity_problem(system, model.problem, indices);
      const double gone = 1 / (0.8 * (1 - q));
      SensitivityRequest wanted;
      wanted.run = model.request({0.3 * gone, 0.7 * gone, 0.9 * gone, 1.1 * gone, 3 * gone});
      wanted.directions = {{{{k, 1.0}}}};
      IntegrationOptions options;
      options.method = method;
      const SensitivityTrajectory run =
          simulate_sensitivities(*derivatives, wanted, {options, true});
      ASSERT_EQ(run.trajectory.outcome.status, Status::done)
          << method << " " << q << ": "
          << describe(run.trajectory.outcome, model.program().state_names);
      const std::size_t s = model.program().state_names[0] == "S0" ? 0 : 1;
      for (std::size_t row = 0; row < 5; ++row) {
        const double t = wanted.run.times[row], left = std::max(0.0, 1 - t / gone);
        EXPECT_NEAR(run.sensitivities[2 * row + s], -t * std::pow(left, q / (1 - q)), 2e-3)
            << method << " " << q << " " << row;
      }
    }
}

}  // namespace
}  // namespace stiffit::internal
